// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <cstddef>
#include <string>

namespace plimsoll::tests {

/// The program as readable lines, at most `rows` of each table: for golden files and
/// comparisons.
[[nodiscard]] std::string dumpProgram(const graph::Program& program, std::size_t rows);

} // namespace plimsoll::tests
