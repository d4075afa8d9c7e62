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
    findRows();
    endResetModel();
}

void SegmentModel::setRange(std::optional<StepRange> range)
{
    if (range == m_range)
        return;
    beginResetModel();
    m_range = range;
    findRows();
    endResetModel();
}

void SegmentModel::findRows()
{
    m_rows.clear();
    if (!m_picture)
        return;
    const std::vector<memtrace::Segment>& segments = m_picture->device().segments();
    for (std::size_t i = 0; i < segments.size(); ++i) {
        // Event e leads to step e + 1.
        const std::size_t first =
            segments[i].begin == memtrace::kNoEvent ? 0 : segments[i].begin + std::size_t{1};
        if (!m_range
            || (first <= m_range->end
                && (segments[i].end == memtrace::kNoEvent || segments[i].end >= m_range->begin)))
            m_rows.push_back(i);
    }
}

const memtrace::Segment& SegmentModel::segmentAt(int row) const
{
    return m_picture->device().segments()[m_rows[static_cast<std::size_t>(row)]];
}

int SegmentModel::rows() const
{
    return static_cast<int>(m_rows.size());
}

QString SegmentModel::text(int row, int column) const
{
    const memtrace::DeviceTrace& device = m_picture->device();
    const memtrace::Segment& segment = segmentAt(row);
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
    const memtrace::Segment& segment = segmentAt(row);
    if (column == SizeColumn)
        return QVariant::fromValue(segment.bytes);
    if (column == FromColumn || column == ToColumn) {
        const memtrace::EventIndex event = column == FromColumn ? segment.begin : segment.end;
        if (event == memtrace::kNoEvent)
            return {};
        return m_picture->trace->hasTimes()
                   ? QVariant::fromValue(m_picture->device().timeOf(event).count())
                   : QVariant::fromValue(m_picture->device().shownIndex(event));
    }
    return column == AddressColumn ? QVariant{plainAddressText(segment.address)} : QVariant{};
}

} // namespace plimsoll::ui
