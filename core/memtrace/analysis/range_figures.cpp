// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/range_figures.h"

namespace plimsoll::memtrace {

RangeFigures rangeFigures(const DeviceTrace& device, std::size_t first, std::size_t last)
{
    RangeFigures figures;
    const Allocations& allocations = device.allocations();
    // Step i + 1 follows event i.
    for (std::size_t step = first; step < last; ++step) {
        const auto event = static_cast<EventIndex>(step);
        const std::uint32_t subject = device.subject(event);
        if (device.action(event) == Action::Alloc)
            ++figures.allocations;
        else if (device.action(event) <= Action::Free && subject != kNone
                 && allocations.freeEvent[subject] == event)
            ++figures.frees;
    }
    return figures;
}

} // namespace plimsoll::memtrace
