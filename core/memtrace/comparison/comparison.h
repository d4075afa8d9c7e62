// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/memtrace/analysis/trace_diff.h"
#include "core/memtrace/comparison/phase_axis.h"
#include "core/timeline/timeline.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::memtrace {

/// A device of a recording that is compared with others.
struct ComparedDevice
{
    MemoryTracePtr trace;
    std::size_t index = 0; ///< in MemoryTrace::devices()

    [[nodiscard]] const DeviceTrace& device() const { return trace->devices()[index]; }
    bool operator==(const ComparedDevice&) const = default;
};

/// As many recordings can be compared at once.
inline constexpr std::size_t kMostCompared = 16;

/// Recordings on one axis, aligned by phase. Immutable; made by compareDevices().
///
/// The axis has a step for each step of each recording, so none of their values is lost.
class Comparison
{
public:
    struct Side
    {
        ComparedDevice of;
        timeline::TimelinePtr curve;         ///< live bytes by the device's steps, common positions
        std::vector<std::uint32_t> axisStep; ///< by the device's step: where it begins on the axis
        std::string peakPhase;               ///< in which the peak is reached; empty: not known
    };

    [[nodiscard]] const std::vector<Side>& sides() const { return m_sides; }
    [[nodiscard]] const PhaseAxis& phases() const { return m_phases; }
    /// What positions count: nanoseconds, or events where a recording has no times.
    [[nodiscard]] Axis axis() const { return m_axis; }
    /// The common axis, with the phases as bands and what is live in the first recording until it
    /// is over.
    [[nodiscard]] const timeline::TimelinePtr& ground() const { return m_ground; }

    /// The step of a recording during a step of the common axis; the last one where it is over.
    [[nodiscard]] std::size_t stepOf(std::size_t side, std::size_t axisStep) const;
    /// Whether a recording ends before a step of the common axis.
    [[nodiscard]] bool isOver(std::size_t side, std::size_t axisStep) const
    {
        return m_ground->timeAt(axisStep) > m_sides[side].curve->duration();
    }
    [[nodiscard]] base::Bytes bytesAt(std::size_t side, std::size_t axisStep) const
    {
        return m_sides[side].curve->totalAt(stepOf(side, axisStep));
    }
    [[nodiscard]] base::Bytes peakOf(std::size_t side) const { return m_sides[side].curve->peak(); }
    /// The first step of the common axis at which a recording reaches its peak.
    [[nodiscard]] std::size_t peakStepOf(std::size_t side) const
    {
        return m_sides[side].axisStep[m_sides[side].curve->peakStep()];
    }
    [[nodiscard]] base::Bytes highestPeak() const;
    /// What two recordings hold at their peaks.
    [[nodiscard]] TraceDiff diffOfPeaks(std::size_t a, std::size_t b, LiveBy by) const;

private:
    friend base::Result<std::shared_ptr<const Comparison>>
    compareDevices(std::vector<ComparedDevice> devices, Axis axis, const base::JobContext& job);
    Comparison(PhaseAxis phases, Axis axis) : m_phases{std::move(phases)}, m_axis{axis} {}

    void addSide(std::size_t side, ComparedDevice device);
    void buildGround();
    [[nodiscard]] timeline::Times mergeSteps();

    PhaseAxis m_phases;
    Axis m_axis;
    std::vector<Side> m_sides;
    timeline::TimelinePtr m_ground;
};

using ComparisonPtr = std::shared_ptr<const Comparison>;

/// From 1 to kMostCompared devices, in order; events are counted if a recording has no times.
/// Cancelled if stopped.
[[nodiscard]] base::Result<ComparisonPtr>
compareDevices(std::vector<ComparedDevice> devices, Axis axis, const base::JobContext& job = {});

} // namespace plimsoll::memtrace
