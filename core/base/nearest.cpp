// SPDX-License-Identifier: Apache-2.0
#include "core/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plimsoll::base {

std::size_t editDistance(std::string_view one, std::string_view other)
{
    std::vector<std::size_t> row(other.size() + 1); // distance from one's prefix to other's first j
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::vector<std::string> nearestNames(std::string_view name, const std::vector<std::string>& names,
                                      std::size_t most)
{
    std::vector<std::pair<std::size_t, std::size_t>> order; // distance and place
    order.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        order.emplace_back(editDistance(name, names[i]), i);
    std::sort(order.begin(), order.end());
    order.resize(std::min(order.size(), most));
    std::vector<std::string> nearest;
    nearest.reserve(order.size());
    for (const auto& [distance, place] : order)
        nearest.push_back(names[place]);
    return nearest;
}

} // namespace plimsoll::base
