// SPDX-License-Identifier: Apache-2.0
#include "ui/budget_timeline/budget_handle.h"

#include "ui/base/numbers.h"
#include "ui/base/widgets.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QFocusEvent>
#include <QKeyEvent>

namespace plimsoll::ui {

namespace {

class BudgetSlider : public QAccessibleWidget, public QAccessibleValueInterface
{
public:
    explicit BudgetSlider(BudgetHandle* handle)
        : QAccessibleWidget{handle, QAccessible::Slider}, m_handle{handle}
    {
    }

    void* interface_cast(QAccessible::InterfaceType type) override
    {
        if (type == QAccessible::ValueInterface)
            return static_cast<QAccessibleValueInterface*>(this);
        return QAccessibleWidget::interface_cast(type);
    }
    [[nodiscard]] QString text(QAccessible::Text what) const override
    {
        if (what == QAccessible::Value)
            return bytesText(m_handle->range().value);
        return QAccessibleWidget::text(what);
    }
    [[nodiscard]] QVariant currentValue() const override { return number(m_handle->range().value); }
    void setCurrentValue(const QVariant& value) override
    {
        Q_EMIT m_handle->valueRequested(base::Bytes{value.toLongLong()});
    }
    [[nodiscard]] QVariant maximumValue() const override
    {
        return number(m_handle->range().greatest);
    }
    [[nodiscard]] QVariant minimumValue() const override { return number(m_handle->range().least); }
    [[nodiscard]] QVariant minimumStepSize() const override { return number(base::Bytes{1 << 20}); }

private:
    [[nodiscard]] static QVariant number(base::Bytes bytes)
    {
        return QVariant{static_cast<qlonglong>(bytes.count())};
    }

    BudgetHandle* m_handle;
};

QAccessibleInterface* makeInterface(const QString& /*className*/, QObject* object)
{
    auto* handle = qobject_cast<BudgetHandle*>(object);
    return handle == nullptr ? nullptr : new BudgetSlider{handle};
}

KeyStep stepOf(Qt::KeyboardModifiers modifiers)
{
    if ((modifiers & Qt::ControlModifier) != 0)
        return KeyStep::Fine;
    return (modifiers & Qt::ShiftModifier) != 0 ? KeyStep::Coarse : KeyStep::Normal;
}

} // namespace

BudgetHandle::BudgetHandle(QWidget* parent) : QWidget{parent}
{
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAccessibleName(tr("Budget line"));
    setAccessibleDescription(
        tr("How many bytes the step may use. Up and Down move it, Enter types a value."));
}

bool BudgetHandle::event(QEvent* event)
{
    if (bool hasRing = false; followFocus(*event, hasRing))
        Q_EMIT focusRingChanged(hasRing);
    if (event->type() == QEvent::ShortcutOverride && m_isDragged
        && (static_cast<QKeyEvent*>(event)->matches(QKeySequence::Undo)
            || static_cast<QKeyEvent*>(event)->matches(QKeySequence::Redo))) {
        event->accept(); // delivered as a key press instead
        return true;
    }
    return QWidget::event(event);
}

void BudgetHandle::keyPressEvent(QKeyEvent* event)
{
    if (m_isDragged && event->matches(QKeySequence::Undo)) {
        Q_EMIT cancelRequested();
        return;
    }
    const KeyStep step = stepOf(event->modifiers());
    switch (event->key()) {
    case Qt::Key_Up: Q_EMIT keyed(BudgetKey::Up, step); return;
    case Qt::Key_Down: Q_EMIT keyed(BudgetKey::Down, step); return;
    case Qt::Key_PageUp: Q_EMIT keyed(BudgetKey::NextTarget, step); return;
    case Qt::Key_PageDown: Q_EMIT keyed(BudgetKey::PreviousTarget, step); return;
    case Qt::Key_Home: Q_EMIT keyed(BudgetKey::UnplannedPeak, step); return;
    case Qt::Key_End: Q_EMIT keyed(BudgetKey::Smallest, step); return;
    case Qt::Key_Return:
    case Qt::Key_Enter: Q_EMIT typeRequested(); return;
    case Qt::Key_Escape: Q_EMIT cancelRequested(); return;
    default: QWidget::keyPressEvent(event);
    }
}

void installBudgetAccessibility()
{
    static const bool kInstalled = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    static_cast<void>(kInstalled);
}

} // namespace plimsoll::ui
