// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/random.h"
#include "tests/support/snapshots/generated_snapshot.h"

#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

namespace plimsoll::tests {

struct GeneratedEvent
{
    std::string_view action;
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::int64_t timeUs = 0;
    int stack = -1;            ///< -1: no frames
    bool sharesFrames = false; ///< the list of the event before
};

/// A device with blocks of a few sizes in segments, each of one size, whose events are passed on.
class GeneratedDevice
{
public:
    using Sink = std::function<void(const GeneratedEvent&)>;
    struct Block
    {
        std::int64_t requested = 0; ///< 0: idle
        int stack = 0;
    };
    struct Segment
    {
        std::int64_t bytes = 0; ///< reserved so far
        std::int64_t blockBytes = 0;
        std::map<std::uint64_t, Block> blocks;
    };

    explicit GeneratedDevice(const GeneratedSnapshot& snapshot);

    void run(const Sink& sink);

    [[nodiscard]] const std::map<std::uint64_t, Segment>& segments() const { return m_segments; }
    [[nodiscard]] const GeneratedFacts& facts() const { return m_facts; }

private:
    static constexpr std::size_t kSizes = 12;
    struct Live
    {
        std::uint64_t segment = 0;
        std::uint64_t address = 0;
        std::int64_t requested = 0;
        bool isGhost = false;
    };

    void allocBlock(const Sink* sink);
    void freeBlock(const Sink& sink);
    [[nodiscard]] std::uint64_t placeOf(std::size_t size, const Sink* sink);
    void reserve(std::size_t size, const Sink* sink);
    void emit(const Sink& sink, GeneratedEvent event);

    GeneratedSnapshot m_snapshot;
    Random m_random;
    std::map<std::uint64_t, Segment> m_segments;
    std::array<std::vector<std::pair<std::uint64_t, std::uint64_t>>, kSizes> m_idle;
    std::array<std::uint64_t, kSizes> m_growing{}; ///< the expandable segment of a size
    std::vector<Live> m_live;
    std::size_t m_ghosts = 0; ///< live and never to be freed: the first ones
    std::uint64_t m_nextAddress = 0x7f2000000000;
    std::int64_t m_timeUs = 1'780'000'000'000'000;
    std::int64_t m_bytes = 0;
    std::int64_t m_reserved = 0;
    GeneratedFacts m_facts;
};

} // namespace plimsoll::tests
