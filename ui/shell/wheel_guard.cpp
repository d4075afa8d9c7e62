// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>

namespace plimsoll::ui {

WheelGuard::WheelGuard(QObject* parent) : QObject{parent}
{
    qApp->installEventFilter(this);
}

bool WheelGuard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::Wheel)
        return false;
    // A number field's line edit gets the event first.
    const auto* inside = qobject_cast<const QAbstractSpinBox*>(watched->parent());
    const auto* number =
        inside != nullptr ? inside : qobject_cast<const QAbstractSpinBox*>(watched);
    const bool isIdleNumber = number != nullptr && !number->hasFocus();
    if (!isIdleNumber && qobject_cast<const QComboBox*>(watched) == nullptr)
        return false;
    event->ignore(); // goes on to the parents
    return true;
}

} // namespace plimsoll::ui
