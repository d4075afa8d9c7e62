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
enum Opcode : unsigned char {
    kMark = '(',
    kStop = '.',
    kPop = '0',
    kPopMark = '1',
    kDup = '2',
    kBinFloat = 'G',
    kBinInt = 'J',
    kBinInt1 = 'K',
    kBinInt2 = 'M',
    kNone = 'N',
    kBinString = 'T',
    kShortBinString = 'U',
    kBinUnicode = 'X',
    kBinBytes = 'B',
    kShortBinBytes = 'C',
    kEmptyDict = '}',
    kEmptyList = ']',
    kEmptyTuple = ')',
    kEmptySet = 0x8f,
    kAppend = 'a',
    kAppends = 'e',
    kSetItem = 's',
    kSetItems = 'u',
    kAddItems = 0x90,
    kFrozenSet = 0x91,
    kDict = 'd',
    kList = 'l',
    kTuple = 't',
    kTuple1 = 0x85,
    kTuple2 = 0x86,
    kTuple3 = 0x87,
    kBinGet = 'h',
    kLongBinGet = 'j',
    kBinPut = 'q',
    kLongBinPut = 'r',
    kMemoize = 0x94,
    kProto = 0x80,
    kNewTrue = 0x88,
    kNewFalse = 0x89,
    kLong1 = 0x8a,
    kLong4 = 0x8b,
    kShortBinUnicode = 0x8c,
    kBinUnicode8 = 0x8d,
    kBinBytes8 = 0x8e,
    kFrame = 0x95,
    kByteArray8 = 0x96,
    kNextBuffer = 0x97,
    kReadonlyBuffer = 0x98,
};

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
    for (const Opcode plain :
         {kMark,      kStop,       kPop,      kPopMark,   kDup,        kNone,          kEmptyDict,
          kEmptyList, kEmptyTuple, kAppend,   kAppends,   kSetItem,    kSetItems,      kDict,
          kList,      kTuple,      kTuple1,   kTuple2,    kTuple3,     kMemoize,       kNewTrue,
          kNewFalse,  kEmptySet,   kAddItems, kFrozenSet, kNextBuffer, kReadonlyBuffer})
        layouts.at(plain) = {0, false, true};
    for (const Opcode byte : {kBinInt1, kBinGet, kBinPut, kProto})
        layouts.at(byte) = {1, false, true};
    layouts.at(kBinInt2) = {2, false, true};
    for (const Opcode word : {kBinInt, kLongBinGet, kLongBinPut})
        layouts.at(word) = {4, false, true};
    for (const Opcode two : {kBinFloat, kFrame})
        layouts.at(two) = {8, false, true};
    for (const Opcode counted : {kShortBinString, kShortBinBytes, kLong1, kShortBinUnicode})
        layouts.at(counted) = {1, true, true};
    for (const Opcode counted : {kBinString, kBinUnicode, kBinBytes, kLong4})
        layouts.at(counted) = {4, true, true};
    for (const Opcode counted : {kBinUnicode8, kBinBytes8, kByteArray8})
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
