// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/torch_snapshot/pickle_value.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace plimsoll::readers::torch_snapshot {

/// The keys and words of snapshots, by their ids in PickleTexts.
namespace word {
enum Id : std::uint32_t {
    Segments,
    DeviceTraces,
    AllocatorSettings,
    ExternalAnnotations,
    HostSegments,
    HostTraces,
    Overflowed,
    MaxEntries,

    Action,
    Addr,
    Size,
    Stream,
    TimeUs,
    Frames,
    CompileContext,
    UserMetadata,
    InternalMetadata,
    Category,
    PoolId,
    DeviceFree,

    Alloc,
    Free,
    FreeRequested,
    FreeCompleted,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    Snapshot,
    Oom,
    Annotate,

    Device,
    Address,
    TotalSize,
    SegmentType,
    Large,
    SegmentPoolId,
    IsExpandable,
    Blocks,

    RequestedSize,
    State,
    ActiveAllocated,
    ActivePendingFree,
    ActiveAwaitingFree,
    Inactive,
    History,
    RealSize,

    Filename,
    Line,
    Name,
    FxNodeOp,
    FxNodeName,
    FxNodeTarget,
    FxOriginalTrace,

    Stage,
    Start,
    End,
    NotAvailable,
    Nothing,

    Count,
};
} // namespace word

/// The id of a word, such as an action; word::Nothing if the value is no text.
[[nodiscard]] inline std::uint64_t wordOf(const PickleValue& value)
{
    return value.is(PickleKind::Text) ? value.data : std::uint64_t{word::Nothing};
}

/// The texts of the above, in their order.
[[nodiscard]] const std::vector<std::string_view>& keyTexts();

} // namespace plimsoll::readers::torch_snapshot
