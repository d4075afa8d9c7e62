// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit> // first: without it moc 6.4 stumbles over what <compare> includes
#include <compare>
#include <cstdint>
#include <functional>

namespace plimsoll::base {

/// A signed 64-bit count of one unit. Different units don't mix; plain integers convert only on
/// request.
template <typename Tag>
class Quantity
{
public:
    constexpr Quantity() = default;
    constexpr explicit Quantity(std::int64_t count) : m_count{count} {}

    [[nodiscard]] constexpr std::int64_t count() const { return m_count; }

    // clang-tidy 14 takes the zero that the compiler compares with for a null pointer.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    constexpr auto operator<=>(const Quantity&) const = default;
    constexpr Quantity& operator+=(Quantity other)
    {
        m_count += other.m_count;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other)
    {
        m_count -= other.m_count;
        return *this;
    }
    friend constexpr Quantity operator+(Quantity a, Quantity b)
    {
        return Quantity{a.m_count + b.m_count};
    }
    friend constexpr Quantity operator-(Quantity a, Quantity b)
    {
        return Quantity{a.m_count - b.m_count};
    }
    friend constexpr Quantity operator*(Quantity a, std::int64_t n)
    {
        return Quantity{a.m_count * n};
    }

private:
    std::int64_t m_count = 0;
};

struct BytesTag;
struct NanosecondsTag;

/// A size in bytes.
using Bytes = Quantity<BytesTag>;
/// Bytes in a mebibyte.
inline constexpr std::int64_t kMiB = std::int64_t{1} << 20U;
/// A time span in nanoseconds.
using Nanoseconds = Quantity<NanosecondsTag>;

/// An index into one kind of table; ids of different tables don't mix.
template <typename Tag>
class Id
{
public:
    constexpr Id() = default;
    constexpr explicit Id(std::size_t index) : m_index{static_cast<std::uint32_t>(index)} {}

    /// Position in the table, for subscripts.
    [[nodiscard]] constexpr std::size_t index() const { return m_index; }

    // NOLINTNEXTLINE(modernize-use-nullptr): as in Quantity
    constexpr auto operator<=>(const Id&) const = default;

private:
    std::uint32_t m_index = 0;
};

} // namespace plimsoll::base

template <typename Tag>
struct std::hash<plimsoll::base::Id<Tag>>
{
    std::size_t operator()(plimsoll::base::Id<Tag> id) const noexcept { return id.index(); }
};
