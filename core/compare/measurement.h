// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/base/result.h"
#include "core/graph/program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::compare {

/// An execution of an op in a real step.
struct MeasuredOp
{
    std::uint32_t target = 0; ///< index into MeasuredRun::targets
    graph::Phase phase = graph::Phase::Forward;
    std::optional<std::uint32_t> recomputeOf; ///< row of the op that it recomputes
    std::optional<base::Nanoseconds> time;
    base::Bytes live;                     ///< most bytes of live storages while it ran
    std::optional<base::Bytes> allocator; ///< most bytes that the allocator had given out
};

/// The plan that a measured model ran under.
struct MeasuredPlan
{
    std::string runtime;
    std::string granularity;
    std::string planner;
    std::optional<base::Bytes> budget = {}; ///< the budget that it was made for
    std::optional<base::Bytes> peak = {};   ///< as its file says
    bool freezeStats = false;               ///< plan::Plan::freezeStats
};

/// Measurements of a steady training step. Fields that were not measured are empty.
struct MeasuredRun
{
    std::optional<MeasuredPlan> plan;
    std::optional<base::Nanoseconds> stepTime; ///< median of stepTimes
    std::vector<base::Nanoseconds> stepTimes;
    base::Bytes resident; ///< live before the step
    std::optional<base::Bytes> saved;
    std::optional<base::Bytes> livePeak;
    std::optional<base::Bytes> allocatorPeak;
    std::optional<base::Bytes> reservedPeak;
    std::optional<std::size_t> allocatorPeakOp; ///< row of ops
    std::string fingerprint;                    ///< empty where ops are not known
    std::vector<std::string> targets;
    std::vector<MeasuredOp> ops; ///< all executions, in order
};

enum class Backend : std::uint8_t { Cpu, Cuda };

/// A measurement file (FORMAT.md): what plimsoll.measure() saw.
struct Measurement
{
    std::string exporter;
    std::string torch;
    std::string model;
    std::string modelClass;
    std::string batch; ///< as in graphs: "8x3 float32"; empty: unknown
    Backend backend = Backend::Cpu;
    std::string device; ///< name
    std::int64_t threads = 0;
    std::vector<MeasuredRun> runs; ///< the one without a plan first; at most one with a plan
};

/// Whether a file with this beginning is meant as a measurement.
[[nodiscard]] bool looksLikeMeasurement(std::string_view head);

/// Reads a measurement file. Strict: wrong types, ranges and indices, peaks that contradict the
/// rows, and newer versions are errors of kind File, each one sentence that names the place.
[[nodiscard]] base::Result<Measurement> readMeasurement(std::string_view text);

} // namespace plimsoll::compare
