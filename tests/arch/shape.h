// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/arch/rules.h"

#include <string>
#include <vector>

namespace plimsoll::arch {

/// What is wrong with the shape of the tree, a sentence each: a folder of more than 30 source
/// files, a header of more than 200 lines, header-and-source pairs that include each other in a
/// circle.
[[nodiscard]] std::vector<std::string> faultsOfShape(const std::vector<SourceFile>& files);

/// What is wrong with a commit's message: a subject of more than 72 characters, none, one that ends
/// in a period, no body that says why. Empty for a good one.
[[nodiscard]] std::string faultOfCommit(const std::string& message);

} // namespace plimsoll::arch
