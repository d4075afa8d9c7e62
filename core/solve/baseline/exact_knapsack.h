// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace plimsoll::solve {

struct KnapsackItem
{
    std::int64_t weight = 0; ///< > 0
    std::int64_t value = 0;  ///< >= 0

    bool operator==(const KnapsackItem&) const = default;
    bool operator<(const KnapsackItem& other) const
    {
        return std::tie(weight, value) < std::tie(other.weight, other.value);
    }
};

/// The best choices of items for all capacities at once. Sums of weights are exact integers, so no
/// choice exceeds its capacity. Optimal as long as kMostSums sums suffice; beyond that, only the
/// best sum in each of as many equal steps is followed further.
class ExactKnapsack
{
public:
    static constexpr std::size_t kMostSums = std::size_t{1} << 15U;

    explicit ExactKnapsack(const std::vector<KnapsackItem>& items);

    /// By item: whether it is chosen. Of equal items the first ones are.
    [[nodiscard]] std::vector<bool> chosen(std::int64_t capacity) const;

private:
    /// A sum with a larger value than every lighter one.
    struct Sum
    {
        std::int64_t weight = 0;
        std::int64_t value = 0;
        std::uint32_t rest = 0;  ///< index of the sum without this kind
        std::uint32_t count = 0; ///< items of this kind
    };
    struct Origin
    {
        std::uint32_t rest = 0;
        std::uint32_t count = 0;
    };

    void addKind(const KnapsackItem& kind, std::size_t times);
    static void thin(std::vector<Sum>& sums);

    std::size_t m_items;
    std::vector<std::vector<std::size_t>> m_kinds; ///< equal items
    std::vector<std::vector<Origin>> m_origins;    ///< by kind, by sum once it was added
    std::vector<Sum> m_sums;                       ///< by rising weight and value
};

/// The choice of PyTorch's greedy solver: items by falling value per weight, each if it still fits.
[[nodiscard]] std::vector<bool> greedilyChosen(const std::vector<KnapsackItem>& items,
                                               std::int64_t capacity);

} // namespace plimsoll::solve
