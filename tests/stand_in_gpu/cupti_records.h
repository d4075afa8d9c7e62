// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/stand_in_gpu/gpu_events.h"

#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace plimsoll::stand_in {

/// The function that a client sees an event as.
struct Function
{
    CUpti_CallbackDomain domain = CUPTI_CB_DOMAIN_INVALID;
    CUpti_CallbackId id = 0;
    const char* name = "";
};
[[nodiscard]] Function functionOf(const StandInGpuEvent& event);

/// Bytes of a record of this kind in the version that the settings name; 0: no such kind.
[[nodiscard]] std::size_t recordBytes(CUpti_ActivityKind kind);

/// Whether the client has switched a kind on.
[[nodiscard]] bool isOn(CUpti_ActivityKind kind);

/// Nanoseconds since 1970.
[[nodiscard]] std::uint64_t nowInNanoseconds();
/// Records have times of this clock from now on, as a client asks for; null: nanoseconds.
void setClientClock(CUpti_TimestampCallbackFunc now);
/// Such a time on the clock that records have.
[[nodiscard]] std::uint64_t stampOf(std::uint64_t nanoseconds);

/// Adds the record of one kind that an event gives rise to.
void addMemory(const StandInGpuEvent& event, std::uint32_t correlation);
void addKernel(const StandInGpuEvent& event, std::uint32_t correlation);
void addCopy(const StandInGpuEvent& event, std::uint32_t correlation);
void addFill(const StandInGpuEvent& event, std::uint32_t correlation);
void addCall(const StandInGpuEvent& event, std::uint32_t correlation);
struct MarkerEvent
{
    const char* name = nullptr; ///< null at the end of a range
    std::uint32_t id = 0;
    CUpti_ActivityFlag flags = CUPTI_ACTIVITY_FLAG_NONE;
};
/// If markers are recorded.
void addMarker(const MarkerEvent& event);
void addContext(int device);
void addDevice(int device);
void addExternalId(CUpti_ExternalCorrelationKind kind, std::uint64_t id, std::uint32_t correlation);

} // namespace plimsoll::stand_in
