// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/compare/two_steps.h"
#include "core/memtrace/builder.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace plimsoll::tests {

/// A recording of a predicted step: what it allocates and frees, in its order. Tests change what is
/// recorded before they build it.
class PredictedRecording
{
public:
    enum class Stack : std::uint8_t { Forward, Backward, Optimizer, Library, SetUp };

    /// Something that is allocated or freed.
    struct Happening
    {
        bool isAlloc = true;
        std::size_t block = 0; ///< index into `blocks`
    };
    struct Block
    {
        std::int64_t bytes = 0;
        Stack stack = Stack::Forward;
        bool isOlder = false;                  ///< there before the recording
        std::optional<std::uint32_t> instance; ///< of the schedule
    };

    /// `steps` of them, one after the other; what outlives a step is freed when it ends. What is
    /// older is freed as predicted if there is only one.
    explicit PredictedRecording(const compare::PredictedStep& step, int steps = 1);

    /// Adds a block that is allocated before the happening at a position, and freed before that at
    /// another one; both as they are before the call. Requires first <= last.
    std::size_t insert(std::size_t first, std::optional<std::size_t> last, const Block& block);
    std::size_t addOlder(std::int64_t bytes);
    void remove(std::size_t block);
    [[nodiscard]] std::optional<std::size_t> find(bool isAlloc, std::size_t block) const;
    /// The last block of an instance.
    [[nodiscard]] std::size_t blockOf(std::uint32_t instance) const;

    /// The most bytes that are live at once in the recording.
    [[nodiscard]] std::int64_t peak() const;

    [[nodiscard]] memtrace::MemoryTracePtr trace();
    /// For annotations and reserved bytes.
    [[nodiscard]] memtrace::Builder& builder() { return m_builder; }

    std::vector<Block> blocks;
    std::vector<Happening> happenings; ///< in order
    bool fails = false;                ///< the recording ends with an allocation that fails

private:
    /// `blockOfInstance`: what is older and freed in the step.
    void addStep(const compare::PredictedStep& step,
                 std::map<std::uint32_t, std::size_t> blockOfInstance);
    [[nodiscard]] memtrace::RecordedEvent eventOf(std::size_t block, memtrace::Action action);
    memtrace::StackId stackOf(Stack stack);

    memtrace::Builder m_builder;
    std::int64_t m_events = 0;
};

} // namespace plimsoll::tests
