// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/base/result.h"
#include "core/memtrace/device_trace.h"
#include "core/memtrace/filter/text_pattern.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::memtrace {

// Values of filter.h's fields. All of them fail (Usage) with a sentence that says what the field
// takes.

/// Whole numbers from `least` to `most`.
struct ValueRange
{
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    [[nodiscard]] bool contains(std::int64_t value) const
    {
        return least <= value && value <= most;
    }
    bool operator==(const ValueRange&) const = default;
};

/// By MemoryClass: whether it is named.
[[nodiscard]] base::Result<std::vector<bool>> parseClasses(std::string_view text);
[[nodiscard]] base::Result<ValueRange> parseSizes(std::string_view text);
/// Numbers of streams.
[[nodiscard]] base::Result<std::vector<std::size_t>> parseStreams(std::string_view text);
/// A text or an expression; not empty.
[[nodiscard]] base::Result<TextPattern> parseText(std::string_view text);

/// One pool, or all private ones.
struct PoolPattern
{
    std::optional<std::array<std::uint64_t, 2>> pool; ///< none: any private one
    [[nodiscard]] bool matches(const Place& place) const
    {
        return pool ? place.pool == *pool : place.isPrivate();
    }
};
[[nodiscard]] base::Result<std::vector<PoolPattern>> parsePools(std::string_view text);

/// Names, any of which is meant, or an expression.
class NamePattern
{
public:
    [[nodiscard]] static base::Result<NamePattern> parse(std::string_view text);
    [[nodiscard]] bool matches(std::string_view name) const;

private:
    std::vector<std::string> m_names;
    std::optional<TextPattern> m_pattern;
};

/// How long allocations live, or beyond which end of the recording.
class LifePattern
{
public:
    [[nodiscard]] static base::Result<LifePattern> parse(std::string_view text);
    [[nodiscard]] bool matches(const DeviceTrace& device, std::size_t allocation) const;

private:
    enum class Kind : std::uint8_t { Time, Events, ToEnd, FromBefore };

    Kind m_kind = Kind::Time;
    ValueRange m_range; ///< nanoseconds or recorded events
};

} // namespace plimsoll::memtrace
