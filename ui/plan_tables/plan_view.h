// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSet>
#include <QTreeView>

#include <array>

class QMenu;

namespace plimsoll::ui {

class PlanModel;

/// The tree of a plan. Its columns are as wide as what they show; they grow with it, but not during
/// a drag. What is open stays open in other plans that have the same rows.
class PlanView : public QTreeView
{
    Q_OBJECT

public:
    /// Owns the model.
    PlanView(PlanModel* model, QWidget* parent);

    /// During a drag nothing changes its width: the scroll bar neither appears nor disappears.
    void setHeld(bool held);
    /// Fits the columns to the rows, unless held.
    void fitColumns();
    /// Ids of the columns that are shown though they may be hidden: "cost", "tensors", "source".
    [[nodiscard]] QStringList optionalColumns() const;
    void setOptionalColumns(const QStringList& ids);
    /// Adds an entry for each column that can be hidden.
    void addColumnActions(QMenu& menu);
    /// The current row's shown cells, separated by tabs.
    [[nodiscard]] QString currentText() const;

Q_SIGNALS:
    /// The user showed or hid a column.
    void columnsChosen();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void connectOpening();
    void reopen();
    void openAgain(const QModelIndex& index);
    [[nodiscard]] int contentWidth(int column) const;
    void showColumn(int column, bool isShown);

    static constexpr int kColumns = 10;
    using Widths = std::array<int, kColumns>;

    PlanModel* m_model = nullptr;
    QSet<qint64> m_open;                   ///< keys of opened rows
    Widths m_widest{};                     ///< content seen of the program at hand
    std::array<bool, kColumns> m_byHand{}; ///< the user gave it a width
    const void* m_program = nullptr;       ///< of which m_widest is
    bool m_isHeld = false;
    bool m_isFitting = false;
};

} // namespace plimsoll::ui
