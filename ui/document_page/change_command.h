// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QUndoCommand>

#include <functional>
#include <utility>

namespace plimsoll::ui {

/// One change made by the user. `redo` is called when it is pushed.
class ChangeCommand : public QUndoCommand
{
public:
    ChangeCommand(const QString& text, std::function<void()> undo, std::function<void()> redo)
        : QUndoCommand{text}, m_undo{std::move(undo)}, m_redo{std::move(redo)}
    {
    }
    void undo() override { m_undo(); }
    void redo() override { m_redo(); }

private:
    std::function<void()> m_undo;
    std::function<void()> m_redo;
};

} // namespace plimsoll::ui
