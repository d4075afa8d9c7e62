// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/wire_activity.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::capture {

/// Something the recorder has to say, as one sentence.
struct Status
{
    wire::StatusCode code{};
    wire::Severity severity{};
    int detail = 0;
    std::string text;

    bool operator==(const Status&) const = default;
};

/// Chunks that were written to their end and aren't what was written any more. They are left out.
struct Damage
{
    std::uint64_t chunks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t firstAt = 0; ///< byte at which the first one begins
    bool isAtEnd = false;      ///< the last chunk of the file is one

    bool operator==(const Damage&) const = default;
};

/// What one process's capture file holds. Records are in the order of the file, not of time: CUPTI
/// gives its buffers back as it likes.
struct Capture
{
    wire::Process process;
    std::vector<wire::Clock> clocks; ///< the first is that of the start
    std::vector<Status> statuses;
    wire::Drops drops;
    bool ended = false; ///< by itself; false: killed, or the file ended before

    std::vector<wire::Device> devices;
    std::vector<wire::Context> contexts;
    std::vector<wire::Memory> memory;
    std::vector<wire::Pool> pools;
    std::vector<wire::Mapping> mappings;
    std::vector<wire::Kernel> kernels;
    std::vector<wire::Copy> copies;
    std::vector<wire::Fill> fills;
    std::vector<wire::Call> calls;
    std::vector<wire::Marker> markers;
    std::vector<wire::ExternalId> externalIds;

    std::vector<std::string> texts{std::string{}}; ///< by id
    std::uint64_t chunks = 0;
    std::uint64_t unknownRecords = 0; ///< of kinds that a later version writes
    std::uint64_t leftOver = 0;       ///< bytes behind the last complete chunk
    Damage damage;

    /// Records that nobody took in time.
    [[nodiscard]] std::uint64_t lostRecords() const
    {
        return drops.byCupti + drops.byRecorder + drops.mappings;
    }
    /// The program was killed, or left without its exit handlers: not that the file had no room, or
    /// that its end is damaged.
    [[nodiscard]] bool wasKilled() const
    {
        return !ended && !damage.isAtEnd
               && std::ranges::none_of(statuses, [](const Status& status) {
                      return status.code == wire::StatusCode::FileEnded;
                  });
    }
    /// Empty for 0 and for ids that the file hasn't.
    [[nodiscard]] std::string_view text(std::uint32_t id) const
    {
        return id < texts.size() ? std::string_view{texts[id]} : std::string_view{};
    }
};

} // namespace plimsoll::capture
