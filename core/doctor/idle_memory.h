// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/doctor/trace_replay.h"
#include "core/memtrace/device_trace.h"

#include <cstdint>
#include <optional>

namespace plimsoll::doctor {

/// How the idle blocks at a moment are known.
enum class IdleKnown : std::uint8_t {
    State,  ///< the recording has its blocks
    Replay, ///< a replay that reserves what the recording says, at each event
    Layout, ///< the gaps between live allocations: up to 1 MiB behind a large one may be part of
            ///< its block, and isn't idle then
};
/// "state", "replay", "layout".
[[nodiscard]] const char* idleKnownName(IdleKnown known);

/// Memory that is reserved, and in no block that is in use.
struct IdleMemory
{
    IdleKnown known = IdleKnown::State;
    base::Bytes bytes;
    std::size_t blocks = 0;
    base::Bytes largest;
    /// In blocks that are each smaller than what was asked for: what fragmentation cost.
    base::Bytes tooSmall;
    std::size_t tooSmallBlocks = 0;
    /// In blocks that are large enough, but of another stream or pool.
    base::Bytes elsewhere;
};

/// Counts idle blocks for a request; without one all are large enough.
class IdleCount
{
public:
    IdleCount(IdleKnown known, std::optional<base::Bytes> asked, const ReplayPlace& place)
        : m_asked{asked}, m_place{place}
    {
        m_idle.known = known;
    }
    void add(base::Bytes bytes, const ReplayPlace& place, bool isSmall);
    [[nodiscard]] const IdleMemory& idle() const { return m_idle; }

private:
    std::optional<base::Bytes> m_asked;
    ReplayPlace m_place;
    IdleMemory m_idle;
};

/// A moment of a recording and what was asked for then, if anything.
struct IdleQuery
{
    std::size_t step = 0; ///< of DeviceTrace::axisTimes()
    std::optional<base::Bytes> asked;
    ReplayPlace place;
};

/// From the state at the end, if nothing changed after the step, else from the addresses of
/// segments and live allocations. Nothing if the recording has no segments.
[[nodiscard]] std::optional<IdleMemory>
idleMemory(const memtrace::DeviceTrace& device, const TraceReplay& replay, const IdleQuery& query);
/// From a replay that is in the state of that moment.
[[nodiscard]] IdleMemory idleMemory(const allocator::AllocatorReplay& state,
                                    const IdleQuery& query);

} // namespace plimsoll::doctor
