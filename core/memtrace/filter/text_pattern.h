// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/memtrace/stack_table.h"

#include <memory>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace plimsoll::memtrace {

/// What a text is looked for by: a regular expression in the syntax of RE2, whose time is linear in
/// the text, or words that it contains. Case doesn't matter. Copies share the expression.
class TextPattern
{
public:
    /// "/h\.\d+/" is an expression, anything else is contained as it is. Fails (Usage) with a
    /// sentence if an expression isn't one.
    [[nodiscard]] static base::Result<TextPattern> parse(std::string_view text);
    /// An expression without slashes; a text that isn't one is contained as it is.
    [[nodiscard]] static TextPattern fromQuery(std::string_view text);
    /// Whether fromQuery() takes the text as an expression.
    [[nodiscard]] static bool isExpression(std::string_view text);

    [[nodiscard]] bool matches(std::string_view text) const;

private:
    explicit TextPattern(std::shared_ptr<const re2::RE2> expression)
        : m_expression{std::move(expression)}
    {
    }

    std::shared_ptr<const re2::RE2> m_expression;
};

/// By stack: whether a frame's "file:line:name" matches.
[[nodiscard]] std::vector<bool> stacksWithFrame(const StackTable& stacks,
                                                const TextPattern& pattern);

} // namespace plimsoll::memtrace
