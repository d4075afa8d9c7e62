// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/budget_timeline/budget_values.h"

#include <QWidget>

#include <functional>

namespace plimsoll::ui {

/// The keyboard and screen-reader interface of the budget line: invisible, above the mark and the
/// pill, which the view draws. Mouse events pass through it.
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
    /// During a drag, Undo cancels the drag and not the change before it.
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
