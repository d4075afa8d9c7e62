// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/measured_model.h"

#include <QWidget>

class QTableView;

namespace plimsoll::ui {

class TextLabel;

/// The page of a measurement: what it is of, its numbers beside the predicted ones, where the
/// curves lie furthest apart, and the way to take it away.
class MeasuredPage : public QWidget
{
    Q_OBJECT

public:
    explicit MeasuredPage(QWidget* parent = nullptr);

    /// `sentence` says what was measured where.
    void showRows(const QString& sentence, std::vector<MeasuredRow> rows);
    [[nodiscard]] MeasuredModel* model() const { return m_model; }

Q_SIGNALS:
    /// A row that has its place in the step.
    void rowChosen(const plimsoll::ui::MeasuredRow& row);
    void removeRequested();

private:
    MeasuredModel* m_model = nullptr;
    TextLabel* m_sentence = nullptr;
    QTableView* m_table = nullptr;
};

} // namespace plimsoll::ui
