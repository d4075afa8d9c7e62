// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/base/selection.h"
#include "ui/models/table_model.h"

namespace plimsoll::ui {

/// The segments that a device had reserved at any time.
class SegmentModel : public TableModel
{
    Q_OBJECT

public:
    enum Column {
        AddressColumn,
        SizeColumn,
        KindColumn,
        StreamColumn,
        PoolColumn,
        FromColumn,
        ToColumn
    };

    explicit SegmentModel(QObject* parent = nullptr);
    void setPicture(workspace::ProfilePicturePtr picture);
    /// Only those that exist at some step of it; none: all.
    void setRange(std::optional<StepRange> range);

protected:
    [[nodiscard]] int rows() const override;
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    void findRows();
    [[nodiscard]] const memtrace::Segment& segmentAt(int row) const;

    workspace::ProfilePicturePtr m_picture;
    std::optional<StepRange> m_range;
    std::vector<std::size_t> m_rows; ///< of the device's segments
};

} // namespace plimsoll::ui
