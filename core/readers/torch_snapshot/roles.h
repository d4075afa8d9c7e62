// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/torch_snapshot/pickle_value.h"

#include <cstdint>

namespace plimsoll::readers::torch_snapshot {

/// What a list or dict of a snapshot is, known from where it stands.
enum class Role : std::uint8_t {
    Any, ///< frames, a frame, or nothing that is read
    Root,
    Traces, ///< a list of events for each device
    Events, ///< tag: the device, see tagOf()
    Event,  ///< likewise
    Segments,
    HostSegments,
    Segment,
    HostSegment,
    Blocks,
    Block,
    History,   ///< of a block in files of torch 2.0 and older
    LastOwner, ///< its first item
    FormerOwner,
    Annotations,
    Annotation,
    Settings,
    SettingGroup, ///< a dict or list; upper data: its name, a text id
};

/// The lower half of a container's data: how many items a list has, which pending items a dict.
[[nodiscard]] constexpr std::uint32_t lowerOf(std::uint64_t data)
{
    return static_cast<std::uint32_t>(data);
}
[[nodiscard]] constexpr std::uint32_t upperOf(std::uint64_t data)
{
    return static_cast<std::uint32_t>(data >> 32U);
}
[[nodiscard]] constexpr std::uint64_t joined(std::uint64_t upper, std::uint64_t lower)
{
    return upper << 32U | lower;
}

/// Devices in tags.
inline constexpr int kHost = -1;
inline constexpr std::uint64_t kMostDevices = 4096;
[[nodiscard]] constexpr std::uint16_t tagOf(int device)
{
    return static_cast<std::uint16_t>(device + 1);
}
[[nodiscard]] constexpr int deviceOf(std::uint16_t tag)
{
    return static_cast<int>(tag) - 1;
}

[[nodiscard]] inline Role roleOf(const PickleValue& container)
{
    return static_cast<Role>(container.role);
}

/// Gives an empty list or dict the role that follows from the values before it. False: it belongs
/// to a device beyond kMostDevices.
[[nodiscard]] bool assignRole(PickleValue& container, const PickleStack& stack);

} // namespace plimsoll::readers::torch_snapshot
