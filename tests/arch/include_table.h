// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace plimsoll::arch {

/// What a module, or a header that must need less than its module does, may include besides itself.
/// A folder in `modules` covers everything below it, a
/// path that ends in ".h" only that header.
struct Rule
{
    std::string_view
        module; ///< "core/plan"; "core/solve/*" for each folder without a rule of its own; a header
    std::vector<std::string_view> modules;
    std::vector<std::string_view> thirdParty; ///< names of libraries (rules.cpp)
};

[[nodiscard]] const std::vector<Rule>& includeTable();

/// That of a file, if it has one of its own, else that of its module; null if there is none.
[[nodiscard]] const Rule* ruleOf(std::string_view path, std::string_view module);
/// Null if the table doesn't list the module.
[[nodiscard]] const Rule* ruleOf(std::string_view module);

} // namespace plimsoll::arch
