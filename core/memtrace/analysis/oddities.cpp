// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/oddities.h"

#include <map>

namespace plimsoll::memtrace {

std::string oddityText(const std::string& name)
{
    static const std::map<std::string, std::string> kTexts = {
        {"frees_without_allocation", "frees of blocks that were allocated before the recording"},
        {"active_without_event", "blocks that live from before the recording to its end"},
        {"frees_of_freed_blocks", "frees of blocks that had been freed; they are left out"},
        {"allocations_of_live_blocks", "allocations where a block was live; that block ends there"},
        {"times_going_back", "events earlier than the one before; the order of the file counts"},
        {"releases_of_released_segments", "releases of segments that had been released"},
        {"segments_missing_at_end", "segments that the state at the end doesn't have"},
        {"sizes_that_differ_at_end", "blocks of another size at the end than when allocated"},
        {"overlapping_ranges_at_end", "segments or blocks that overlap at the end; left out"},
        {"annotations_without_begin", "annotations that end without having begun"}};
    const auto at = kTexts.find(name);
    return at == kTexts.end() ? name : at->second;
}

} // namespace plimsoll::memtrace
