// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "ui/models/table_model.h"

#include <optional>
#include <vector>

namespace plimsoll::ui {

/// One budget that was tried.
struct RunRow
{
    std::int64_t id = 0;
    QString name; ///< given by the user, may be empty
    QString planner;
    QString status;
    base::Bytes budget;
    std::optional<base::Bytes> peak;
    std::optional<base::Nanoseconds> stepTime;
    QString size; ///< "batch 16"; empty for graphs that were traced at one size only

    bool operator==(const RunRow&) const = default;
};

/// The budgets tried in a session, newest first. The name can be edited.
class RunModel : public RowsModel<RunRow>
{
    Q_OBJECT

public:
    enum Column {
        NameColumn,
        PlannerColumn,
        SizeColumn,
        BudgetColumn,
        StatusColumn,
        PeakColumn,
        TimeColumn,
        ColumnCount
    };

    explicit RunModel(QObject* parent = nullptr);

    /// In the order in which they were tried.
    void setRuns(std::vector<RunRow> runs);

    [[nodiscard]] bool setData(const QModelIndex& index, const QVariant& value,
                               int role = Qt::EditRole) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void renamed(qint64 id, const QString& name);

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
};

} // namespace plimsoll::ui
