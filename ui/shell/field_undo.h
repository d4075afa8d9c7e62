// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

namespace plimsoll::ui {

/// Lets Undo and Redo of the window's menu through a text field that has nothing of its own to undo
/// or redo. QLineEdit keeps both keys for itself in any case.
class FieldUndo : public QObject
{
    Q_OBJECT

public:
    /// For all fields of the program's windows.
    explicit FieldUndo(QObject* parent);

    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace plimsoll::ui
