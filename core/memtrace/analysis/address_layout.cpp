// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/address_layout.h"

#include <algorithm>

namespace plimsoll::memtrace {

namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>; ///< begin, end

void add(std::vector<Range>& ranges, std::uint64_t address, std::int64_t bytes)
{
    if (bytes > 0 && address != kNoAddress)
        ranges.emplace_back(address, address + static_cast<std::uint64_t>(bytes));
}

} // namespace

AddressLayout::AddressLayout(const DeviceTrace& device)
{
    std::vector<Range> ranges;
    for (const Segment& segment : device.segments())
        add(ranges, segment.address, segment.bytes);
    if (ranges.empty())
        for (std::size_t i = 0; i < device.allocations().size(); ++i)
            add(ranges, device.allocations().address[i], device.allocations().bytes[i]);
    std::sort(ranges.begin(), ranges.end());
    for (const auto& [begin, end] : ranges) {
        if (!m_runs.empty() && begin <= m_runs.back().end)
            m_runs.back().end = std::max(m_runs.back().end, end);
        else
            m_runs.push_back({begin, end, {}});
    }
    for (Run& run : m_runs) {
        run.offset = m_size;
        m_size += base::Bytes{static_cast<std::int64_t>(run.end - run.begin)};
    }
}

base::Bytes AddressLayout::offsetOf(std::uint64_t address) const
{
    const auto after =
        std::upper_bound(m_runs.begin(), m_runs.end(), address,
                         [](std::uint64_t at, const Run& run) { return at < run.begin; });
    if (after == m_runs.begin())
        return {};
    const Run& run = *std::prev(after);
    return run.offset
           + base::Bytes{static_cast<std::int64_t>(std::min(address, run.end) - run.begin)};
}

std::uint64_t AddressLayout::addressAt(base::Bytes offset) const
{
    const auto after =
        std::upper_bound(m_runs.begin(), m_runs.end(), offset,
                         [](base::Bytes at, const Run& run) { return at < run.offset; });
    if (after == m_runs.begin())
        return 0;
    const Run& run = *std::prev(after);
    return run.begin + static_cast<std::uint64_t>((offset - run.offset).count());
}

} // namespace plimsoll::memtrace
