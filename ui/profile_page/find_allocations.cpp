// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/find_allocations.h"

#include "core/memtrace/filter/text_pattern.h"

namespace plimsoll::ui {

base::Result<std::vector<std::size_t>> findAllocations(const workspace::ProfilePicture& picture,
                                                       const QString& query,
                                                       const base::JobContext& job)
{
    const std::vector<bool> stacks = memtrace::stacksWithFrame(
        picture.trace->stacks(), memtrace::TextPattern::fromQuery(query.toStdString()));
    if (job.stopRequested())
        return base::cancelled();
    std::vector<std::size_t> hits;
    const memtrace::Allocations& allocations = picture.device().allocations();
    for (const timeline::Interval& interval : picture.timeline->intervals())
        if (stacks[allocations.stack[interval.origin]])
            hits.push_back(interval.origin);
    return hits;
}

} // namespace plimsoll::ui
