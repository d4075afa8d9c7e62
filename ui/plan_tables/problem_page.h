// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/problem_model.h"

#include <QWidget>

class QTableView;

namespace plimsoll::ui {

/// The Problems dock: faults, warnings and remarks; a double click goes where one has its place.
class ProblemPage : public QWidget
{
    Q_OBJECT

public:
    explicit ProblemPage(QWidget* parent = nullptr);

    void setProblems(std::vector<Problem> problems);
    [[nodiscard]] ProblemModel* model() const { return m_model; }

Q_SIGNALS:
    void placeChosen(const plimsoll::ui::Problem& problem);

private:
    ProblemModel* m_model = nullptr;
    QTableView* m_table = nullptr;
};

} // namespace plimsoll::ui
