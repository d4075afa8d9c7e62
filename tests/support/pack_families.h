// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/solve_pack.h"

#include "tests/support/random.h"

namespace plimsoll::tests {

/// Buffers that fill `height` at all times, so that there is no room to waste: what ends at a time
/// makes room for others that begin then. At least `count`; often no packing has that height.
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

/// Full buffers that no packing of their live sum has room for: that must be proven. The solver
/// under test picks them, whoever compares it proves their height independently.
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
