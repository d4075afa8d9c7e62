// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_tables/allocation_model.h"

#include "ui/base/numbers.h"
#include "ui/profile_tables/allocation_texts.h"
#include "ui/tables/cell_roles.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kAllocationColumns{TableColumn{"Allocation"},  TableColumn{"Size", true},
                                        TableColumn{"Lives", true}, TableColumn{"Class"},
                                        TableColumn{"Stream"},      TableColumn{"Pool"},
                                        TableColumn{"Source"},      TableColumn{"Address"}};

} // namespace

AllocationModel::AllocationModel(QObject* parent) : TableModel{kAllocationColumns, parent} {}

void AllocationModel::setRows(workspace::ProfilePicturePtr picture, AllocationRows rows)
{
    beginResetModel();
    m_picture = std::move(picture);
    m_rows = std::move(rows);
    m_largest = 1;
    if (m_picture && m_rows)
        for (const std::uint32_t row : *m_rows)
            m_largest = std::max(m_largest, m_picture->device().allocations().bytes[row]);
    endResetModel();
}

int AllocationModel::rowOf(std::uint32_t allocation) const
{
    if (!m_rows)
        return -1;
    const auto at = std::ranges::find(*m_rows, allocation);
    return at == m_rows->end() ? -1 : static_cast<int>(at - m_rows->begin());
}

int AllocationModel::rows() const
{
    constexpr std::size_t kMost = std::numeric_limits<int>::max();
    return m_rows ? static_cast<int>(std::min(m_rows->size(), kMost)) : 0;
}

QString AllocationModel::text(int row, int column) const
{
    const std::uint32_t allocation = allocationAt(row);
    const memtrace::DeviceTrace& device = m_picture->device();
    const memtrace::Allocations& allocations = device.allocations();
    const memtrace::Place& place = device.placeOf(memtrace::AllocationId{allocation});
    switch (column) {
    case NameColumn: return stackText(*m_picture, allocation);
    case SizeColumn: return bytesText(base::Bytes{allocations.bytes[allocation]});
    case LifeColumn: return lifeText(*m_picture, allocation);
    case ClassColumn: return classText(*m_picture, allocation);
    case StreamColumn: return streamText(device, place.stream);
    case PoolColumn: return poolText(place);
    case AddressColumn: return addressText(allocations.address[allocation]);
    default:
        return shortSource(sourceText(m_picture->trace->stacks(),
                                      memtrace::StackId{allocations.stack[allocation]}));
    }
}

QVariant AllocationModel::cell(int row, int column, int role) const
{
    const std::uint32_t allocation = allocationAt(row);
    const memtrace::Allocations& allocations = m_picture->device().allocations();
    if (role == FractionRole && column == SizeColumn)
        return static_cast<double>(allocations.bytes[allocation]) / static_cast<double>(m_largest);
    if (role == ExactRole && column == SizeColumn)
        return QVariant::fromValue(allocations.bytes[allocation]);
    if (role == ExactRole && column == LifeColumn)
        return QVariant::fromValue(lifeOf(*m_picture, allocation));
    if (role == ExactRole && column == AddressColumn)
        return plainAddressText(allocations.address[allocation]);
    if (column != SourceColumn || (role != LinkRole && role != PathRole))
        return {};
    const QString source =
        sourceText(m_picture->trace->stacks(), memtrace::StackId{allocations.stack[allocation]});
    return role == LinkRole ? QVariant{!source.isEmpty()} : QVariant{source};
}

AllocationRows sortedRows(const workspace::ProfilePicture& picture, std::vector<std::uint32_t> rows,
                          AllocationModel::Column column, bool isDescending)
{
    const memtrace::Allocations& allocations = picture.device().allocations();
    const auto sort = [&](const auto& keyOf) {
        std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
            return isDescending ? keyOf(b) < keyOf(a) : keyOf(a) < keyOf(b);
        });
    };
    switch (column) {
    case AllocationModel::SizeColumn:
        sort([&](std::uint32_t row) { return allocations.bytes[row]; });
        break;
    case AllocationModel::LifeColumn:
        sort([&](std::uint32_t row) { return lifeOf(picture, row); });
        break;
    case AllocationModel::ClassColumn:
        sort([&](std::uint32_t row) { return picture.facts.classes.classOf[row]; });
        break;
    case AllocationModel::StreamColumn:
    case AllocationModel::PoolColumn:
        sort([&](std::uint32_t row) { return allocations.place[row]; });
        break;
    case AllocationModel::AddressColumn:
        sort([&](std::uint32_t row) { return allocations.address[row]; });
        break;
    case AllocationModel::NameColumn:
    case AllocationModel::SourceColumn:
        sort([&](std::uint32_t row) { return allocations.stack[row]; });
        break;
    }
    return std::make_shared<const std::vector<std::uint32_t>>(std::move(rows));
}

} // namespace plimsoll::ui
