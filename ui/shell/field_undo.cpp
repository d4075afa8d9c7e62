// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/field_undo.h"

#include <QAbstractSpinBox>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>

namespace plimsoll::ui {

FieldUndo::FieldUndo(QObject* parent) : QObject{parent}
{
    QCoreApplication::instance()->installEventFilter(this);
}

bool FieldUndo::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ShortcutOverride)
        return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isUndo = key->matches(QKeySequence::Undo);
    if (!isUndo && !key->matches(QKeySequence::Redo))
        return false;
    const auto* field = qobject_cast<QLineEdit*>(watched);
    if (qobject_cast<QAbstractSpinBox*>(watched) != nullptr)
        field = watched->findChild<QLineEdit*>();
    if (field == nullptr || (isUndo ? field->isUndoAvailable() : field->isRedoAvailable()))
        return false;
    event->ignore();
    return true;
}

} // namespace plimsoll::ui
