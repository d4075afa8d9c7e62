// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/comparison/compared_profile.h"
#include "ui/models/table_model.h"

#include <QString>

namespace plimsoll::ui {

/// The peak of one of the compared profiles.
struct PeakRow
{
    QString letter;
    QString name;
    QString device;
    base::Bytes peak;
    base::Bytes toA; ///< above the peak of A
    QString phase;

    bool operator==(const PeakRow&) const = default;
};

/// The peaks of all compared profiles, in their order.
class PeakModel : public RowsModel<PeakRow>
{
    Q_OBJECT

public:
    enum Column { LetterColumn, NameColumn, DeviceColumn, PeakColumn, ToAColumn, PhaseColumn };

    explicit PeakModel(QObject* parent = nullptr);
    void setPicture(const workspace::ComparisonPicture& picture);

    void clear() { resetRows({}); }

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
};

} // namespace plimsoll::ui
