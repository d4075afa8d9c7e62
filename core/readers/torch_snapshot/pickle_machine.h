// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/readers/torch_snapshot/pickle_memo.h"
#include "core/readers/torch_snapshot/pickle_texts.h"
#include "core/readers/torch_snapshot/repeated_lists.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::readers::torch_snapshot {

/// What is to be done with lists and dicts. They are announced empty and then filled, once or
/// several times; nothing keeps their content unless the handler does. Values in `items` are gone
/// after the call. Functions that return false have set a fault.
class PickleHandler
{
public:
    PickleHandler() = default;
    virtual ~PickleHandler() = default;
    PickleHandler(const PickleHandler&) = delete;
    PickleHandler& operator=(const PickleHandler&) = delete;
    PickleHandler(PickleHandler&&) = delete;
    PickleHandler& operator=(PickleHandler&&) = delete;

    /// An empty list or dict is about to be pushed onto the stack: gives it role, tag and data. A
    /// list without any of them may only depend on its items, and while it is empty has no data.
    [[nodiscard]] virtual bool open(PickleValue& container, const PickleStack& stack) = 0;
    /// `isBatch`: together, as picklers end a list, and not one by one.
    [[nodiscard]] virtual bool append(PickleValue& list, std::span<PickleValue> items,
                                      bool isBatch) = 0;
    /// Keys and values in turn.
    [[nodiscard]] virtual bool setItems(PickleValue& dict, std::span<PickleValue> items,
                                        bool isBatch) = 0;
    [[nodiscard]] virtual PickleValue tuple(std::span<PickleValue> items) = 0;
    /// A list or dict that the memo has as not complete.
    [[nodiscard]] virtual PickleValue recall(const PickleValue& value,
                                             const PickleStack& stack) = 0;
    /// The pickle's value.
    [[nodiscard]] virtual bool finish(PickleValue& root) = 0;

    /// What is wrong: the end of a sentence that begins with file and offset.
    [[nodiscard]] virtual const std::string& fault() const = 0;
};

/// Runs a pickle of protocols 2 to 5, which comes in parts of any size. Opcodes that import or call
/// something are refused. Memory: 16 bytes for each value on the stack, 4 for each memo entry, and
/// the different texts.
class PickleMachine
{
public:
    PickleMachine(PickleHandler& handler, PickleMemo& memo, PickleTexts& texts)
        : m_handler{handler}, m_memo{memo}, m_texts{texts}
    {
    }

    /// False: there is a fault. Bytes behind the end of the pickle are ignored.
    [[nodiscard]] bool feed(std::string_view part);
    /// After the last part: false if the pickle isn't complete.
    [[nodiscard]] bool finish();

    /// Of the first byte that hasn't been executed; after a fault, of its opcode.
    [[nodiscard]] std::uint64_t offset() const { return m_offset; }
    /// The end of a sentence that begins with file and offset.
    [[nodiscard]] const std::string& fault() const { return m_fault; }
    [[nodiscard]] int protocol() const { return m_protocol; }
    [[nodiscard]] bool isDone() const { return m_isDone; }
    [[nodiscard]] std::size_t memoryBytes() const
    {
        return m_stack.capacity() * sizeof(PickleValue) + m_carry.capacity()
               + m_lists.memoryBytes();
    }

private:
    /// Executes whole opcodes; returns how many bytes they took.
    [[nodiscard]] std::size_t run(std::string_view bytes);
    /// The size of the opcode that begins here, as far as known: it may exceed the bytes.
    [[nodiscard]] std::size_t sizeOf(std::string_view bytes);
    /// At a MARK: how many bytes fill the list on top of the stack as an earlier one was filled; it
    /// is then what that one became. 0: unknown.
    [[nodiscard]] std::size_t repeat(std::string_view bytes);
    /// At APPENDS: remembers what filled the list.
    void remember(const char* end);
    [[nodiscard]] bool execute(unsigned char opcode, const char* argument, std::size_t size);
    [[nodiscard]] bool executeRare(unsigned char opcode, const char* argument, std::size_t size);
    [[nodiscard]] bool refuse(unsigned char opcode);

    void push(PickleKind kind, std::uint64_t data)
    {
        PickleValue& value = m_stack.emplace_back();
        value.kind = kind;
        value.data = data;
    }
    [[nodiscard]] bool pushLong(const char* bytes, std::size_t size);
    [[nodiscard]] bool pushText(std::string_view text);
    [[nodiscard]] bool pushMemo(std::uint32_t slot);
    [[nodiscard]] bool pushEmpty(PickleKind kind);
    [[nodiscard]] bool mark();
    [[nodiscard]] bool memoize(std::uint64_t slot);
    [[nodiscard]] bool pop();
    /// Ends the values that follow the last MARK; false if there is none.
    [[nodiscard]] bool popMark(std::size_t& begin);
    [[nodiscard]] bool appendFrom(std::size_t begin, bool isBatch);
    [[nodiscard]] bool setItemsFrom(std::size_t begin, bool isBatch);
    [[nodiscard]] bool tupleFrom(std::size_t begin);
    /// LIST or DICT: made of what follows the last MARK.
    [[nodiscard]] bool containerFrom(PickleKind kind);
    /// Whether a pickle may begin with an opcode.
    [[nodiscard]] bool begin(unsigned char opcode);
    [[nodiscard]] bool protocol(unsigned char number);
    [[nodiscard]] bool stop();
    [[nodiscard]] bool fail(std::string fault);
    [[nodiscard]] bool isMalformed() { return fail("is not a valid pickle"); }

    [[nodiscard]] std::size_t fence() const { return m_marks.empty() ? 0 : m_marks.back(); }
    [[nodiscard]] PickleStack stack() const { return {m_stack, fence(), !m_marks.empty()}; }

    PickleHandler& m_handler;
    PickleMemo& m_memo;
    PickleTexts& m_texts;
    std::vector<PickleValue> m_stack;
    std::vector<std::size_t> m_marks; ///< sizes of the stack
    RepeatedLists m_lists;
    const char* m_listBegin = nullptr; ///< in run()'s bytes: behind the last MARK
    std::string m_carry;               ///< the begin of an opcode that isn't complete
    std::string m_fault;
    std::uint64_t m_offset = 0;
    int m_protocol = -1;
    bool m_isDone = false;
};

} // namespace plimsoll::readers::torch_snapshot
