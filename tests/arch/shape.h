// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/arch/rules.h"

#include <string>
#include <vector>

namespace plimsoll::arch {

/// Faults in the shape of the tree, one sentence each: a folder of more than 30 source files, a
/// header of more than 200 lines, header-and-source pairs that include each other in a cycle.
[[nodiscard]] std::vector<std::string> faultsOfShape(const std::vector<SourceFile>& files);

/// Faults in a commit message: a subject that is missing, longer than 72 characters or ends in a
/// period, or a missing body. Empty for a good one.
[[nodiscard]] std::string faultOfCommit(const std::string& message);

} // namespace plimsoll::arch
