// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_tables/segment_model.h"

#include "ui/base/numbers.h"
#include "ui/profile_tables/allocation_texts.h"
#include "ui/tables/cell_roles.h"

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kSegmentColumns{TableColumn{"Address"},       TableColumn{"Size", true},
                                     TableColumn{"Kind"},          TableColumn{"Stream"},
                                     TableColumn{"Pool"},          TableColumn{"Reserved", true},
                                     TableColumn{"Released", true}};

/// Segments of the small pool have 2 MiB. Of segments that were released the recording has only the
/// size.
bool isLarge(const memtrace::Segment& segment)
{
    constexpr std::int64_t kSmallSegment = std::int64_t{2} << 20;
    return segment.isLarge || segment.bytes > kSmallSegment;
}

} // namespace

SegmentModel::SegmentModel(QObject* parent) : TableModel{kSegmentColumns, parent} {}

void SegmentModel::setPicture(workspace::ProfilePicturePtr picture)
{
    beginResetModel();
    m_picture = std::move(picture);
    endResetModel();
}

int SegmentModel::rows() const
{
    return m_picture ? static_cast<int>(m_picture->device().segments().size()) : 0;
}

QString SegmentModel::text(int row, int column) const
{
    const memtrace::DeviceTrace& device = m_picture->device();
    const memtrace::Segment& segment = device.segments()[static_cast<std::size_t>(row)];
    const memtrace::Place& place = device.places()[segment.place];
    switch (column) {
    case AddressColumn: return addressText(segment.address);
    case SizeColumn: return bytesText(base::Bytes{segment.bytes});
    case KindColumn:
        return segment.isExpandable ? tr("expandable")
               : isLarge(segment)   ? tr("large")
                                    : tr("small");
    case StreamColumn: return streamText(device, place.stream);
    case PoolColumn: return poolText(place);
    case FromColumn: return eventText(*m_picture, segment.begin, tr("before"));
    default: return eventText(*m_picture, segment.end, tr("at the end"));
    }
}

QVariant SegmentModel::cell(int row, int column, int role) const
{
    if (role != ExactRole)
        return {};
    const memtrace::Segment& segment =
        m_picture->device().segments()[static_cast<std::size_t>(row)];
    if (column == SizeColumn)
        return QVariant::fromValue(segment.bytes);
    return column == AddressColumn ? QVariant{plainAddressText(segment.address)} : QVariant{};
}

} // namespace plimsoll::ui
