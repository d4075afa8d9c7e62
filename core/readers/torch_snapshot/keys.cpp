// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/keys.h"

#include <array>

namespace plimsoll::readers::torch_snapshot {

const std::vector<std::string_view>& keyTexts()
{
    using namespace std::string_view_literals;
    static constexpr std::array kTexts{
        "segments"sv,
        "device_traces"sv,
        "allocator_settings"sv,
        "external_annotations"sv,
        "host_segments"sv,
        "host_traces"sv,
        "trace_alloc_overflowed"sv,
        "trace_alloc_max_entries"sv,
        "action"sv,
        "addr"sv,
        "size"sv,
        "stream"sv,
        "time_us"sv,
        "frames"sv,
        "compile_context"sv,
        "user_metadata"sv,
        "internal_metadata"sv,
        "category"sv,
        "pool_id"sv,
        "device_free"sv,
        "alloc"sv,
        "free"sv,
        "free_requested"sv,
        "free_completed"sv,
        "segment_alloc"sv,
        "segment_free"sv,
        "segment_map"sv,
        "segment_unmap"sv,
        "snapshot"sv,
        "oom"sv,
        "annotate"sv,
        "device"sv,
        "address"sv,
        "total_size"sv,
        "segment_type"sv,
        "large"sv,
        "segment_pool_id"sv,
        "is_expandable"sv,
        "blocks"sv,
        "requested_size"sv,
        "state"sv,
        "active_allocated"sv,
        "active_pending_free"sv,
        "active_awaiting_free"sv,
        "inactive"sv,
        "history"sv,
        "real_size"sv,
        "filename"sv,
        "line"sv,
        "name"sv,
        "fx_node_op"sv,
        "fx_node_name"sv,
        "fx_node_target"sv,
        "fx_original_trace"sv,
        "stage"sv,
        "START"sv,
        "END"sv,
        "N/A"sv,
        ""sv,
    };
    static_assert(kTexts.size() == word::Count);
    static const std::vector<std::string_view> kAll{kTexts.begin(), kTexts.end()};
    return kAll;
}

} // namespace plimsoll::readers::torch_snapshot
