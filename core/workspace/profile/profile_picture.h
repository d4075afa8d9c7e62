// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/memtrace/analysis/address_layout.h"
#include "core/memtrace/analysis/classify.h"
#include "core/memtrace/analysis/layering.h"
#include "core/memtrace/build_timeline.h"
#include "core/memtrace/memory_trace.h"

#include <memory>
#include <optional>
#include <string>

namespace plimsoll::workspace {

/// What the user has chosen to see of a profile.
struct ProfileSettings
{
    std::optional<int> device; ///< ordinal; none: the device with the highest peak
    memtrace::Axis axis = memtrace::Axis::Time;
    memtrace::Grouping grouping = memtrace::Grouping::Class;

    bool operator==(const ProfileSettings&) const = default;
};

/// A device of a profile as it is drawn. Immutable.
struct ProfilePicture
{
    memtrace::MemoryTracePtr trace;
    ProfileSettings settings;
    std::size_t deviceIndex = 0;    ///< in MemoryTrace::devices()
    memtrace::Classes classes;      ///< of the device's allocations
    timeline::TimelinePtr timeline; ///< of all its allocations
    memtrace::AddressLayout layout;

    [[nodiscard]] const memtrace::DeviceTrace& device() const
    {
        return trace->devices()[deviceIndex];
    }
};
using ProfilePicturePtr = std::shared_ptr<const ProfilePicture>;

/// A device that the profile doesn't have is replaced by the one with the highest peak; the
/// picture's settings name the device.
[[nodiscard]] base::Result<ProfilePicturePtr> profilePicture(memtrace::MemoryTracePtr trace,
                                                             ProfileSettings settings,
                                                             const base::JobContext& job);

} // namespace plimsoll::workspace
