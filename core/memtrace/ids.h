// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

#include <cstdint>
#include <limits>

namespace plimsoll::memtrace {

/// Position of an event among those of its device, in the order of the recording. A free that was
/// requested and completed at once is one event; DeviceTrace::recordedIndex() counts it twice.
using EventIndex = std::uint32_t;
/// Before the recording, or never within it.
inline constexpr EventIndex kNoEvent = std::numeric_limits<EventIndex>::max();
/// Of an allocation: not recorded. It has no place on an address map.
inline constexpr std::uint64_t kNoAddress = 0;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

using TextId = base::Id<struct TextTag>;             ///< StackTable::text(); 0 is the empty text
using FrameId = base::Id<struct FrameTag>;           ///< StackTable::frame()
using StackId = base::Id<struct StackTag>;           ///< StackTable::stack(); 0 is the empty stack
using AllocationId = base::Id<struct AllocationTag>; ///< DeviceTrace::allocations()
using SegmentId = base::Id<struct SegmentTag>;       ///< DeviceTrace::segments()
using PlaceId = std::uint16_t;                       ///< DeviceTrace::places()

} // namespace plimsoll::memtrace
