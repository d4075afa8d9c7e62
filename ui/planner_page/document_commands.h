// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"
#include "ui/base/numbers.h"

#include <QCoreApplication>
#include <QUndoCommand>

#include <functional>

namespace plimsoll::ui {

/// One release of the budget line, one typed value.
class BudgetCommand : public QUndoCommand
{
public:
    BudgetCommand(std::function<void(base::Bytes)> apply, base::Bytes before, base::Bytes after)
        : QUndoCommand{QCoreApplication::translate("Undo", "Budget %1 → %2")
                           .arg(bytesText(before), bytesText(after))}
        , m_apply{std::move(apply)}
        , m_before{before}
        , m_after{after}
    {
    }
    void undo() override { m_apply(m_before); }
    void redo() override { m_apply(m_after); }

private:
    std::function<void(base::Bytes)> m_apply;
    base::Bytes m_before;
    base::Bytes m_after;
};

/// One change of device, reserve, planner, options or size.
class ChoicesCommand : public QUndoCommand
{
public:
    ChoicesCommand(std::function<void(const workspace::Choices&)> apply, workspace::Choices before,
                   workspace::Choices after)
        : QUndoCommand{before.sizes == after.sizes
                           ? QCoreApplication::translate("Undo", "Choices of the planner")
                           : QCoreApplication::translate("Undo", "Size of the step")}
        , m_apply{std::move(apply)}
        , m_before{std::move(before)}
        , m_after{std::move(after)}
    {
    }
    void undo() override { m_apply(m_before); }
    void redo() override { m_apply(m_after); }

private:
    std::function<void(const workspace::Choices&)> m_apply;
    workspace::Choices m_before;
    workspace::Choices m_after;
};

} // namespace plimsoll::ui
