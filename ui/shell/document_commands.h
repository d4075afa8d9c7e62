// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/numbers.h"
#include "ui/shell/document_controller.h"

#include <QCoreApplication>
#include <QUndoCommand>

namespace plimsoll::ui {

/// One release of the budget line, one typed value.
class BudgetCommand : public QUndoCommand
{
public:
    BudgetCommand(DocumentController& document, base::Bytes before, base::Bytes after)
        : QUndoCommand{QCoreApplication::translate("Undo", "Budget %1 → %2")
                           .arg(bytesText(before), bytesText(after))}
        , m_document{document}
        , m_before{before}
        , m_after{after}
    {
    }
    void undo() override { m_document.applyBudget(m_before); }
    void redo() override { m_document.applyBudget(m_after); }

private:
    DocumentController& m_document;
    base::Bytes m_before;
    base::Bytes m_after;
};

/// One change of device, reserve, planner, options or size.
class ChoicesCommand : public QUndoCommand
{
public:
    ChoicesCommand(DocumentController& document, workspace::Choices before,
                   workspace::Choices after)
        : QUndoCommand{before.sizes == after.sizes
                           ? QCoreApplication::translate("Undo", "Choices of the planner")
                           : QCoreApplication::translate("Undo", "Size of the step")}
        , m_document{document}
        , m_before{std::move(before)}
        , m_after{std::move(after)}
    {
    }
    void undo() override { m_document.applyChoices(m_before); }
    void redo() override { m_document.applyChoices(m_after); }

private:
    DocumentController& m_document;
    workspace::Choices m_before;
    workspace::Choices m_after;
};

} // namespace plimsoll::ui
