// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/settings_replay.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace plimsoll::doctor {

namespace {

using allocator::AllocatorReplay;
using base::Bytes;
using memtrace::DeviceTrace;
using memtrace::EventIndex;
using memtrace::kNoEvent;

struct Option
{
    const char* name;
    const char* value;
};
/// Tried one at a time. Whoever has expandable segments already learns what they are worth.
constexpr std::array<Option, 9> kOptions{{
    {"expandable_segments", "True"},
    {"expandable_segments", "False"},
    {"max_split_size_mb", "64"},
    {"max_split_size_mb", "128"},
    {"max_split_size_mb", "256"},
    {"max_split_size_mb", "512"},
    {"roundup_power2_divisions", "4"},
    {"roundup_power2_divisions", "8"},
    {"roundup_power2_divisions", "16"},
}};
/// A replay of memory from before the recording can be off; by more it would tell nothing.
constexpr std::int64_t kMostOff = 10; ///< percent of what was reserved

class Replays
{
public:
    Replays(const DeviceTrace& device, TraceReplay& replay, const Moment& moment,
            const base::JobContext& context)
        : m_device{device}, m_replay{replay}, m_moment{moment}, m_context{context}
    {
    }

    /// False if it was stopped.
    bool recorded(SettingsReplay& found);
    bool others(SettingsReplay& found);

private:
    /// The last event that is replayed is the one before.
    [[nodiscard]] EventIndex end() const
    {
        return m_moment.failure ? m_moment.failure->event : kNoEvent;
    }
    [[nodiscard]] ReplayPlace place() const
    {
        return m_moment.failure ? m_replay.placeBefore(m_moment.failure->event) : ReplayPlace{};
    }
    /// Asks for what had failed. False if it fails.
    [[nodiscard]] bool ask(AllocatorReplay& allocator) const
    {
        return allocator.allocate(Bytes{m_moment.failure->askedBytes}, place().stream, place().pool)
            .has_value();
    }
    void judge(SettingsReplay& found, const Replayed& base) const;
    void judgeMemory(SettingsReplay& found, Bytes reserved) const;
    /// Whether the replay is in the recorded state, whatever decides about failures.
    [[nodiscard]] bool follows(const Replayed& base) const
    {
        return m_replay.allocatedBefore() == 0 && !base.differsAt;
    }
    [[nodiscard]] bool isNear(SettingsReplay& found, Bytes replayed) const;
    bool checkFailure(SettingsReplay& found);
    bool idleAtPeak(SettingsReplay& found);

    const DeviceTrace& m_device;
    TraceReplay& m_replay;
    const Moment& m_moment;
    const base::JobContext& m_context;
    std::size_t m_pass = 0;
    static constexpr int kPasses = static_cast<int>(kOptions.size()) + 3;

    std::optional<Replayed> run(const ReplayOptions& options)
    {
        const int index = std::min(static_cast<int>(m_pass++), kPasses - 1);
        return m_replay.run(options, m_context.piece(index, kPasses));
    }
};

/// What speaks against the recording's being complete.
void Replays::judge(SettingsReplay& found, const Replayed& base) const
{
    if (const std::size_t before = m_replay.allocatedBefore(); before > 0)
        found.doubts.push_back(fmt::format(
            "{} older than the recording, which doesn't tell in which order they were made",
            before == 1 ? "1 allocation is" : fmt::format("{} allocations are", before)));
    if (!found.recorded.doubt.empty())
        found.doubts.push_back(found.recorded.doubt);
    if (base.differsAt && m_replay.allocatedBefore() == 0)
        found.doubts.push_back(
            fmt::format("from event {} on, a replay with the recorded settings reserves other "
                        "bytes than were recorded",
                        m_device.recordedIndex(*base.differsAt)));
    if (const std::size_t unclear = m_replay.unclearReleases(); unclear > 0)
        found.doubts.push_back(
            fmt::format("it isn't recorded why cached memory was released{}: the device may have "
                        "been full, or the program may have called empty_cache()",
                        unclear == 1 ? std::string{} : fmt::format(" {} times", unclear)));
    if (m_moment.failure && !m_replay.hasOnePlace())
        found.doubts.push_back("the recording doesn't tell for which stream and pool the "
                               "allocation was that failed");
}

/// Memory, as far as it decides whether an allocation fails. `reserved`: just before it did.
void Replays::judgeMemory(SettingsReplay& found, Bytes reserved) const
{
    if (m_moment.failure->deviceFreeBytes < 0) {
        found.doubts.push_back("the recording doesn't tell how much memory the driver had left");
        return;
    }
    const Bytes free{m_moment.failure->deviceFreeBytes};
    found.limit = std::max(reserved + free, found.peakReserved);
    if (found.needed <= *found.limit && found.needed - reserved <= free) {
        found.limit = std::max(found.needed - Bytes{1}, found.peakReserved);
        found.doubts.push_back("the driver had enough free memory, so that something else limited "
                               "the program, such as set_per_process_memory_fraction()");
    }
}

bool Replays::recorded(SettingsReplay& found)
{
    auto base = m_replay.follow(found.recorded.settings, end(), limitOf(m_device, m_moment),
                                m_context.piece(0, kPasses));
    if (!base)
        return false;
    if (base->failedAt) {
        found.refusal = "no device has the memory that the recording allocates";
        return true;
    }
    judge(found, *base);
    const Bytes reserved = base->allocator.counters().reserved;
    if (!isNear(found, reserved))
        return true;
    found.peakReserved = base->allocator.peaks().reserved;
    found.peakOff = Bytes{std::abs((found.peakReserved - m_device.reserved().largest()).count())};
    found.needed = found.peakReserved;
    if (!m_moment.failure)
        return !follows(*base) || idleAtPeak(found);
    if (follows(*base))
        found.idle = idleMemory(base->allocator,
                                {m_moment.step, Bytes{m_moment.failure->askedBytes}, place()});
    if (!ask(base->allocator)) {
        found.refusal = "no device has as much memory as was asked for";
        return true;
    }
    found.needed = base->allocator.counters().reserved;
    judgeMemory(found, reserved);
    return checkFailure(found);
}

/// False, with the reason, if what the replay reserves is far from what was recorded.
bool Replays::isNear(SettingsReplay& found, Bytes replayed) const
{
    const std::size_t last = m_moment.failure ? m_moment.step : m_device.eventCount();
    const Bytes told = m_device.reserved().at(last);
    const std::int64_t off = std::abs((replayed - told).count());
    if (off <= told.count() / 100 * kMostOff)
        return true;
    found.refusal = fmt::format(
        "a replay with the recorded settings reserves {} where {} were recorded: {}",
        base::bytesText(replayed), base::bytesText(told),
        found.doubts.empty() ? std::string{"the recording isn't complete"} : found.doubts[0]);
    return false;
}

/// With the memory that there was, the failed allocation must be the first that fails.
bool Replays::checkFailure(SettingsReplay& found)
{
    auto limited = run({.settings = found.recorded.settings,
                        .device = *found.limit,
                        .end = end(),
                        .releases = Releases::OfProgram});
    if (!limited)
        return false;
    if (found.isExact() && (limited->failedAt || limited->freed > 0 || ask(limited->allocator)))
        found.doubts.push_back("with the memory that the device had, the replay doesn't fail where "
                               "the program did");
    return true;
}

bool Replays::idleAtPeak(SettingsReplay& found)
{
    auto then =
        run({.settings = found.recorded.settings, .end = static_cast<EventIndex>(m_moment.step)});
    if (!then)
        return false;
    found.idle = idleMemory(then->allocator, {m_moment.step, {}, {}});
    const Bytes reserved = then->allocator.counters().reserved;
    then->allocator.releaseCached();
    found.releasable = reserved - then->allocator.counters().reserved;
    return true;
}

bool Replays::others(SettingsReplay& found)
{
    m_pass = 3;
    for (const auto& [name, value] : kOptions) {
        const std::string text = withOption(found.recorded.text, name, value);
        const auto settings = allocator::parseAllocatorSettings(text);
        if (!settings || *settings == found.recorded.settings)
            continue;
        auto other = run({.settings = *settings,
                          .device = found.limit.value_or(kUnlimitedDevice),
                          .end = end(),
                          .releases = Releases::OfProgram});
        if (!other)
            return false;
        SettingsRun& one = found.runs.emplace_back();
        one.option = fmt::format("{}:{}", name, value);
        one.settings = text;
        one.failedAt = other->failedAt;
        if (!one.failedAt && m_moment.failure && !ask(other->allocator))
            one.failedAt = m_moment.failure->event;
        one.peakReserved = other->allocator.peaks().reserved;
        one.reserved = m_moment.failure ? other->allocator.counters().reserved : one.peakReserved;
    }
    return true;
}

} // namespace

std::optional<Bytes> limitOf(const DeviceTrace& device, const Moment& moment)
{
    if (!moment.failure || moment.failure->deviceFreeBytes < 0)
        return std::nullopt;
    return device.reserved().at(moment.step) + Bytes{moment.failure->deviceFreeBytes};
}

std::optional<SettingsReplay> replaySettings(const memtrace::MemoryTrace& trace,
                                             const DeviceTrace& device, TraceReplay& replay,
                                             const Moment& moment, const base::JobContext& context)
{
    SettingsReplay found;
    if (device.ordinal() < 0 || device.segments().empty() || trace.isOfDriver()) {
        found.refusal = device.ordinal() < 0
                            ? "pinned host memory has an allocator of its own"
                            : "the recording doesn't show what PyTorch's allocator did";
        return found;
    }
    if (moment.failure && moment.failure->askedBytes <= 0) {
        found.refusal = "the recording doesn't tell what was asked for";
        return found;
    }
    found.recorded = recordedSettings(trace);
    Replays replays{device, replay, moment, context};
    if (!replays.recorded(found))
        return std::nullopt;
    if (found.refusal.empty() && !replays.others(found))
        return std::nullopt;
    return found;
}

} // namespace plimsoll::doctor
