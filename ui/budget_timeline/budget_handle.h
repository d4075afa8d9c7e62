// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/budget_timeline/budget_values.h"

#include <QWidget>

#include <functional>

namespace plimsoll::ui {

/// The keyboard's and the screen reader's end of the budget line: invisible, over mark and pill;
/// the view draws it. The mouse goes through it.
class BudgetHandle : public QWidget
{
    Q_OBJECT

public:
    explicit BudgetHandle(QWidget* parent);

    /// What a screen reader says; bytes.
    struct Range
    {
        base::Bytes value;
        base::Bytes least;
        base::Bytes greatest;
    };
    void setRange(const Range& range) { m_range = range; }
    [[nodiscard]] Range range() const { return m_range; }
    /// In a drag, Undo takes the drag back and not the change before it.
    void setDragged(bool isDragged) { m_isDragged = isDragged; }

Q_SIGNALS:
    void keyed(plimsoll::ui::BudgetKey key, plimsoll::ui::KeyStep step);
    void typeRequested();
    void cancelRequested();
    void focusRingChanged(bool visible);
    void valueRequested(plimsoll::base::Bytes value);

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    Range m_range;
    bool m_isDragged = false;
};

/// Makes BudgetHandle a slider for screen readers; once per program.
void installBudgetAccessibility();

} // namespace plimsoll::ui
