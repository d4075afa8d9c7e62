// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/device/device.h"
#include "core/graph/program.h"
#include "core/memtrace/ops/op_recording.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::compare {

/// How long a GPU worked for each op of a graph, measured by a profiler. Immutable.
struct StepTimes
{
    std::string file;         ///< name of the profile
    std::string step;         ///< the part of it: "ProfilerStep#3"
    std::string device;       ///< name of the GPU; empty: not recorded
    std::int64_t epochNs = 0; ///< when it was recorded, since 1970; 0: unknown
    /// By op of the graph: kernels, copies and fills, those of nested operators included. None: the
    /// op wasn't found, or computes and the GPU did nothing for it.
    std::vector<std::optional<base::Nanoseconds>> ops;
    base::Nanoseconds otherTime;    ///< of the GPU in that step, for no op of the graph
    std::vector<std::string> notes; ///< what weakens the times, a sentence each

    bool operator==(const StepTimes&) const = default;
    [[nodiscard]] std::size_t measuredOps() const;
};

using StepTimesPtr = std::shared_ptr<const StepTimes>;

/// Finds the ops of a graph in the last whole step of a recording, by order, name and phase. An
/// error of kind File, one sentence, if the recording isn't one of that step: fewer than half of
/// the ops that compute are found, or most of what forward computes has other sizes. `file`: the
/// profile's name.
[[nodiscard]] base::Result<StepTimesPtr> findStepTimes(const graph::Program& program,
                                                       const memtrace::OpRecording& recording,
                                                       const std::string& file,
                                                       const base::JobContext& job = {});

/// The same step with these times; ops that weren't found have none, so that their times follow
/// from flops and bytes. Header::assumed says where the times come from. Requires times of that
/// program.
[[nodiscard]] graph::ProgramPtr withTimes(const graph::ProgramPtr& program, const StepTimes& times);

/// What the times of a step on a device consist of.
struct TimeShares
{
    std::size_t measuredOps = 0;
    std::size_t modelledOps = 0;
    base::Nanoseconds measured; ///< sum of the times that were measured
    base::Nanoseconds modelled; ///< of the others, by flops, bytes and the device

    /// 0 to 100: of the step's time, how much is modelled.
    [[nodiscard]] double modelledPercent() const;
};
[[nodiscard]] TimeShares timeShares(const graph::Program& program, const plan::Device& device);

/// "312 of 330 ops measured in ProfilerStep#3 of run.pt.trace.json, NVIDIA H100, 2026-03-01".
[[nodiscard]] std::string sourceText(const StepTimes& times);

/// For a session: JSON.
[[nodiscard]] std::string writeStepTimes(const StepTimes& times);
/// An error of kind File if it isn't such a text, or one for another number of ops.
[[nodiscard]] base::Result<StepTimesPtr> readStepTimes(std::string_view text, std::size_t ops);

} // namespace plimsoll::compare
