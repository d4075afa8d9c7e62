// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/solve_pack.h"

#include "tests/support/random.h"

namespace plimsoll::tests {

/// At least `count` buffers that fill `height` at all times, so that there is no room to waste:
/// buffers that end make room for others that begin at that time. Often no packing has that height.
[[nodiscard]] inline solve::PackBuffers fullBuffers(Random& random, std::size_t count, int height)
{
    constexpr int kEnd = 1000;
    solve::PackBuffers buffers;
    const auto fill = [&](int time, std::int64_t room) {
        for (; room > 0; room -= buffers.back().size)
            buffers.push_back(
                {time, kEnd,
                 buffers.size() + 1 >= count ? room : random.between(1, static_cast<int>(room))});
    };
    fill(0, height);
    for (int time = 1; buffers.size() < count; ++time) {
        std::int64_t freed = 0;
        for (solve::PackBuffer& buffer : buffers)
            if (buffer.upper == kEnd && random.percent(40)) {
                buffer.upper = time;
                freed += buffer.size;
            }
        fill(time, freed);
    }
    return buffers;
}

/// Full buffers for which no packing reaches the live sum, which has to be proved. The solver under
/// test selects them, so a comparison must prove their height independently.
[[nodiscard]] inline solve::PackBuffers tightBuffers(Random& random, std::size_t count, int height)
{
    for (;;) {
        solve::PackBuffers buffers = fullBuffers(random, count, height);
        const base::Result<solve::PackAnswer> answer = solve::solvePack(buffers, {}, {});
        if (answer && answer->height > height)
            return buffers;
    }
}

} // namespace plimsoll::tests
