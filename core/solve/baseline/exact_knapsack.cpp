// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/exact_knapsack.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace plimsoll::solve {

ExactKnapsack::ExactKnapsack(const std::vector<KnapsackItem>& items)
    : m_items{items.size()}, m_sums(1)
{
    std::map<KnapsackItem, std::vector<std::size_t>> kinds;
    for (std::size_t item = 0; item < items.size(); ++item)
        kinds[items[item]].push_back(item);
    for (auto& [kind, equal] : kinds) {
        addKind(kind, equal.size());
        m_kinds.push_back(std::move(equal));
    }
}

/// Each round adds one more item of the kind to the sums that already hold all items so far.
void ExactKnapsack::addKind(const KnapsackItem& kind, std::size_t times)
{
    for (std::size_t sum = 0; sum < m_sums.size(); ++sum) {
        m_sums[sum].rest = static_cast<std::uint32_t>(sum);
        m_sums[sum].count = 0;
    }
    const auto isBefore = [](const Sum& one, const Sum& other) {
        return std::pair{one.weight, -one.value} < std::pair{other.weight, -other.value};
    };
    for (std::uint32_t round = 0; round < times; ++round) {
        std::vector<Sum> more;
        for (const Sum& sum : m_sums)
            if (sum.count == round)
                more.push_back(
                    {sum.weight + kind.weight, sum.value + kind.value, sum.rest, round + 1});
        std::vector<Sum> all;
        all.reserve(m_sums.size() + more.size());
        std::ranges::merge(m_sums, more, std::back_inserter(all), isBefore);
        m_sums.clear();
        for (const Sum& sum : all)
            if (m_sums.empty() || sum.value > m_sums.back().value)
                m_sums.push_back(sum);
        thin(m_sums);
    }
    std::vector<Origin>& origins = m_origins.emplace_back();
    for (const Sum& sum : m_sums)
        origins.push_back({sum.rest, sum.count});
}

void ExactKnapsack::thin(std::vector<Sum>& sums)
{
    if (sums.size() <= kMostSums)
        return;
    const std::int64_t step = sums.back().weight / static_cast<std::int64_t>(kMostSums - 1) + 1;
    std::size_t kept = 0;
    for (std::size_t sum = 0; sum < sums.size(); ++sum)
        if (sum + 1 == sums.size() || sums[sum].weight / step != sums[sum + 1].weight / step)
            sums[kept++] = sums[sum];
    sums.resize(kept);
}

std::vector<bool> ExactKnapsack::chosen(std::int64_t capacity) const
{
    std::vector<bool> choice(m_items, false);
    const auto after = std::ranges::upper_bound(m_sums, capacity, {}, &Sum::weight);
    if (after == m_sums.begin())
        return choice;
    auto sum = static_cast<std::size_t>(after - m_sums.begin() - 1);
    for (std::size_t kind = m_kinds.size(); kind-- > 0;) {
        const Origin& origin = m_origins[kind][sum];
        for (std::size_t item = 0; item < origin.count; ++item)
            choice[m_kinds[kind][item]] = true;
        sum = origin.rest;
    }
    return choice;
}

std::vector<bool> greedilyChosen(const std::vector<KnapsackItem>& items, std::int64_t capacity)
{
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t item) {
        return static_cast<double>(items[item].value) / static_cast<double>(items[item].weight);
    });
    std::vector<bool> choice(items.size(), false);
    for (const std::size_t item : order)
        if (items[item].weight <= capacity) {
            choice[item] = true;
            capacity -= items[item].weight;
        }
    return choice;
}

} // namespace plimsoll::solve
