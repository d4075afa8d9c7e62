// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/memtrace/device_trace.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace plimsoll::memtrace {

/// The largest gap between allocations in one segment at each step, as gapsAt() has it: the largest
/// request that needs no more reserved memory is not larger.
class GapCurve
{
public:
    GapCurve() = default;

    /// The steps at which it changes come in order, the first is 0.
    void append(std::uint32_t step, base::Bytes bytes);
    /// Removes what it has from this step on.
    void cutAt(std::uint32_t step);

    /// Nothing is known: no segments were recorded, or allocations overlap.
    [[nodiscard]] bool isEmpty() const { return m_steps.empty(); }
    /// How often it changes.
    [[nodiscard]] std::size_t size() const { return m_steps.size(); }
    [[nodiscard]] base::Bytes at(std::size_t step) const;
    /// The largest value in [begin, end).
    [[nodiscard]] base::Bytes largestIn(std::size_t begin, std::size_t end) const;

private:
    static constexpr std::size_t kBlock = 64;

    /// Index of the value that holds at a step. Requires that there is one.
    [[nodiscard]] std::size_t indexAt(std::size_t step) const;

    std::vector<std::uint32_t> m_steps;
    std::vector<std::int64_t> m_bytes;
    std::vector<std::int64_t> m_maxima; ///< of kBlock values each
};
using GapCurvePtr = std::shared_ptr<const GapCurve>;

/// Fails when it is stopped only.
[[nodiscard]] base::Result<GapCurvePtr> largestGaps(const DeviceTrace& device,
                                                    const base::JobContext& job = {});

} // namespace plimsoll::memtrace
