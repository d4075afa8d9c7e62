// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::cli {

/// What is checked on each GPU, in the order of the rows.
namespace check {
inline constexpr std::string_view kDevice = "device";
inline constexpr std::string_view kAllocations = "allocations";
inline constexpr std::string_view kPool = "pool";
inline constexpr std::string_view kPinned = "pinned";
inline constexpr std::string_view kVirtual = "virtual-memory";
inline constexpr std::string_view kCopies = "copies";
inline constexpr std::string_view kFills = "fills";
inline constexpr std::string_view kKernels = "kernels";
inline constexpr std::string_view kHeld = "held-bytes";
inline constexpr std::string_view kOrder = "order";
inline constexpr std::string_view kNothingElse = "nothing-else";
/// Of the whole recording, not of one GPU.
inline constexpr std::string_view kRecording = "recording";
inline constexpr std::array kAll{kRecording, kDevice, kAllocations, kPool, kPinned, kVirtual,
                                 kCopies,    kFills,  kKernels,     kHeld, kOrder,  kNothingElse};
} // namespace check

enum class CallKind : std::uint8_t {
    Allocate = 1, ///< address, bytes
    Free = 2,     ///< address, bytes
    Reserve = 3,  ///< address, bytes
    FreeRange = 4,
    Create = 5, ///< handle, bytes
    Release = 6,
    Map = 7, ///< address, bytes, handle
    Unmap = 8,
    Copy = 9, ///< bytes; handle: CUPTI's kind of copy
    Fill = 10,
    Launch = 11,
};

/// A call that has succeeded.
struct Step
{
    std::string check; ///< which row it belongs to
    CallKind action{};
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t handle = 0;

    bool operator==(const Step&) const = default;
};

/// Why a row can't be compared.
struct Obstacle
{
    bool isUnsupported = false; ///< by the GPU, so that nothing is wrong; false: a call has failed
    std::string why;

    bool operator==(const Obstacle&) const = default;
};

struct DeviceWork
{
    int device = 0; ///< ordinal
    std::string name;
    int major = 0; ///< compute capability
    int minor = 0;
    std::vector<Step> steps; ///< in the order of the calls
    std::map<std::string, Obstacle> obstacles;

    bool operator==(const DeviceWork&) const = default;
};

/// What the program that was recorded did, by its own account.
struct Journal
{
    std::string noGpu;     ///< why there was nothing to do; empty: there was
    int driverVersion = 0; ///< 13020: CUDA 13.2
    std::vector<DeviceWork> devices;

    /// The devices are those of tests/stand_in_gpu, which calls them so.
    [[nodiscard]] bool isOfStandIn() const;
    bool operator==(const Journal&) const = default;
};

[[nodiscard]] std::string journalText(const Journal& journal);
/// An error of kind Internal if the text is no journal.
[[nodiscard]] base::Result<Journal> readJournal(std::string_view text);

} // namespace plimsoll::cli
