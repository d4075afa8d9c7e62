// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/baseline/torch_partition.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace plimsoll::tests {

/// Chooses items like PyTorch's solver "dp": weights and capacity are rounded to 1/10000 of the
/// range, so that choices may exceed it, and values are summed in single precision, so that small
/// values beside large ones are lost. `weights` and `capacity` are fractions of the range.
inline std::vector<bool> roundedChoice(const std::vector<double>& weights,
                                       const std::vector<double>& values, double capacity)
{
    constexpr double kParts = 10000;
    // Rounds as Python does: halves to the even neighbour.
    const auto parts = [](double share) {
        return static_cast<std::size_t>(std::nearbyint(share * kParts));
    };
    const std::size_t most = parts(capacity);
    std::vector<std::vector<float>> best(weights.size() + 1, std::vector<float>(most + 1, 0.0F));
    for (std::size_t item = 0; item < weights.size(); ++item) {
        const std::size_t weight = parts(weights[item]);
        best[item + 1] = best[item];
        for (std::size_t sum = weight; sum <= most; ++sum) {
            const float with = best[item][sum - weight] + static_cast<float>(values[item]);
            if (weight == 0 || with > best[item][sum])
                best[item + 1][sum] = with;
        }
    }
    std::vector<bool> chosen(weights.size(), false);
    std::size_t sum = most;
    for (std::size_t item = weights.size(); item-- > 0;)
        if (best[item + 1][sum] != best[item][sum]) {
            chosen[item] = true;
            sum -= parts(weights[item]);
        }
    return chosen;
}

/// The same as a knapsack of TorchPartition.
inline solve::TorchPartition::Chooser roundedKnapsack(const std::vector<solve::KnapsackItem>& items,
                                                      std::int64_t range)
{
    std::vector<double> weights;
    std::vector<double> values;
    for (const solve::KnapsackItem& item : items) {
        weights.push_back(static_cast<double>(item.weight) / static_cast<double>(range));
        values.push_back(static_cast<double>(item.value));
    }
    return [weights, values](std::int64_t permille) {
        return roundedChoice(weights, values, static_cast<double>(permille) / 1000);
    };
}

} // namespace plimsoll::tests
