// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace plimsoll::arch {

/// What a module may include besides itself. A folder in `modules` covers everything below it, a
/// path that ends in ".h" only that header.
struct Rule
{
    std::string_view
        module; ///< "core/plan"; "core/solve/*" for each folder without a rule of its own
    std::vector<std::string_view> modules;
    std::vector<std::string_view> thirdParty; ///< names of libraries (rules.cpp)
};

[[nodiscard]] const std::vector<Rule>& includeTable();

/// Null if the table doesn't list the module.
[[nodiscard]] const Rule* ruleOf(std::string_view module);

} // namespace plimsoll::arch
