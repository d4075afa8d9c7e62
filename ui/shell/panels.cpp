// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/panels.h"

#include <QApplication>
#include <QDockWidget>
#include <QWidget>

namespace plimsoll::ui {

namespace {

bool takesTab(const QWidget& widget)
{
    return (widget.focusPolicy() & Qt::TabFocus) != 0 && widget.isVisible() && widget.isEnabled();
}

bool holds(const QWidget& panel, const QWidget& widget)
{
    return &panel == &widget || panel.isAncestorOf(&widget);
}

/// Where the focus was last, else the first in the tab order; null: nothing takes it.
QWidget* entryOf(QWidget& panel)
{
    QWidget* last = panel.focusWidget();
    if (last != nullptr && takesTab(*last))
        return last;
    // What a dock is about comes before the menu in its title.
    if (const auto* dock = qobject_cast<const QDockWidget*>(&panel);
        dock != nullptr && dock->widget() != nullptr)
        if (QWidget* entry = entryOf(*dock->widget()))
            return entry;
    QWidget* widget = &panel;
    do {
        if (holds(panel, *widget) && takesTab(*widget))
            return widget;
        widget = widget->nextInFocusChain();
    } while (widget != &panel);
    return nullptr;
}

} // namespace

void goToPanel(const QList<QWidget*>& panels, int by)
{
    const QWidget* focused = QApplication::focusWidget();
    const qsizetype count = panels.size();
    qsizetype from = by > 0 ? -1 : 0; // from nowhere: the first or the last
    for (qsizetype i = 0; i < count; ++i)
        if (focused != nullptr && holds(*panels[i], *focused))
            from = i;
    for (qsizetype moves = 1; moves <= count; ++moves) {
        const qsizetype at = ((from + by * moves) % count + count) % count;
        if (QWidget* entry = entryOf(*panels[at])) {
            entry->setFocus(by > 0 ? Qt::TabFocusReason : Qt::BacktabFocusReason);
            return;
        }
    }
}

} // namespace plimsoll::ui
