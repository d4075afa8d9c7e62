// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/comparison/compared_profile.h"
#include "ui/profile_tables/diff_model.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QTableView;

namespace plimsoll::ui {

/// What A and B hold at their peaks, in groups, and what only one of them has.
class DifferencesPane : public QWidget
{
    Q_OBJECT

public:
    explicit DifferencesPane(QWidget* parent = nullptr);

    void setPicture(const workspace::ComparisonPicture& picture);
    /// There is nothing to compare.
    void clear();
    [[nodiscard]] DiffModel& model() const { return *m_model; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] QComboBox& grouping() const { return *m_by; }
    /// What only A has, both have, only B has.
    [[nodiscard]] QString text() const;

Q_SIGNALS:
    void groupingChosen(plimsoll::memtrace::LiveBy by);

private:
    QComboBox* m_by = nullptr;
    QLabel* m_text = nullptr;
    DiffModel* m_model = nullptr;
    QTableView* m_table = nullptr;
};

} // namespace plimsoll::ui
