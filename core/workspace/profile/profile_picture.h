// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/memtrace/analysis/address_layout.h"
#include "core/memtrace/analysis/layering.h"
#include "core/memtrace/analysis/segment_changes.h"
#include "core/memtrace/build_timeline.h"
#include "core/memtrace/filter/filter.h"
#include "core/memtrace/memory_trace.h"
#include "core/workspace/waterfall/compared_step.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::workspace {

/// The plot below that of active memory.
enum class LowerPlot : std::uint8_t { Addresses, Blocks };
inline constexpr std::size_t kLowerPlotCount = 2;
/// "addresses", "blocks".
[[nodiscard]] const char* lowerPlotName(LowerPlot plot);
[[nodiscard]] std::optional<LowerPlot> findLowerPlot(std::string_view name);

/// What the user has chosen to see of a profile.
struct ProfileSettings
{
    std::optional<int> device; ///< ordinal; none: the device with the highest peak
    memtrace::Axis axis = memtrace::Axis::Time;
    memtrace::Grouping grouping = memtrace::Grouping::Class;
    LowerPlot lower = LowerPlot::Addresses;
    memtrace::Filter filter;
    std::shared_ptr<const ComparedStep> graph; ///< of the model, for names; null: none

    bool operator==(const ProfileSettings&) const = default;
};

/// A device of a profile as it is drawn. Immutable.
struct ProfilePicture
{
    memtrace::MemoryTracePtr recorded;
    memtrace::MemoryTracePtr trace; ///< with what the graph knows of it
    ProfileSettings settings;
    std::size_t deviceIndex = 0; ///< in MemoryTrace::devices()
    memtrace::AllocationFacts facts;
    memtrace::Layering layering;    ///< of the timeline
    timeline::TimelinePtr timeline; ///< of all the device's allocations
    memtrace::AddressLayout layout;
    memtrace::SegmentChanges segmentChanges;
    base::Bytes matchingAtPeak;           ///< bytes at the timeline's peak that the filter keeps
    waterfall::NamedAllocationsPtr names; ///< from the graph; null: there is none, or see the next
    std::string graphFault;               ///< why the graph tells nothing: a sentence

    [[nodiscard]] const memtrace::DeviceTrace& device() const
    {
        return trace->devices()[deviceIndex];
    }
    /// What the graph tells of an allocation.
    [[nodiscard]] std::optional<waterfall::ToldAllocation> told(std::size_t allocation) const
    {
        return names && names->isKnown(allocation) ? std::optional{names->told(allocation)}
                                                   : std::nullopt;
    }
    /// What is looked at before anyone chooses a moment: the last allocation that failed, else the
    /// peak.
    [[nodiscard]] std::size_t mainStep() const
    {
        const std::vector<memtrace::OutOfMemory>& failures = device().outOfMemory();
        return failures.empty() ? timeline->peakStep() : failures.back().event + std::size_t{1};
    }
    [[nodiscard]] bool isFiltered() const { return !settings.filter.empty(); }
};
using ProfilePicturePtr = std::shared_ptr<const ProfilePicture>;

/// A device that the profile doesn't have is replaced by the one with the highest peak; the
/// picture's settings name the device. `last`: a picture of the same trace, or null; what both have
/// in common is taken from it. A graph that isn't of the model is no error. Fails where the filter
/// has a wrong term, and when it is stopped.
[[nodiscard]] base::Result<ProfilePicturePtr> profilePicture(memtrace::MemoryTracePtr trace,
                                                             ProfileSettings settings,
                                                             const base::JobContext& job,
                                                             const ProfilePicturePtr& last = {});

} // namespace plimsoll::workspace
