// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace plimsoll::tests {

/// A recording of a device that is made up: like those of training steps in how events, frames and
/// texts are written and shared. Equal on every machine.
struct GeneratedSnapshot
{
    std::uint64_t seed = 1;
    std::uint64_t events = 100'000; ///< at least
    int fewestFrames = 32;          ///< of a stack
    int mostFrames = 66;
    int stacks = 200;
    bool hasNativeFrames = false; ///< stacks="all": C++ frames between those of Python
    bool hasTimes = true;         ///< events tell when they were
    bool isExpandable = false;    ///< segments are mapped piece by piece
    int liveBlocks = 2'000;       ///< about as many
    int ghosts = 200; ///< blocks from before the recording; a third of them is freed in it
};

/// What the simulation that made the recording counted.
struct GeneratedFacts
{
    std::uint64_t events = 0;
    std::int64_t initialBytes = 0; ///< requested, as the next two
    std::int64_t peakBytes = 0;
    std::int64_t endBytes = 0;
    std::int64_t peakReservedBytes = 0;
    std::int64_t endReservedBytes = 0;
};

} // namespace plimsoll::tests
