// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/waterfall.h"
#include "ui/models/table_model.h"

#include <QString>

namespace plimsoll::ui {

struct ClassRow
{
    QString name;
    base::Bytes predicted;
    base::Bytes measured;

    bool operator==(const ClassRow&) const = default;
};

/// What is live at the predicted and at the measured peak by class, and both together.
class ClassModel : public RowsModel<ClassRow>
{
    Q_OBJECT

public:
    enum Column { NameColumn, PredictedColumn, MeasuredColumn, DifferenceColumn };

    explicit ClassModel(QObject* parent = nullptr);
    void setWaterfall(const waterfall::Waterfall& waterfall);
    void clear() { resetRows({}); }

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    /// In the unit of the larger peak, without it.
    [[nodiscard]] QString figure(base::Bytes bytes) const;

    base::Bytes m_like;
};

} // namespace plimsoll::ui
