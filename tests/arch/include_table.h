// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace plimsoll::arch {

/// What a module may include beside itself. A folder in `modules` stands for all below it, a path
/// that ends in ".h" for that header alone.
struct Rule
{
    std::string_view
        module; ///< "core/plan"; "core/solve/*" for each folder without a rule of its own
    std::vector<std::string_view> modules;
    std::vector<std::string_view> thirdParty; ///< names of libraries (rules.cpp)
};

[[nodiscard]] const std::vector<Rule>& includeTable();

/// Null: the table doesn't know the module.
[[nodiscard]] const Rule* ruleOf(std::string_view module);

} // namespace plimsoll::arch
