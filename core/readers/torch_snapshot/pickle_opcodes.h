// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace plimsoll::readers::torch_snapshot {

/// The opcodes of protocols 2 to 5 that only make values, by the names that Python's pickletools
/// has for them.
namespace op {
enum Code : unsigned char {
    Mark = '(',
    Stop = '.',
    Pop = '0',
    PopMark = '1',
    Dup = '2',
    BinFloat = 'G',
    BinInt = 'J',
    BinInt1 = 'K',
    BinInt2 = 'M',
    None = 'N',
    BinString = 'T',
    ShortBinString = 'U',
    BinUnicode = 'X',
    BinBytes = 'B',
    ShortBinBytes = 'C',
    EmptyDict = '}',
    EmptyList = ']',
    EmptyTuple = ')',
    EmptySet = 0x8f,
    Append = 'a',
    Appends = 'e',
    SetItem = 's',
    SetItems = 'u',
    AddItems = 0x90,
    FrozenSet = 0x91,
    Dict = 'd',
    List = 'l',
    Tuple = 't',
    Tuple1 = 0x85,
    Tuple2 = 0x86,
    Tuple3 = 0x87,
    BinGet = 'h',
    LongBinGet = 'j',
    BinPut = 'q',
    LongBinPut = 'r',
    Memoize = 0x94,
    Proto = 0x80,
    NewTrue = 0x88,
    NewFalse = 0x89,
    Long1 = 0x8a,
    Long4 = 0x8b,
    ShortBinUnicode = 0x8c,
    BinUnicode8 = 0x8d,
    BinBytes8 = 0x8e,
    Frame = 0x95,
    ByteArray8 = 0x96,
    NextBuffer = 0x97,
    ReadonlyBuffer = 0x98,
};
} // namespace op

/// How an opcode is laid out: itself, then `fixed` bytes. `counts`: these are the number of bytes
/// that follow.
struct OpcodeLayout
{
    std::uint8_t fixed = 0;
    bool counts = false;
    bool isKnown = false;
};

constexpr std::array<OpcodeLayout, 256> opcodeLayouts()
{
    std::array<OpcodeLayout, 256> layouts{};
    for (const op::Code plain :
         {op::Mark,       op::Stop,          op::Pop,       op::PopMark,    op::Dup,
          op::None,       op::EmptyDict,     op::EmptyList, op::EmptyTuple, op::Append,
          op::Appends,    op::SetItem,       op::SetItems,  op::Dict,       op::List,
          op::Tuple,      op::Tuple1,        op::Tuple2,    op::Tuple3,     op::Memoize,
          op::NewTrue,    op::NewFalse,      op::EmptySet,  op::AddItems,   op::FrozenSet,
          op::NextBuffer, op::ReadonlyBuffer})
        layouts.at(plain) = {0, false, true};
    for (const op::Code byte : {op::BinInt1, op::BinGet, op::BinPut, op::Proto})
        layouts.at(byte) = {1, false, true};
    layouts.at(op::BinInt2) = {2, false, true};
    for (const op::Code word : {op::BinInt, op::LongBinGet, op::LongBinPut})
        layouts.at(word) = {4, false, true};
    for (const op::Code two : {op::BinFloat, op::Frame})
        layouts.at(two) = {8, false, true};
    for (const op::Code counted :
         {op::ShortBinString, op::ShortBinBytes, op::Long1, op::ShortBinUnicode})
        layouts.at(counted) = {1, true, true};
    for (const op::Code counted : {op::BinString, op::BinUnicode, op::BinBytes, op::Long4})
        layouts.at(counted) = {4, true, true};
    for (const op::Code counted : {op::BinUnicode8, op::BinBytes8, op::ByteArray8})
        layouts.at(counted) = {8, true, true};
    return layouts;
}

/// A little-endian number of `size` bytes, 8 at most.
inline std::uint64_t littleEndian(const char* bytes, std::size_t size)
{
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < size; ++i)
        number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8U * i);
    return number;
}

inline std::uint32_t littleEndian32(const char* bytes)
{
    if constexpr (std::endian::native == std::endian::little) {
        std::uint32_t number = 0;
        std::memcpy(&number, bytes, sizeof number);
        return number;
    }
    return static_cast<std::uint32_t>(littleEndian(bytes, 4));
}

} // namespace plimsoll::readers::torch_snapshot
