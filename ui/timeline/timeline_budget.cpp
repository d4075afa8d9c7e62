// SPDX-License-Identifier: Apache-2.0
// The budget line's part of the view: drag, keys, typed values, what a screen reader hears.
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/timeline/timeline_view_p.h"

#include <QKeyEvent>

#include <algorithm>

namespace plimsoll::ui {

TimelineView::Private::Private(TimelineView& owner) : view{owner}
{
    installBudgetAccessibility();
    handle = new BudgetHandle{&view};
    handle->hide();
    QObject::connect(handle, &BudgetHandle::keyed, &view, [this](BudgetKey key, KeyStep step) {
        if (model.budget && !model.drag)
            commit(budgetAfterKey(*model.budget, key, step, model.budgetLimits(frame().bytes)));
    });
    QObject::connect(handle, &BudgetHandle::valueRequested, &view,
                     [this](base::Bytes value) { commit(value); });
    QObject::connect(handle, &BudgetHandle::typeRequested, &view, [this] { openField(); });
    QObject::connect(handle, &BudgetHandle::cancelRequested, &view, [this] { escape(); });
    QObject::connect(handle, &BudgetHandle::focusRingChanged, &view, [this](bool visible) {
        model.lineFocused = visible;
        view.update();
    });
    field = new QLineEdit{&view};
    field->setProperty("pill", true);
    field->setAccessibleName(TimelineView::tr("Budget"));
    field->hide();
    field->installEventFilter(&view);
    QObject::connect(field, &QLineEdit::returnPressed, &view, [this] { readField(); });
}

void TimelineView::Private::placeHandle()
{
    handle->setVisible(model.budget.has_value());
    if (!model.budget)
        return;
    const TimelineFrame now = frame();
    const QRectF box = markRect(model, now) | pillRect(model, now, Theme::current());
    handle->setGeometry(box.toAlignedRect());
    handle->setRange({*model.budget, base::Bytes{1 << 20}, now.bytes.top});
}

void TimelineView::Private::describe()
{
    QString text;
    if (model.set.planned && model.set.planned->stepCount() > 0) {
        text = TimelineView::tr("Peak %1").arg(bytesText(model.set.planned->peak(), Rounding::Up));
        if (!model.plannedPeakName.isEmpty())
            text += TimelineView::tr(" at %1").arg(model.plannedPeakName);
        text += u'.';
    }
    if (model.measured && model.measured->live)
        text += TimelineView::tr(" Measured peak %1.")
                    .arg(bytesText(model.measured->live->peak(), Rounding::Up));
    if (model.budget)
        text += TimelineView::tr(" Budget %1.").arg(bytesText(*model.budget));
    view.setAccessibleDescription(text);
}

void TimelineView::Private::beginDrag(const QPointF& pos)
{
    const TimelineFrame now = frame();
    TimelineModel::Frozen frozen;
    frozen.axisContent = model.axisContent();
    frozen.axisLength = model.axis.length();
    frozen.unplannedPeak = unplannedPeakPosition(model);
    frozen.measuredPeak = measuredPeakPosition(model);
    model.drag.emplace(*model.budget, pos.y(), now.at.plot().height(),
                       model.budgetLimits(now.bytes));
    model.frozen = frozen;
    model.cursorCard = false;
    grab = Grab::Budget;
    handle->setFocus(Qt::MouseFocusReason);
    view.update();
}

void TimelineView::Private::dragTo(const QPointF& pos, Qt::KeyboardModifiers modifiers)
{
    const bool wasSnapped = model.drag->snapped().has_value();
    const BudgetDrag::Options options{(modifiers & Qt::ControlModifier) != 0,
                                      (modifiers & Qt::AltModifier) != 0};
    const base::Bytes value = model.drag->moveTo(pos.y(), options);
    if (value == *model.budget && wasSnapped == model.drag->snapped().has_value())
        return;
    const bool changed = value != *model.budget;
    model.budget = value;
    view.update();
    if (changed)
        Q_EMIT view.budgetDragged(value);
}

void TimelineView::Private::endDrag()
{
    const base::Bytes before = model.drag->start();
    const base::Bytes value = *model.budget;
    model.drag.reset();
    model.frozen.reset();
    grab = Grab::None;
    invalidate();
    if (value != before)
        Q_EMIT view.budgetCommitted(value, before);
}

void TimelineView::Private::cancelDrag()
{
    model.budget = model.drag->start();
    model.drag.reset();
    model.frozen.reset();
    grab = Grab::None;
    invalidate();
    Q_EMIT view.budgetDragCancelled();
}

void TimelineView::Private::commit(base::Bytes budget)
{
    if (!model.budget || budget == *model.budget || budget.count() <= 0)
        return;
    const base::Bytes before = *model.budget;
    model.budget = budget;
    invalidate();
    Q_EMIT view.budgetCommitted(budget, before);
}

void TimelineView::Private::openField()
{
    if (!model.budget || model.drag)
        return;
    const Theme& theme = Theme::current();
    const QRectF pill = pillRect(model, frame(), theme);
    const double width = std::max(pill.width(), static_cast<double>(theme.px(84)));
    const double height = theme.px(26);
    const double left = std::min(pill.left(), view.width() - width - 2);
    field->setGeometry(QRectF{left, pill.center().y() - height / 2, width, height}.toAlignedRect());
    field->setText(bytesText(*model.budget));
    field->setToolTip(budgetHint());
    field->show();
    field->selectAll();
    field->setFocus(Qt::PopupFocusReason);
}

void TimelineView::Private::readField()
{
    const BudgetContext context{model.budget.value_or(base::Bytes{}), model.capacities};
    const base::Result<base::Bytes> typed = parseBudget(field->text(), context);
    if (!typed) {
        const QString reason = QString::fromStdString(typed.error().message);
        field->setToolTip(plainTip(reason));
        field->selectAll();
        Q_EMIT view.budgetRejected(reason);
        return;
    }
    closeField();
    commit(*typed);
}

void TimelineView::Private::closeField()
{
    if (field->isHidden())
        return;
    const bool hadFocus = field->hasFocus();
    field->hide();
    if (hadFocus)
        handle->setFocus(Qt::ShortcutFocusReason);
}

bool TimelineView::eventFilter(QObject* watched, QEvent* event)
{
    // Hiding the field in the constructor comes here before there is anything to close.
    if (m && watched == m->field) {
        if (event->type() == QEvent::KeyPress
            && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
            m->closeField();
            return true;
        }
        if (event->type() == QEvent::FocusOut)
            m->closeField();
    }
    return QWidget::eventFilter(watched, event);
}

void TimelineView::focusBudgetLine()
{
    if (m->model.budget)
        m->handle->setFocus(Qt::ShortcutFocusReason);
}

void TimelineView::typeBudget()
{
    m->openField();
}

} // namespace plimsoll::ui
