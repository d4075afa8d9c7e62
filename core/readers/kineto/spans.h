// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/stack_table_builder.h"
#include "core/readers/kineto/names.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plimsoll::readers::kineto {

/// What a thread did for a while.
struct Span
{
    enum class Kind : std::uint8_t { Python, Operator, Annotation };
    std::int64_t begin = 0; ///< from the trace's base, as the next
    std::int64_t end = 0;
    std::uint32_t thread = 0; ///< any number that distinguishes threads
    std::uint32_t name = 0;   ///< in Names
    /// In Names. Python: where it was called, "file.py:12". Operator: "file.py(12): f;…", innermost
    /// first, as torch 1.12 and older have it.
    std::uint32_t calledFrom = 0;
    Kind kind = Kind::Operator;
};

/// Sorts by thread and time, spans that contain others before them.
void sortSpans(std::vector<Span>& spans);

/// Finds the spans that contain an instant: the stack of what happened then.
class SpanStacks
{
public:
    /// `spans` are sorted. All outlive the object.
    SpanStacks(const std::vector<Span>& spans, const Names& names,
               memtrace::StackTableBuilder& stacks);

    /// Call sorted by thread and time. Innermost frame first; of those of more than kMostFrames
    /// the innermost ones.
    [[nodiscard]] memtrace::StackId stackAt(std::uint32_t thread, std::int64_t time);
    /// How many stacks had more frames than they got.
    [[nodiscard]] std::size_t cutStacks() const { return m_cutStacks; }
    [[nodiscard]] bool hasPython() const { return m_hasPython; }

    static constexpr std::size_t kMostFrames = 256;

private:
    void advance(std::uint32_t thread, std::int64_t time);
    [[nodiscard]] memtrace::StackId build(std::int64_t time);
    void addCallStack(std::string_view callStack);
    /// `inner`: the number of what tells where the frame made the next call; 0: nothing does.
    [[nodiscard]] memtrace::FrameId frameOf(const Span& span, std::uint32_t inner);
    [[nodiscard]] memtrace::FrameId pythonFrame(std::string_view name, std::string_view inner);

    const std::vector<Span>& m_spans;
    const Names& m_names;
    memtrace::StackTableBuilder& m_stacks;
    std::size_t m_next = 0;
    std::vector<std::size_t> m_open; ///< those that have begun, outer ones first
    std::uint32_t m_thread = 0;
    std::optional<memtrace::StackId> m_last; ///< while no span has begun or ended
    std::int64_t m_lastHolds = 0;            ///< until this time none of m_open ends
    std::vector<memtrace::FrameId> m_frames;
    std::unordered_map<std::uint64_t, memtrace::FrameId> m_frameIds;
    std::size_t m_cutStacks = 0;
    bool m_hasPython = false;
};

} // namespace plimsoll::readers::kineto
