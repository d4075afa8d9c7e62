// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/memtrace/device_trace.h"

#include <optional>
#include <vector>

namespace plimsoll::memtrace {

/// What each event of a segment reserved or gave back.
class SegmentChanges
{
public:
    struct Change
    {
        std::uint64_t address = 0; ///< the lowest
        base::Bytes bytes;
    };

    SegmentChanges() = default;
    explicit SegmentChanges(const DeviceTrace& device);

    /// None: it is no event of a segment, or nothing is known that it changed.
    [[nodiscard]] std::optional<Change> at(EventIndex event) const;

private:
    struct Entry
    {
        EventIndex event = 0;
        Change change;
    };
    std::vector<Entry> m_entries; ///< sorted by event, one of each
};

} // namespace plimsoll::memtrace
