// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/memtrace/device_trace.h"

#include <cstdint>
#include <vector>

namespace plimsoll::memtrace {

/// The addresses that a device ever reserved, without the gaps between them: what the axis of an
/// address map shows. Where no segments were recorded, the addresses of allocations.
class AddressLayout
{
public:
    AddressLayout() = default;
    explicit AddressLayout(const DeviceTrace& device);

    /// Of all runs together.
    [[nodiscard]] base::Bytes size() const { return m_size; }
    /// Where an address is on the axis, which must be one of the device's.
    [[nodiscard]] base::Bytes offsetOf(std::uint64_t address) const;
    /// The address at a place of the axis.
    [[nodiscard]] std::uint64_t addressAt(base::Bytes offset) const;

    /// Consecutive addresses.
    struct Run
    {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        base::Bytes offset; ///< of begin on the axis
        bool operator==(const Run&) const = default;
    };
    /// By address; neither empty nor touching.
    [[nodiscard]] const std::vector<Run>& runs() const { return m_runs; }

private:
    std::vector<Run> m_runs;
    base::Bytes m_size;
};

} // namespace plimsoll::memtrace
