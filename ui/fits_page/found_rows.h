// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace plimsoll::ui {

/// Where a search puts the rows that have changed, by their place, until they are shown.
/// Thread-safe.
template <typename Row>
class FoundRows
{
public:
    using Rows = std::vector<std::pair<std::size_t, Row>>;

    void put(std::size_t place, const Row& row)
    {
        const std::scoped_lock lock{m_mutex};
        m_rows.emplace_back(place, row);
    }

    /// Those since the last call, oldest first.
    [[nodiscard]] Rows takeNew()
    {
        const std::scoped_lock lock{m_mutex};
        return std::exchange(m_rows, {});
    }

private:
    std::mutex m_mutex;
    Rows m_rows;
};

} // namespace plimsoll::ui
