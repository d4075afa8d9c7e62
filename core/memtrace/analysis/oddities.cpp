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
        {"annotations_without_begin", "annotations that end without having begun"},
        {"events_of_other_types", "events that are no JSON objects; left out"},
        {"events_that_are_not_json", "events that are no JSON; left out"},
        {"incomplete_annotations", "annotations without a name or a time; left out"},
        {"incomplete_events", "events without what their kind needs; left out"},
        {"incomplete_segments", "segments without an address or a size; left out"},
        {"last_line_without_end", "last line that was not written to its end"},
        {"late_items", "items that were added to a list after its use; left out"},
        {"late_keys", "keys that were set after the use of what they belong to; left out"},
        {"left_over_bytes", "bytes at the end of the file that make no complete part; left out"},
        {"lost_records", "records that the recorder could not take in time"},
        {"mappings_of_other_memory", "mappings of memory whose creation was not recorded"},
        {"memory_of_other_kinds_of_devices", "events of other kinds of devices; left out"},
        {"memory_of_other_processes", "events of other processes; left out"},
        {"memory_of_unknown_kind", "events of memory of an unknown kind; left out"},
        {"ranges_left_out", "ranges without a name or an end; left out"},
        {"records_of_later_versions", "records of a later version; left out"},
        {"references_to_unfinished_values", "references to unfinished values; left out"},
        {"stacks_of_too_many_frames", "call stacks that were cut, as they are too long"},
        {"totals_below_events", "totals of allocated bytes below what the events add up to"},
        {"totals_that_differ", "totals of allocated bytes that differ from the events"},
        {"unknown_actions", "events of an unknown action"},
        {"unknown_block_states", "blocks in an unknown state; left out"},
        {"unknown_operations", "operations of an unknown kind; left out"},
        {"values_of_other_types", "values of another type than expected; left out"},
        {"values_out_of_range", "values that are out of range; left out"}};
    const auto at = kTexts.find(name);
    return at == kTexts.end() ? name : at->second;
}

bool isOddity(const std::string& name)
{
    return name != "frees_without_allocation" && name != "active_without_event";
}

} // namespace plimsoll::memtrace
