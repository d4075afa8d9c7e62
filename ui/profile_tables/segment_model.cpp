// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_tables/segment_model.h"

#include "ui/base/numbers.h"
#include "ui/profile_tables/allocation_texts.h"

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kSegmentColumns{TableColumn{"Address"},       TableColumn{"Size", true},
                                     TableColumn{"Kind"},          TableColumn{"Stream"},
                                     TableColumn{"Pool"},          TableColumn{"Reserved", true},
                                     TableColumn{"Released", true}};

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
               : segment.isLarge    ? tr("large")
                                    : tr("small");
    case StreamColumn: return streamText(device, place.stream);
    case PoolColumn: return poolText(place);
    case FromColumn: return eventText(*m_picture, segment.begin, tr("before"));
    default: return eventText(*m_picture, segment.end, tr("at the end"));
    }
}

} // namespace plimsoll::ui
