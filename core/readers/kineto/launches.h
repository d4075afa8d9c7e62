// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/ops/op_recording_builder.h"
#include "core/readers/kineto/event.h"
#include "core/readers/kineto/splitter.h"
#include "core/readers/kineto/threads.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plimsoll::readers::kineto {

/// Keeps of a trace which operators ran, and what they launched on a GPU.
class Launches final : public Pieces
{
public:
    void takeEvent(std::string_view text) override;
    void takeValue(std::string_view key, std::string_view text) override;
    void takeOther() override {}
    [[nodiscard]] std::size_t memoryBytes() const override;

    /// Fails, with the end of a sentence, if there are no times of operators.
    [[nodiscard]] base::Result<memtrace::OpRecordingPtr> build(const base::JobContext& context) &&;

private:
    /// A kernel, copy or fill.
    struct Work
    {
        base::Nanoseconds time;
        std::optional<std::int64_t> operatorId;
        std::optional<std::int64_t> correlation;
        int device = 0;
    };

    void takeSpan(const TraceEvent& event, bool isRange);
    void takeWork(const TraceEvent& event);

    memtrace::OpRecordingBuilder m_builder;
    EventParser m_parser{true};
    Threads m_threads;
    std::vector<Work> m_works;
    std::unordered_map<std::int64_t, std::uint32_t> m_spans; ///< by the operator's id
    /// By correlation: the thread that called CUDA, and when.
    std::unordered_map<std::int64_t, std::pair<std::uint32_t, std::int64_t>> m_calls;
};

} // namespace plimsoll::readers::kineto
