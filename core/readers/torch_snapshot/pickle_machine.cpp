// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/pickle_machine.h"

#include "core/readers/torch_snapshot/pickle_opcodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace plimsoll::readers::torch_snapshot {

namespace {

constexpr std::array<OpcodeLayout, 256> kLayouts = opcodeLayouts();
constexpr std::uint64_t kMostArgument = std::uint64_t{16} << 20U;
constexpr std::size_t kMostMarks = 10'000;
constexpr int kOldest = 2;
constexpr int kNewest = 5;

} // namespace

bool PickleMachine::fail(std::string fault)
{
    m_fault = std::move(fault);
    return false;
}

bool PickleMachine::feed(std::string_view part)
{
    while (!m_carry.empty() && !part.empty() && !m_isDone) {
        // What the opcode at the begin lacks, no more: then the rest is executed where it is.
        const std::size_t lacks = sizeOf(m_carry) - m_carry.size();
        m_carry.append(part.substr(0, lacks));
        part.remove_prefix(std::min(lacks, part.size()));
        if (run(m_carry) > 0)
            m_carry.clear();
        if (!m_fault.empty())
            return false;
    }
    const std::size_t done = m_isDone ? part.size() : run(part);
    if (!m_fault.empty())
        return false;
    if (!m_isDone)
        m_carry.append(part.substr(done));
    return true;
}

bool PickleMachine::finish()
{
    if (m_isDone)
        return true;
    m_offset += m_carry.size();
    return fail("ends before the pickle does: it was cut off, copy or dump it again");
}

std::size_t PickleMachine::sizeOf(std::string_view bytes)
{
    const OpcodeLayout layout = kLayouts[static_cast<unsigned char>(bytes.front())];
    const std::size_t head = std::size_t{1} + layout.fixed;
    if (!layout.counts || bytes.size() < head)
        return head;
    const std::uint64_t count = layout.fixed == 1 ? static_cast<unsigned char>(bytes[1])
                                                  : littleEndian(bytes.data() + 1, layout.fixed);
    if (count > kMostArgument) {
        static_cast<void>(
            fail(fmt::format("has a value of {} bytes, which no snapshot has", count)));
        return 0;
    }
    return head + static_cast<std::size_t>(count);
}

std::size_t PickleMachine::run(std::string_view bytes)
{
    m_listBegin = nullptr;
    const char* at = bytes.data();
    const char* const end = at + bytes.size();
    if (m_protocol < 0 && at != end && !begin(static_cast<unsigned char>(*at)))
        return 0;
    while (at != end && !m_isDone) {
        const auto left = static_cast<std::size_t>(end - at);
        std::size_t size = sizeOf({at, left});
        if (size == 0 || size > left)
            break;
        const auto opcode = static_cast<unsigned char>(*at);
        const std::size_t repeated = opcode == op::Mark ? repeat({at + 1, left - 1}) : 0;
        if (repeated == 0 && !execute(opcode, at + 1, size - 1))
            break;
        if (opcode == op::Mark && repeated == 0)
            m_listBegin = at + 1;
        else if (opcode == op::Appends)
            remember(at + 1);
        at += size + repeated;
    }
    const auto done = static_cast<std::size_t>(at - bytes.data());
    m_offset += done;
    return done;
}

std::size_t PickleMachine::repeat(std::string_view bytes)
{
    if (m_stack.size() <= fence())
        return 0;
    PickleValue& list = m_stack.back();
    if (!list.is(PickleKind::List) || list.role != 0 || list.tag != 0 || list.data != 0)
        return 0;
    const RepeatedLists::Match match = m_lists.find(bytes);
    if (match.size > 0) {
        const std::uint32_t slot = list.slot;
        list = {};
        list.kind = PickleKind::Stack;
        list.data = match.stack;
        m_memo.set(slot, list);
    }
    return match.size;
}

void PickleMachine::remember(const char* end)
{
    if (m_listBegin != nullptr && m_stack.back().is(PickleKind::Stack))
        m_lists.add({m_listBegin, static_cast<std::size_t>(end - m_listBegin)},
                    static_cast<std::uint32_t>(m_stack.back().data));
    m_listBegin = nullptr;
}

bool PickleMachine::execute(unsigned char opcode, const char* argument, std::size_t size)
{
    std::size_t begin = 0;
    switch (opcode) {
    case op::BinGet: return pushMemo(static_cast<unsigned char>(*argument));
    case op::LongBinGet: return pushMemo(littleEndian32(argument));
    case op::Memoize: return memoize(m_memo.next());
    case op::BinPut: return memoize(static_cast<unsigned char>(*argument));
    case op::LongBinPut: return memoize(littleEndian32(argument));
    case op::Long1: return pushLong(argument + 1, size - 1);
    case op::BinInt1: push(PickleKind::Int, static_cast<unsigned char>(*argument)); return true;
    case op::BinInt2: push(PickleKind::Int, littleEndian(argument, 2)); return true;
    case op::BinInt:
        push(PickleKind::Int,
             static_cast<std::uint64_t>(static_cast<std::int32_t>(littleEndian32(argument))));
        return true;
    case op::ShortBinString:
    case op::ShortBinUnicode: return pushText({argument + 1, size - 1});
    case op::Mark: return mark();
    case op::EmptyDict: return pushEmpty(PickleKind::Dict);
    case op::EmptyList: return pushEmpty(PickleKind::List);
    case op::SetItems: return popMark(begin) && setItemsFrom(begin, true);
    case op::Appends: return popMark(begin) && appendFrom(begin, true);
    case op::SetItem:
        return m_stack.size() < 2 ? isMalformed() : setItemsFrom(m_stack.size() - 2, false);
    case op::Append: return m_stack.empty() ? isMalformed() : appendFrom(m_stack.size() - 1, false);
    case op::Tuple2: return m_stack.size() < 2 ? isMalformed() : tupleFrom(m_stack.size() - 2);
    case op::None: push(PickleKind::None, 0); return true;
    case op::NewTrue: push(PickleKind::Bool, 1); return true;
    case op::NewFalse: push(PickleKind::Bool, 0); return true;
    case op::Frame: return true;
    default: return executeRare(opcode, argument, size);
    }
}

bool PickleMachine::executeRare(unsigned char opcode, const char* argument, std::size_t size)
{
    std::size_t begin = 0;
    switch (opcode) {
    case op::Proto: return protocol(static_cast<unsigned char>(*argument));
    case op::Stop: return stop();
    case op::BinFloat: {
        std::uint64_t bits = 0; // the only number that is big-endian
        for (std::size_t i = 0; i < size; ++i)
            bits = bits << 8U | static_cast<unsigned char>(argument[i]);
        push(PickleKind::Float, bits);
        return true;
    }
    case op::Long4: return pushLong(argument + 4, size - 4);
    case op::BinString:
    case op::BinUnicode: return pushText({argument + 4, size - 4});
    case op::BinUnicode8: return pushText({argument + 8, size - 8});
    case op::ShortBinBytes:
    case op::BinBytes:
    case op::BinBytes8:
    case op::ByteArray8:
    case op::NextBuffer:
    case op::EmptySet:
    case op::EmptyTuple: push(PickleKind::Other, 0); return true;
    case op::ReadonlyBuffer: return m_stack.empty() ? isMalformed() : true;
    case op::Tuple: return popMark(begin) && tupleFrom(begin);
    case op::Tuple1: return m_stack.empty() ? isMalformed() : tupleFrom(m_stack.size() - 1);
    case op::Tuple3: return m_stack.size() < 3 ? isMalformed() : tupleFrom(m_stack.size() - 3);
    case op::List: return containerFrom(PickleKind::List);
    case op::Dict: return containerFrom(PickleKind::Dict);
    case op::AddItems:
        if (!popMark(begin) || begin == 0)
            return isMalformed();
        m_stack.resize(begin);
        return true;
    case op::FrozenSet:
        if (!popMark(begin))
            return false;
        m_stack.resize(begin);
        push(PickleKind::Other, 0);
        return true;
    case op::Pop: return pop();
    case op::PopMark:
        if (!popMark(begin))
            return false;
        m_stack.resize(begin);
        return true;
    case op::Dup: {
        if (m_stack.size() <= fence())
            return isMalformed();
        const PickleValue top = m_stack.back();
        m_stack.push_back(top.isContainer() ? PickleValue{} : top);
        return true;
    }
    default: return refuse(opcode);
    }
}

bool PickleMachine::refuse(unsigned char opcode)
{
    // GLOBAL, REDUCE, BUILD, INST, NEWOBJ, OBJ, PERSID, BINPERSID, EXT1 … EXT4, STACK_GLOBAL …
    constexpr std::string_view kRunsCode = "cRbioPQ\x81\x82\x83\x84\x92\x93";
    const auto isIn = [opcode](std::string_view set) {
        return set.find(static_cast<char>(opcode)) != std::string_view::npos;
    };
    if (isIn(kRunsCode))
        return fail(fmt::format("has the opcode 0x{:02x}, which imports or calls something: no "
                                "snapshot does, and Plimsoll runs nothing that is in a file",
                                opcode));
    return fail(fmt::format("has 0x{:02x} where the pickle should go on: it is damaged, copy or "
                            "dump it again",
                            opcode));
}

bool PickleMachine::begin(unsigned char opcode)
{
    constexpr std::string_view kOldBegins =
        "(}]c"; // of protocols 0 and 1: MARK, a dict, a list, GLOBAL
    return opcode == op::Proto
           || (kOldBegins.find(static_cast<char>(opcode)) != std::string_view::npos
                   ? protocol(0)
                   : fail(
                       fmt::format("has 0x{:02x} where a pickle begins with 0x80: it is damaged, "
                                   "or none; copy or dump it again",
                                   opcode)));
}

bool PickleMachine::protocol(unsigned char number)
{
    if (number >= kOldest && number <= kNewest) {
        m_protocol = number;
        return true;
    }
    if (number < kOldest)
        return fail("is a pickle of protocol 0 or 1; dump it with protocol 2 or later");
    return fail(fmt::format("is a pickle of protocol {}, and this Plimsoll reads {} to {}", number,
                            kOldest, kNewest));
}

bool PickleMachine::pushLong(const char* bytes, std::size_t size)
{
    constexpr std::size_t kWord = 8;
    if (size == 0) {
        push(PickleKind::Int, 0);
        return true;
    }
    const bool isNegative = (static_cast<unsigned char>(bytes[size - 1]) & 0x80U) != 0;
    if (size <= kWord) {
        std::uint64_t number = littleEndian(bytes, size);
        if (isNegative && size < kWord)
            number |= ~std::uint64_t{0} << (8U * size);
        push(PickleKind::Int, number);
        return true;
    }
    const std::string_view rest{bytes + kWord, size - kWord};
    const bool isWord = rest.find_first_not_of('\0') == std::string_view::npos;
    const std::uint64_t number = littleEndian(bytes, kWord);
    if (isWord)
        push(number >> 63U != 0 ? PickleKind::Unsigned : PickleKind::Int, number);
    else
        push(PickleKind::Huge, isNegative ? 1 : 0);
    return true;
}

bool PickleMachine::pushText(std::string_view text)
{
    if (m_texts.count() >= PickleMemo::kMostIndex)
        return fail("has more than 268 million different texts");
    push(PickleKind::Text, m_texts.id(text));
    return true;
}

bool PickleMachine::pushMemo(std::uint32_t slot)
{
    PickleValue& value = m_stack.emplace_back();
    if (!m_memo.get(slot, value)) {
        m_stack.pop_back();
        return fail(fmt::format("refers to memo entry {}, which nothing was put into", slot));
    }
    if (value.isContainer()) {
        const PickleValue open = value;
        m_stack.pop_back();
        const PickleValue known = m_handler.recall(open, stack());
        m_stack.push_back(known);
    }
    return true;
}

bool PickleMachine::pushEmpty(PickleKind kind)
{
    PickleValue container;
    container.kind = kind;
    if (!m_handler.open(container, stack()))
        return fail(m_handler.fault());
    m_stack.push_back(container);
    return true;
}

bool PickleMachine::mark()
{
    if (m_marks.size() >= kMostMarks)
        return fail(fmt::format("is nested deeper than {}, which no snapshot is", kMostMarks));
    m_marks.push_back(m_stack.size());
    return true;
}

bool PickleMachine::memoize(std::uint64_t slot)
{
    // Picklers number values one after the other; a memo with holes could exhaust the memory.
    constexpr std::uint64_t kMostHoles = 1024;
    if (m_stack.size() <= fence() || slot >= PickleMemo::kMostIndex
        || slot > std::uint64_t{m_memo.next()} * 2 + kMostHoles)
        return fail(fmt::format("puts a value into memo entry {}, which can't exist", slot));
    PickleValue& value = m_stack.back();
    if (m_memo.put(static_cast<std::uint32_t>(slot), value))
        m_lists.clear();
    if (value.isContainer())
        value.slot = static_cast<std::uint32_t>(slot);
    return true;
}

bool PickleMachine::pop()
{
    if (m_stack.size() > fence()) {
        m_stack.pop_back();
        return true;
    }
    std::size_t begin = 0;
    return popMark(begin);
}

bool PickleMachine::popMark(std::size_t& begin)
{
    if (m_marks.empty())
        return isMalformed();
    begin = m_marks.back();
    m_marks.pop_back();
    return true;
}

bool PickleMachine::appendFrom(std::size_t begin, bool isBatch)
{
    if (begin <= fence())
        return isMalformed();
    const std::span<PickleValue> items = std::span{m_stack}.subspan(begin);
    if (!m_handler.append(m_stack[begin - 1], items, isBatch))
        return fail(m_handler.fault());
    m_stack.resize(begin);
    return true;
}

bool PickleMachine::setItemsFrom(std::size_t begin, bool isBatch)
{
    if (begin <= fence() || (m_stack.size() - begin) % 2 != 0)
        return isMalformed();
    const std::span<PickleValue> items = std::span{m_stack}.subspan(begin);
    if (!m_handler.setItems(m_stack[begin - 1], items, isBatch))
        return fail(m_handler.fault());
    m_stack.resize(begin);
    return true;
}

bool PickleMachine::tupleFrom(std::size_t begin)
{
    if (begin < fence())
        return isMalformed();
    const PickleValue tuple = m_handler.tuple(std::span{m_stack}.subspan(begin));
    m_stack.resize(begin);
    m_stack.push_back(tuple);
    return true;
}

bool PickleMachine::containerFrom(PickleKind kind)
{
    std::size_t begin = 0;
    if (!popMark(begin))
        return false;
    PickleValue container;
    container.kind = kind;
    const std::span<const PickleValue> values{m_stack};
    if (!m_handler.open(container, {values.first(begin), fence(), !m_marks.empty()}))
        return fail(m_handler.fault());
    m_stack.insert(m_stack.begin() + static_cast<std::ptrdiff_t>(begin), container);
    return kind == PickleKind::List ? appendFrom(begin + 1, true) : setItemsFrom(begin + 1, true);
}

bool PickleMachine::stop()
{
    if (m_stack.size() != 1 || !m_marks.empty())
        return isMalformed();
    if (!m_handler.finish(m_stack.front()))
        return fail(m_handler.fault());
    m_isDone = true;
    return true;
}

} // namespace plimsoll::readers::torch_snapshot
