// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/device_columns.h"
#include "core/memtrace/hashes.h"
#include "core/memtrace/step_curve.h"

#include <cstddef>
#include <map>
#include <tsl/robin_set.h>
#include <vector>

namespace plimsoll::memtrace {

/// A range of addresses, not empty and within 63 bits.
struct AddressRange
{
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Follows which addresses a device has reserved, as events tell it one after the other. What they
/// release without having reserved it was reserved before the recording.
class SegmentHistory
{
public:
    /// `segment` has everything but its begin and end.
    void reserve(EventIndex event, Segment segment);
    /// False: there was nothing that could have been released.
    bool release(EventIndex event, const AddressRange& range, PlaceId place);

    /// What is reserved at the end, sorted by address: completes what was there before the
    /// recording and ends what isn't there any more, at the last event. Returns the number of
    /// segments that had to be ended.
    std::size_t finish(const std::vector<Segment>& atEnd, EventIndex eventCount);
    /// Sorted by begin.
    [[nodiscard]] std::vector<Segment> take() &&;

private:
    using Live = std::map<std::uint64_t, std::size_t>; ///< by address: index of m_segments

    /// Divides live segments so that one begins at this address if any contains it.
    void splitAt(std::uint64_t address);
    /// The parts of a range that no live segment covers.
    [[nodiscard]] std::vector<AddressRange> gapsIn(const AddressRange& range) const;
    void addBefore(const AddressRange& range, Segment segment, EventIndex end);

    std::vector<Segment> m_segments;
    Live m_live;
    tsl::robin_set<std::uint64_t, AddressHash> m_seen; ///< where segments began
};

/// Reserved bytes by step of DeviceTrace::axisTimes().
[[nodiscard]] StepCurve reservedCurve(const std::vector<Segment>& segments);

} // namespace plimsoll::memtrace
