// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/filter/text_pattern.h"

#include "core/memtrace/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <re2/re2.h>
#include <string>

namespace plimsoll::memtrace {

namespace {

constexpr std::int64_t kMostMemory = std::int64_t{8} << 20; ///< of an expression

std::shared_ptr<const re2::RE2> expressionOf(std::string_view text, bool isLiteral)
{
    re2::RE2::Options options{re2::RE2::Quiet};
    options.set_case_sensitive(false);
    options.set_literal(isLiteral);
    options.set_max_mem(kMostMemory);
    return std::make_shared<const re2::RE2>(re2::StringPiece{text.data(), text.size()}, options);
}

bool isBetweenSlashes(std::string_view text)
{
    return text.size() >= 2 && text.front() == '/' && text.back() == '/';
}

} // namespace

base::Result<TextPattern> TextPattern::parse(std::string_view text)
{
    if (!isBetweenSlashes(text))
        return TextPattern{expressionOf(text, true)};
    const std::string_view inner = text.substr(1, text.size() - 2);
    std::shared_ptr<const re2::RE2> expression = expressionOf(inner, false);
    if (!expression->ok())
        return base::failure(
            base::ErrorKind::Usage,
            fmt::format("\"{}\" is not a regular expression: {}.", inner, expression->error()));
    return TextPattern{std::move(expression)};
}

TextPattern TextPattern::fromQuery(std::string_view text)
{
    std::shared_ptr<const re2::RE2> expression = expressionOf(text, false);
    return TextPattern{expression->ok() ? std::move(expression) : expressionOf(text, true)};
}

bool TextPattern::isExpression(std::string_view text)
{
    return expressionOf(text, false)->ok();
}

bool TextPattern::matches(std::string_view text) const
{
    return re2::RE2::PartialMatch(re2::StringPiece{text.data(), text.size()}, *m_expression);
}

std::vector<bool> stacksWithFrame(const StackTable& stacks, const TextPattern& pattern)
{
    std::vector<bool> frames(stacks.frameCount());
    for (std::size_t i = 0; i < frames.size(); ++i)
        frames[i] = pattern.matches(frameText(stacks, FrameId{i}));
    std::vector<bool> matching(stacks.stackCount());
    for (std::size_t i = 0; i < matching.size(); ++i)
        matching[i] = std::ranges::any_of(stacks.stack(StackId{i}), [&](FrameId frame) {
            return static_cast<bool>(frames[frame.index()]);
        });
    return matching;
}

} // namespace plimsoll::memtrace
