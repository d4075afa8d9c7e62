// SPDX-License-Identifier: Apache-2.0
#include "core/base/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace plimsoll::base {

namespace {

constexpr char32_t kBeyondBmp = 0x10000;
constexpr char32_t kLast = 0x10ffff;
constexpr char32_t kHighSurrogates = 0xd800;
constexpr char32_t kLowSurrogates = 0xdc00;
constexpr char32_t kBehindSurrogates = 0xe000;
/// The number of bits in one surrogate.
constexpr unsigned kSurrogateBits = 10;

bool isSurrogate(char32_t code)
{
    return code >= kHighSurrogates && code < kBehindSurrogates;
}

struct Span
{
    char32_t first;
    char32_t last;
};

constexpr std::array kHidden{
    Span{0x00, 0x1f},     Span{0x7f, 0x9f},       Span{0xad, 0xad}, // soft hyphen
    Span{0x61c, 0x61c},                                             // Arabic letter mark
    Span{0x180e, 0x180e},                                           // Mongolian vowel separator
    Span{0x200b, 0x200f},                                           // no width, direction marks
    Span{0x2028, 0x202e}, // line and paragraph separators, embeddings, overrides
    Span{0x2060, 0x206f}, // word joiner, isolates, deprecated formats
    Span{0xfeff, 0xfeff}, // byte order mark
    Span{0xfff9, 0xfffb}, // interlinear annotation
    Span{0xfffe, 0xffff}, Span{0xe0000, 0xe007f}, // tags
};

/// The sequence length given by the lead byte, its value bits, and the least code of that length.
struct Lead
{
    std::size_t length = 0;
    unsigned bits = 0;
    char32_t least = 0;
};

Lead leadOf(unsigned char byte)
{
    if (byte < 0x80)
        return {1, byte, 0};
    if (byte >= 0xc0 && byte < 0xe0)
        return {2, byte & 0x1fU, 0x80};
    if (byte >= 0xe0 && byte < 0xf0)
        return {3, byte & 0x0fU, 0x800};
    if (byte >= 0xf0 && byte < 0xf8)
        return {4, byte & 0x07U, kBeyondBmp};
    return {};
}

std::string escaped(char32_t code, Escapes escapes)
{
    const auto value = static_cast<std::uint32_t>(code);
    if (code < kBeyondBmp)
        return fmt::format("\\u{:04x}", value);
    if (escapes == Escapes::Python)
        return fmt::format("\\U{:08x}", value);
    const std::uint32_t rest = value - kBeyondBmp;
    return fmt::format("\\u{:04x}\\u{:04x}",
                       static_cast<std::uint32_t>(kHighSurrogates) + (rest >> kSurrogateBits),
                       static_cast<std::uint32_t>(kLowSurrogates) + (rest & 0x3ffU));
}

} // namespace

Character firstCharacter(std::string_view text)
{
    if (text.empty())
        return {};
    const Lead lead = leadOf(static_cast<unsigned char>(text.front()));
    if (lead.length == 0 || lead.length > text.size())
        return {};
    char32_t code = lead.bits;
    for (std::size_t i = 1; i < lead.length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xc0U) != 0x80U)
            return {};
        code = (code << 6U) | (byte & 0x3fU);
    }
    if (code < lead.least || code > kLast || isSurrogate(code))
        return {};
    return {code, lead.length};
}

std::string utf8(char32_t code)
{
    if (code > kLast || isSurrogate(code))
        return {};
    constexpr unsigned kRest = 6; // bits in each continuation byte
    const auto follower = [&](unsigned place) {
        return static_cast<char>(0x80U | ((code >> (place * kRest)) & 0x3fU));
    };
    if (code < 0x80)
        return {static_cast<char>(code)};
    if (code < 0x800)
        return {static_cast<char>(0xc0U | (code >> kRest)), follower(0)};
    if (code < kBeyondBmp)
        return {static_cast<char>(0xe0U | (code >> (2 * kRest))), follower(1), follower(0)};
    return {static_cast<char>(0xf0U | (code >> (3 * kRest))), follower(2), follower(1),
            follower(0)};
}

std::optional<char32_t> joinSurrogates(char32_t high, char32_t low)
{
    if (high < kHighSurrogates || high >= kLowSurrogates || low < kLowSurrogates
        || low >= kBehindSurrogates)
        return std::nullopt;
    return kBeyondBmp + ((high - kHighSurrogates) << kSurrogateBits) + (low - kLowSurrogates);
}

bool isHidden(char32_t code)
{
    return std::any_of(kHidden.begin(), kHidden.end(), [code](const Span& span) {
        return code >= span.first && code <= span.last;
    });
}

std::string escapeHidden(std::string_view source, Escapes escapes)
{
    std::string out;
    out.reserve(source.size());
    while (!source.empty()) {
        const Character character = firstCharacter(source);
        const std::size_t length = std::max<std::size_t>(character.length, 1);
        if (character.length > 0 && character.code != U'\n' && isHidden(character.code))
            out += escaped(character.code, escapes);
        else
            out += source.substr(0, length);
        source.remove_prefix(length);
    }
    return out;
}

std::size_t byteOrderMark(std::string_view text)
{
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    return text.starts_with(kMark) ? kMark.size() : 0;
}

std::string_view fromFirstCharacter(std::string_view text)
{
    text.remove_prefix(byteOrderMark(text));
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return text;
}

} // namespace plimsoll::base
