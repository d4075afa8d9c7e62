// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/torch_snapshot/pickle_value.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace plimsoll::readers::torch_snapshot {

/// The keys and words of snapshots, by their ids in PickleTexts.
enum Key : std::uint32_t {
    kSegments,
    kDeviceTraces,
    kAllocatorSettings,
    kExternalAnnotations,
    kHostSegments,
    kHostTraces,
    kOverflowed,
    kMaxEntries,

    kAction,
    kAddr,
    kSize,
    kStream,
    kTimeUs,
    kFrames,
    kCompileContext,
    kUserMetadata,
    kInternalMetadata,
    kCategory,
    kPoolId,
    kDeviceFree,

    kAlloc,
    kFree,
    kFreeRequested,
    kFreeCompleted,
    kSegmentAlloc,
    kSegmentFree,
    kSegmentMap,
    kSegmentUnmap,
    kSnapshot,
    kOom,
    kAnnotate,

    kDevice,
    kAddress,
    kTotalSize,
    kSegmentType,
    kLarge,
    kSegmentPoolId,
    kIsExpandable,
    kBlocks,

    kRequestedSize,
    kState,
    kActiveAllocated,
    kActivePendingFree,
    kActiveAwaitingFree,
    kInactive,
    kHistory,
    kRealSize,

    kFilename,
    kLine,
    kName,
    kFxNodeOp,
    kFxNodeName,
    kFxNodeTarget,
    kFxOriginalTrace,

    kStage,
    kStart,
    kEnd,
    kNotAvailable,
    kNothing,

    kKeyCount,
};

/// The id of a word, such as an action; kNothing if the value is no text.
[[nodiscard]] inline std::uint64_t wordOf(const PickleValue& value)
{
    return value.is(PickleKind::Text) ? value.data : std::uint64_t{kNothing};
}

/// The texts of the above, in their order.
[[nodiscard]] const std::vector<std::string_view>& keyTexts();

} // namespace plimsoll::readers::torch_snapshot
