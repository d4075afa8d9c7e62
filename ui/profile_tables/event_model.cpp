// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_tables/event_model.h"

#include "ui/base/numbers.h"
#include "ui/profile_tables/allocation_texts.h"
#include "ui/tables/cell_roles.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kEventColumns{TableColumn{"Event", true}, TableColumn{"Time", true},
                                   TableColumn{"Action"},      TableColumn{"Size", true},
                                   TableColumn{"Address"},     TableColumn{"Allocation"}};

} // namespace

EventModel::EventModel(QObject* parent) : TableModel{kEventColumns, parent} {}

void EventModel::setRows(workspace::ProfilePicturePtr picture, EventRows rows)
{
    beginResetModel();
    m_picture = std::move(picture);
    m_rows = std::move(rows);
    endResetModel();
}

int EventModel::rowOf(memtrace::EventIndex event) const
{
    if (!m_rows)
        return event < static_cast<std::uint32_t>(rows()) ? static_cast<int>(event) : -1;
    const auto at = std::ranges::find(*m_rows, event);
    return at == m_rows->end() ? -1 : static_cast<int>(at - m_rows->begin());
}

int EventModel::rows() const
{
    constexpr std::size_t kMost = std::numeric_limits<int>::max();
    if (!m_picture)
        return 0;
    return static_cast<int>(
        std::min(m_rows ? m_rows->size() : m_picture->device().eventCount(), kMost));
}

QString EventModel::text(int row, int column) const
{
    const memtrace::DeviceTrace& device = m_picture->device();
    const memtrace::EventIndex event = eventAt(row);
    const memtrace::Action action = device.action(event);
    const std::uint32_t subject = device.subject(event);
    switch (column) {
    case NumberColumn: return countText(device.shownIndex(event));
    case TimeColumn:
        return m_picture->trace->hasTimes() ? timeText(device.timeOf(event)) : QString{};
    case ActionColumn: return actionText(action);
    default: break;
    }
    if (subject == memtrace::kNone) {
        const auto change = m_picture->segmentChanges.at(event);
        return !change                   ? QString{}
               : column == SizeColumn    ? bytesText(change->bytes)
               : column == AddressColumn ? addressText(change->address)
                                         : QString{};
    }
    if (action == memtrace::Action::OutOfMemory)
        return column == SizeColumn
                   ? bytesText(base::Bytes{device.outOfMemory()[subject].askedBytes})
                   : QString{};
    const memtrace::Allocations& allocations = device.allocations();
    switch (column) {
    case SizeColumn: return bytesText(base::Bytes{allocations.bytes[subject]});
    case AddressColumn: return addressText(allocations.address[subject]);
    default: return stackText(*m_picture, subject);
    }
}

QVariant EventModel::cell(int row, int column, int role) const
{
    if (role != ExactRole)
        return {};
    const memtrace::DeviceTrace& device = m_picture->device();
    const memtrace::EventIndex event = eventAt(row);
    const std::uint32_t subject = device.subject(event);
    if (column == NumberColumn)
        return QVariant::fromValue(device.shownIndex(event));
    if (column == TimeColumn && m_picture->trace->hasTimes())
        return QVariant::fromValue(device.timeOf(event).count());
    if (column != SizeColumn && column != AddressColumn)
        return {};
    if (subject == memtrace::kNone) {
        const auto change = m_picture->segmentChanges.at(event);
        return !change                ? QVariant{}
               : column == SizeColumn ? QVariant::fromValue(change->bytes.count())
                                      : QVariant{plainAddressText(change->address)};
    }
    if (device.action(event) == memtrace::Action::OutOfMemory)
        return column == SizeColumn ? QVariant::fromValue(device.outOfMemory()[subject].askedBytes)
                                    : QVariant{};
    const memtrace::Allocations& allocations = device.allocations();
    return column == SizeColumn ? QVariant::fromValue(allocations.bytes[subject])
                                : QVariant{plainAddressText(allocations.address[subject])};
}

} // namespace plimsoll::ui
