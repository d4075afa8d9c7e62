// SPDX-License-Identifier: Apache-2.0
// allocator_check SETTINGS DEVICE_BYTES < EVENTS: replays what one device's allocator was asked
// for.
//
// EVENTS has a line for each: "alloc BLOCK BYTES STREAM POOL", "request BLOCK" and "complete BLOCK"
// (free_requested and free_completed of a snapshot), "full BYTES STREAM POOL" (an allocation that
// failed), "release" (torch.cuda.empty_cache()), "reset" (of the peaks), "peaks". For each "peaks"
// a line is printed: requested, allocated, active, reserved, inactive_split bytes, retries.
#include "core/allocator/allocator_replay.h"

#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <sstream>
#include <string>
#include <unordered_map>

namespace {

using plimsoll::allocator::AllocatorReplay;
using plimsoll::base::Bytes;

class Run
{
public:
    explicit Run(AllocatorReplay replay) : m_replay{std::move(replay)} {}

    /// False if the replay can't follow.
    [[nodiscard]] bool line(const std::string& text)
    {
        std::istringstream words{text};
        std::string what;
        words >> what;
        if (what == "alloc") {
            const std::string block = next(words);
            const auto handle = allocated(words);
            if (handle)
                m_handles[block] = *handle;
            return handle.has_value();
        }
        if (what == "full")
            return !allocated(words);
        if (what == "request")
            m_replay.requestFree(m_handles.at(next(words)));
        else if (what == "complete")
            m_replay.completeFree(m_handles.at(next(words)));
        else if (what == "release")
            m_replay.releaseCached();
        else if (what == "reset")
            m_replay.resetPeaks();
        else if (what == "peaks")
            print();
        else
            return false;
        return true;
    }

private:
    static std::string next(std::istringstream& words)
    {
        std::string word;
        words >> word;
        return word;
    }
    std::optional<AllocatorReplay::Handle> allocated(std::istringstream& words)
    {
        std::int64_t bytes = 0;
        std::int64_t stream = 0;
        std::int64_t pool = 0;
        words >> bytes >> stream >> pool;
        return m_replay.allocate(Bytes{bytes}, stream, pool);
    }
    void print() const
    {
        const auto& peaks = m_replay.peaks();
        fmt::print("{} {} {} {} {} {}\n", peaks.requested.count(), peaks.allocated.count(),
                   peaks.active.count(), peaks.reserved.count(), peaks.inactiveSplit.count(),
                   m_replay.retries());
    }

    AllocatorReplay m_replay;
    std::unordered_map<std::string, AllocatorReplay::Handle> m_handles;
};

} // namespace

int main(int count, char** arguments)
{
    if (count != 3)
        return 2;
    const std::string_view device{arguments[2]};
    std::int64_t bytes = 0;
    std::from_chars(device.data(), device.data() + device.size(), bytes);
    auto settings = plimsoll::allocator::parseAllocatorSettings(arguments[1]);
    if (!settings) {
        fmt::print(stderr, "{}\n", settings.error().message);
        return 2;
    }
    Run run{AllocatorReplay{*std::move(settings), Bytes{bytes}}};
    std::string line;
    for (int number = 1; std::getline(std::cin, line); ++number) {
        if (!run.line(line)) {
            fmt::print(stderr, "line {}: {}: the replay can't follow\n", number, line);
            return 1;
        }
    }
    return 0;
}
