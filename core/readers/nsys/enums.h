// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/nsys/database.h"

#include <cstdint>
#include <map>
#include <optional>

namespace plimsoll::readers::nsys {

enum class Operation : std::uint8_t { Allocate, Release };
/// Where memory is.
enum class Kind : std::uint8_t { Device, PinnedHost, Other };

/// What numbers of the file mean: as its tables of enumerations tell, or as they have long been.
/// They are not CUPTI's.
struct Enums
{
    std::map<std::int64_t, Operation> operations;
    std::map<std::int64_t, Kind> kinds;

    [[nodiscard]] static base::Result<Enums> read(Database& database);
    /// Nothing if the number isn't known.
    [[nodiscard]] std::optional<Operation> operation(std::optional<std::int64_t> number) const;
    /// Files of old versions don't tell: it is a device's then.
    [[nodiscard]] Kind kind(std::optional<std::int64_t> number) const;
};

} // namespace plimsoll::readers::nsys
