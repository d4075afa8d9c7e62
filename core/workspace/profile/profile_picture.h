// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/memtrace/analysis/address_layout.h"
#include "core/memtrace/analysis/layering.h"
#include "core/memtrace/build_timeline.h"
#include "core/memtrace/filter/filter.h"
#include "core/memtrace/memory_trace.h"

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

    bool operator==(const ProfileSettings&) const = default;
};

/// A device of a profile as it is drawn. Immutable.
struct ProfilePicture
{
    memtrace::MemoryTracePtr trace;
    ProfileSettings settings;
    std::size_t deviceIndex = 0; ///< in MemoryTrace::devices()
    memtrace::AllocationFacts facts;
    timeline::TimelinePtr timeline; ///< of all the device's allocations
    memtrace::AddressLayout layout;
    base::Bytes matchingAtPeak; ///< bytes at the timeline's peak that the filter keeps

    [[nodiscard]] const memtrace::DeviceTrace& device() const
    {
        return trace->devices()[deviceIndex];
    }
    [[nodiscard]] bool isFiltered() const { return !settings.filter.empty(); }
};
using ProfilePicturePtr = std::shared_ptr<const ProfilePicture>;

/// A device that the profile doesn't have is replaced by the one with the highest peak; the
/// picture's settings name the device. `last`: a picture of the same trace, or null; what both have
/// in common is taken from it. Fails where the filter has a wrong term, and when it is stopped.
[[nodiscard]] base::Result<ProfilePicturePtr> profilePicture(memtrace::MemoryTracePtr trace,
                                                             ProfileSettings settings,
                                                             const base::JobContext& job,
                                                             const ProfilePicturePtr& last = {});

} // namespace plimsoll::workspace
