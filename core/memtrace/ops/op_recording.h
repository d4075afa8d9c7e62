// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/memtrace/ids.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::memtrace {

/// What a thread of the program ran for a while: an operator, or a range that the user named.
struct OpSpan
{
    std::int64_t begin = 0; ///< nanoseconds on the recording's clock, as the next
    std::int64_t end = 0;
    std::uint32_t thread = 0;     ///< any number that distinguishes threads
    std::uint32_t name = 0;       ///< in OpRecording::texts, as the next
    std::uint32_t shapes = 0;     ///< "64,8x64": of its tensors; 0: unknown
    bool isRange = false;         ///< named by the user
    std::uint32_t parent = kNone; ///< the innermost span around it; kNone: there is none
    /// Of what it launched itself on the device, not what spans within it launched.
    base::Nanoseconds deviceTime;
    std::uint32_t launches = 0;
};

/// Operators, and how long the GPU worked for each of them. Immutable once published.
struct OpRecording
{
    std::vector<std::string> texts; ///< the first is empty
    std::vector<OpSpan> spans;      ///< by begin, outer ones first
    int device = 0;                 ///< ordinal of the device whose times these are
    std::string deviceName;         ///< empty: not recorded
    std::int64_t epochNs = 0;       ///< of the first span, since 1970; 0: unknown
    /// Kernels, copies and fills of the device that no span launched.
    std::size_t untied = 0;
    base::Nanoseconds untiedTime;
    std::size_t unusable = 0;       ///< kernels, copies and fills whose duration is no number
    std::size_t onOtherDevices = 0; ///< work of other devices, which is left out
    bool hasShapes = false;

    [[nodiscard]] const std::string& nameOf(const OpSpan& span) const { return texts[span.name]; }
};

using OpRecordingPtr = std::shared_ptr<const OpRecording>;

} // namespace plimsoll::memtrace
