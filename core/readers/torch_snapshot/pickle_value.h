// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace plimsoll::readers::torch_snapshot {

enum class PickleKind : std::uint8_t {
    Other, ///< something whose content isn't kept
    None,
    Bool,
    Int,      ///< 64 bits, signed
    Unsigned, ///< 2^63 … 2^64 - 1
    Huge,     ///< an integer beyond that
    Float,
    Text, ///< PickleTexts
    List, ///< still being filled, as the next
    Dict,
    Frame, ///< memtrace::FrameId
    Stack, ///< memtrace::StackId
    Pair,  ///< two integers: see PickleHandler::tuple()
};

/// A value on the stack of a pickle: plain, or a short name for what the handler made of it.
struct PickleValue
{
    static constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();

    PickleKind kind = PickleKind::Other;
    std::uint8_t role = 0; ///< of a List or Dict: its handler's, as `tag` and `data`
    std::uint16_t tag = 0;
    std::uint32_t slot = kNoSlot; ///< of a List or Dict: where the memo has it
    std::uint64_t data = 0;       ///< number, index or the bits of a double

    [[nodiscard]] bool is(PickleKind other) const { return kind == other; }
    [[nodiscard]] bool isContainer() const
    {
        return kind == PickleKind::List || kind == PickleKind::Dict;
    }
    [[nodiscard]] std::int64_t integer() const { return static_cast<std::int64_t>(data); }
};
static_assert(sizeof(PickleValue) == 16);

/// The values of a pickle that no list, dict or tuple has taken yet.
struct PickleStack
{
    std::span<const PickleValue> values;
    std::size_t fence = 0; ///< values from here on follow the last MARK
    bool isFenced = false; ///< whether there is a MARK
};

} // namespace plimsoll::readers::torch_snapshot
