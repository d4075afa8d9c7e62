// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/timeline/builder.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plimsoll::tests {

inline constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// A training step: activations grow over the forward half and shrink over the backward half.
/// `keep` is the part of them that stays until it is needed, the rest is recomputed.
inline timeline::TimelinePtr sampleStep(std::size_t steps, double keep)
{
    using timeline::Category;
    const std::size_t half = steps / 2;
    const auto recomputed =
        static_cast<std::size_t>((1.0 - keep) * static_cast<double>(half) * 0.3);
    const std::size_t all = steps + recomputed;
    std::vector<base::Nanoseconds> durations(
        all, base::Nanoseconds{150'000'000 / static_cast<std::int64_t>(steps)});
    timeline::Builder builder{durations};
    const auto last = static_cast<std::uint32_t>(all - 1);
    const auto at = [](std::size_t step) { return static_cast<std::uint32_t>(step); };
    builder.add({0, last, base::Bytes{475 * kMiB}, Category::Parameters, 0});
    builder.add({0, last, base::Bytes{949 * kMiB}, Category::OptimizerState, 0});
    builder.add({at(half), last, base::Bytes{289 * kMiB}, Category::Gradients, 0});
    for (std::size_t i = 0; i < half; ++i) {
        const base::Bytes size{static_cast<std::int64_t>(11'000 / static_cast<double>(half)) * kMiB
                               + static_cast<std::int64_t>(i % 7) * kMiB / 2};
        const bool kept = std::fmod(static_cast<double>(i) * 0.618, 1.0) < keep;
        builder.add({at(i), kept ? at(all - 1 - i) : at(std::min(i + 4, all - 1)), size,
                     Category::Activations, at(i)});
        if (i % 16 == 0)
            builder.add({at(i), at(i + 1), base::Bytes{400 * kMiB}, Category::Temporaries, at(i)});
    }
    builder.addBand({0, at(half - 1), "Forward"});
    builder.addBand({at(half), at(all - steps / 20 - 1), "Backward"});
    builder.addBand({at(all - steps / 20), last, "Optimizer"});
    return std::move(builder).build();
}

} // namespace plimsoll::tests
