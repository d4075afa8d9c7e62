// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_tables/event_rows.h"

#include "core/base/try.h"
#include "core/memtrace/filter/text_pattern.h"
#include "ui/profile_tables/allocation_texts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

namespace plimsoll::ui {

namespace {

using memtrace::Action;
using memtrace::EventIndex;

constexpr std::size_t kStride = std::size_t{1} << 16U; ///< of work between two requests to stop

/// The allocation that an event is about; memtrace::kNone: none.
std::uint32_t allocationOf(const memtrace::DeviceTrace& device, EventIndex event)
{
    const Action action = device.action(event);
    return action <= Action::Free || action == Action::Annotate ? device.subject(event)
                                                                : memtrace::kNone;
}

/// Which events contain what is looked for.
class EventMatches
{
public:
    EventMatches(const workspace::ProfilePicture& picture, const std::string& query)
        : m_picture{picture}, m_isAll{query.empty()}
    {
        if (m_isAll)
            return;
        const auto pattern = memtrace::TextPattern::fromQuery(query);
        m_stacks = memtrace::stacksWithFrame(picture.trace->stacks(), pattern);
        for (std::size_t action = 0; action < m_actions.size(); ++action)
            m_actions[action] =
                pattern.matches(actionText(static_cast<Action>(action)).toStdString());
    }

    [[nodiscard]] bool at(EventIndex event) const
    {
        const memtrace::DeviceTrace& device = m_picture.device();
        const std::uint32_t allocation = allocationOf(device, event);
        if (m_picture.isFiltered()
            && (allocation == memtrace::kNone || !m_picture.facts.matches.at(allocation)))
            return false;
        return m_isAll || m_actions[static_cast<std::size_t>(device.action(event))]
               || (allocation != memtrace::kNone
                   && m_stacks[device.allocations().stack[allocation]]);
    }

private:
    const workspace::ProfilePicture& m_picture;
    bool m_isAll;
    std::vector<bool> m_stacks;
    std::array<bool, static_cast<std::size_t>(Action::Other) + 1> m_actions{};
};

/// By stack, its place in the order of what the table shows of it.
std::vector<std::int64_t> stackOrder(const workspace::ProfilePicture& picture)
{
    const memtrace::Allocations& all = picture.device().allocations();
    std::map<QString, std::vector<std::uint32_t>> stacksOf;
    std::vector<bool> isSeen(picture.trace->stacks().stackCount(), false);
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        const std::uint32_t stack = all.stack[i];
        if (!isSeen[stack])
            stacksOf[stackText(picture, i)].push_back(stack);
        isSeen[stack] = true;
    }
    std::vector<std::int64_t> order(isSeen.size(), 0);
    std::int64_t next = 0;
    for (const auto& [text, stacks] : stacksOf) {
        for (const std::uint32_t stack : stacks)
            order[stack] = next;
        ++next;
    }
    return order;
}

/// What a column is sorted by; -1 where its cell is empty.
class EventKeys
{
public:
    EventKeys(const workspace::ProfilePicture& picture, EventModel::Column column)
        : m_picture{picture}, m_column{column}
    {
        if (column == EventModel::StackColumn)
            m_stacks = stackOrder(picture);
    }

    [[nodiscard]] std::int64_t of(EventIndex event) const
    {
        const memtrace::DeviceTrace& device = m_picture.device();
        if (m_column == EventModel::ActionColumn)
            return static_cast<std::int64_t>(device.action(event));
        if (m_column == EventModel::SizeColumn && device.action(event) == Action::OutOfMemory)
            return device.outOfMemory()[device.subject(event)].askedBytes;
        const std::uint32_t allocation = allocationOf(device, event);
        if (allocation == memtrace::kNone)
            return ofSegment(event);
        const memtrace::Allocations& all = device.allocations();
        switch (m_column) {
        case EventModel::SizeColumn: return all.bytes[allocation];
        case EventModel::AddressColumn:
            return all.address[allocation] == memtrace::kNoAddress
                       ? -1
                       : static_cast<std::int64_t>(all.address[allocation] >> 1U);
        case EventModel::StackColumn: return m_stacks[all.stack[allocation]];
        default: return static_cast<std::int64_t>(event);
        }
    }

private:
    [[nodiscard]] std::int64_t ofSegment(EventIndex event) const
    {
        const auto change = m_picture.segmentChanges.at(event);
        if (!change || m_column == EventModel::StackColumn)
            return -1;
        return m_column == EventModel::SizeColumn
                   ? change->bytes.count()
                   : static_cast<std::int64_t>(change->address >> 1U);
    }

    const workspace::ProfilePicture& m_picture;
    EventModel::Column m_column;
    std::vector<std::int64_t> m_stacks;
};

/// Ties keep the order of the recording. Sorts pieces and merges them, so that it can be stopped.
base::Result<void> sortByKey(std::vector<EventIndex>& events, const EventKeys& keys,
                             bool isDescending, const base::JobContext& job)
{
    std::vector<std::pair<std::int64_t, EventIndex>> order;
    order.reserve(events.size());
    for (const EventIndex event : events)
        order.emplace_back(isDescending ? -keys.of(event) : keys.of(event), event);
    const auto at = [&](std::size_t i) {
        return order.begin() + static_cast<std::ptrdiff_t>(std::min(i, order.size()));
    };
    for (std::size_t i = 0; i < order.size(); i += kStride) {
        if (job.stopRequested())
            return base::cancelled();
        job.report(i, 3 * order.size());
        std::sort(at(i), at(i + kStride));
    }
    const std::size_t rounds = std::bit_width(order.size() / kStride) + std::size_t{1};
    std::size_t round = 1;
    for (std::size_t width = kStride; width < order.size(); width *= 2, ++round) {
        job.report(rounds + 2 * round, 3 * rounds);
        for (std::size_t i = 0; i < order.size(); i += 2 * width) {
            if (job.stopRequested())
                return base::cancelled();
            std::inplace_merge(at(i), at(i + width), at(i + 2 * width));
        }
    }
    std::ranges::transform(order, events.begin(), [](const auto& pair) { return pair.second; });
    return {};
}

} // namespace

base::Result<EventRows> eventRows(const WantedEvents& wanted, const base::JobContext& job)
{
    const workspace::ProfilePicture& picture = *wanted.picture;
    const std::size_t count = picture.device().eventCount();
    const bool isInOrder = wanted.column <= EventModel::TimeColumn;
    if (isInOrder && !wanted.isDescending && wanted.query.empty() && !wanted.range
        && !picture.isFiltered())
        return EventRows{}; // all
    const EventMatches matches{picture, wanted.query};
    // Event e leads to step e + 1.
    const std::size_t begin = wanted.range ? std::min(wanted.range->begin, count) : 0;
    const std::size_t end = wanted.range ? std::min(wanted.range->end, count) : count;
    std::vector<EventIndex> events;
    for (std::size_t event = begin; event < end; ++event) {
        if (event % kStride == 0) {
            if (job.stopRequested())
                return base::cancelled();
            job.piece(0, 2).report(event - begin, end - begin);
        }
        if (matches.at(static_cast<EventIndex>(event)))
            events.push_back(static_cast<EventIndex>(event));
    }
    if (!isInOrder)
        RETURN_IF_ERROR(sortByKey(events, EventKeys{picture, wanted.column}, wanted.isDescending,
                                  job.piece(1, 2)));
    else if (wanted.isDescending)
        std::ranges::reverse(events);
    return std::make_shared<const std::vector<EventIndex>>(std::move(events));
}

} // namespace plimsoll::ui
