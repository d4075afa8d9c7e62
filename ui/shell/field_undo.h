// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

namespace plimsoll::ui {

/// Passes Undo and Redo to the window's menu from a text field that has nothing to undo or redo.
/// QLineEdit otherwise consumes both keys.
class FieldUndo : public QObject
{
    Q_OBJECT

public:
    /// For all fields of the program's windows.
    explicit FieldUndo(QObject* parent);

    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace plimsoll::ui
