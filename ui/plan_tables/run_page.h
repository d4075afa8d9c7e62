// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/run_model.h"

#include <QWidget>

class QTableView;

namespace plimsoll::ui {

/// The Runs dock: budgets tried in this session; a double click goes back to one, F2 renames,
/// Delete removes.
class RunPage : public QWidget
{
    Q_OBJECT

public:
    explicit RunPage(QWidget* parent = nullptr);

    void setRuns(std::vector<RunRow> runs);
    [[nodiscard]] RunModel* model() const { return m_model; }

Q_SIGNALS:
    void runChosen(qint64 id);
    void runRenamed(qint64 id, const QString& name);
    void runRemoved(qint64 id);

private:
    RunModel* m_model = nullptr;
    QTableView* m_table = nullptr;
};

} // namespace plimsoll::ui
