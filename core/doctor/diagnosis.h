// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/rounding.h"
#include "core/doctor/error_message.h"
#include "core/doctor/settings_replay.h"
#include "core/memtrace/analysis/live_groups.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::doctor {

/// How the bytes of a remedy are known.
enum class HowKnown : std::uint8_t {
    Replay,   ///< an exact replay of the recorded allocations
    Plan,     ///< a verified plan
    Live,     ///< counted
    Estimate, ///< the text says why
};
/// "replay", "plan", "live", "estimate".
[[nodiscard]] const char* howKnownName(HowKnown known);

/// For what the bytes of a remedy are enough.
enum class Enough : std::uint8_t {
    NotKnown,   ///< or for nothing
    Allocation, ///< for the one that failed; what comes after it isn't recorded
    Step,       ///< for the whole step
};
/// "allocation", "step"; null: not known.
[[nodiscard]] const char* enoughName(Enough enough);

struct Remedy
{
    std::string id;   ///< "expandable_segments", for machines
    std::string text; ///< what to do and why it helps, for people
    /// By how much less memory would do, or how much more there would be; none where that can't be
    /// computed.
    std::optional<base::Bytes> saves;
    std::optional<base::Bytes> atMost; ///< a bound for it, where only that is known
    HowKnown known = HowKnown::Estimate;
    Enough enough = Enough::NotKnown;
    bool givesMore = false; ///< there is more memory; the program needs no less
};

/// Why an allocation failed, or what a profile holds at its peak, and what would help.
struct Diagnosis
{
    bool isFailure = false;
    /// Before the step's backward pass: forward would have gone on to allocate.
    bool failsInForward = false;

    /// Whether it isn't known what the whole step needs: see kFailsInForward.
    [[nodiscard]] bool isStepUnknown() const;
    /// Of a recording: MemoryTrace::isOfDriver(). Then nothing is known of reserved or idle memory.
    bool isOfDriver = false;
    bool hasWholeBlocks = false;  ///< `live` are bytes of blocks: MemoryTrace::hasWholeBlocks()
    std::optional<int> device;    ///< ordinal
    std::optional<Moment> moment; ///< of a recording
    std::optional<ErrorMessage> message;

    std::optional<ToldBytes> asked;
    std::optional<ToldBytes> free;     ///< according to the driver
    std::optional<ToldBytes> capacity; ///< of the device
    std::optional<ToldBytes> reserved;
    /// Of a recording: as requested, unless hasWholeBlocks. Of a message: what it calls allocated.
    std::optional<ToldBytes> live;
    std::optional<ToldBytes> idle;
    /// What blocks in use have beyond `live`: reserved less live and idle. Of a recording.
    std::optional<ToldBytes> beyond;
    /// What the process holds on the device outside PyTorch's allocator, if that is known.
    std::optional<ToldBytes> foreign;
    /// What the device has in use for anything but this process. Of a message.
    std::optional<ToldBytes> otherProcesses;
    /// Of a message that doesn't tell both apart: `foreign` and `otherProcesses` together.
    std::optional<ToldBytes> outside;
    /// What was missing to reserve memory for the request.
    std::optional<ToldBytes> missing;
    std::optional<IdleMemory> idleBlocks; ///< of a recording

    std::optional<memtrace::LiveGroups> byClass;
    std::optional<memtrace::LiveGroups> byFrame;
    std::optional<SettingsReplay> replay;
    std::vector<Remedy> remedies; ///< sufficient ones first, those that save most first
    /// Of a message: what its figures leave open or where they contradict each other, a sentence
    /// each.
    std::vector<std::string> notes;
};

/// What is said where Diagnosis::isStepUnknown().
inline constexpr std::string_view kFailsInForward =
    "It failed in the forward pass: how much the rest of the step needs isn't recorded. A traced "
    "graph of the model tells it.";

/// What PyTorch's allocator could have on the device when an allocation failed: a lower bound where
/// figures are rounded; none if that isn't known.
[[nodiscard]] std::optional<base::Bytes> usableMemory(const Diagnosis& diagnosis);

/// How a saving is rounded where it is shown: to nearest, like the bytes beside it, unless it would
/// then look like what is missing and isn't enough.
[[nodiscard]] base::Rounding savingRounding(const Diagnosis& diagnosis, const Remedy& remedy);

} // namespace plimsoll::doctor
