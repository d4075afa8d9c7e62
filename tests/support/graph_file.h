// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll::tests {

/// One linear layer, one ReLU, a sum as loss, backward, an optimizer step with momentum: 8 ops that
/// use each table of the format.
[[nodiscard]] graph::Program tinyProgram();

/// A chain of such layers, 7 ops each and one for the loss: at least `ops` ops.
[[nodiscard]] graph::Program layeredProgram(std::size_t ops);

/// The program as a file of core/readers/plimsoll_graph/FORMAT.md, keys in the order of that page.
[[nodiscard]] nlohmann::ordered_json graphJson(const graph::Program& program);

/// The same as compact text.
[[nodiscard]] std::string graphText(const graph::Program& program);

/// `bytes` as one gzip member.
[[nodiscard]] std::string gzipped(std::string_view bytes);

} // namespace plimsoll::tests
