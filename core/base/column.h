// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace plimsoll::base {

/// An immutable array: values of its own, or values in memory that something else keeps, such as a
/// mapped file. Copies share the values.
template <typename T>
class Column
{
public:
    Column() = default;
    /// Takes the values and gives back what they don't need.
    explicit Column(std::vector<T> values)
    {
        values.shrink_to_fit();
        auto owned = std::make_shared<const std::vector<T>>(std::move(values));
        m_values = *owned;
        m_owner = std::move(owned);
    }
    /// `owner` keeps the values alive.
    Column(std::span<const T> values, std::shared_ptr<const void> owner)
        : m_values{values}, m_owner{std::move(owner)}
    {
    }

    [[nodiscard]] std::size_t size() const { return m_values.size(); }
    [[nodiscard]] bool empty() const { return m_values.empty(); }
    [[nodiscard]] const T& operator[](std::size_t at) const { return m_values[at]; }
    [[nodiscard]] const T& back() const { return m_values.back(); }
    [[nodiscard]] auto begin() const { return m_values.begin(); }
    [[nodiscard]] auto end() const { return m_values.end(); }
    [[nodiscard]] std::span<const T> values() const { return m_values; }

private:
    std::span<const T> m_values;
    std::shared_ptr<const void> m_owner;
};

} // namespace plimsoll::base
