// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/live.h"

namespace plimsoll::plan {

std::vector<Live> liveAt(const Evaluation& evaluation, std::size_t step)
{
    const timeline::Timeline& timeline = *evaluation.timeline;
    const Schedule& schedule = *evaluation.schedule;
    std::vector<Live> alive;
    for (const std::uint32_t index : timeline.aliveAt(step)) {
        const timeline::Interval& interval = timeline.intervals()[index];
        Live live;
        live.bytes = interval.bytes;
        live.category = static_cast<timeline::Category>(interval.layer);
        live.since = interval.begin;
        live.until = interval.end;
        if (interval.origin < schedule.instances.size()) { // the reserve comes after them
            const Instance& instance = schedule.instances[interval.origin];
            live.storage = instance.storage;
            if (instance.alloc >= 0)
                live.maker = schedule.steps[static_cast<std::size_t>(instance.alloc)].op;
            live.recomputed = instance.region >= 0;
        }
        alive.push_back(live);
    }
    return alive;
}

} // namespace plimsoll::plan
