// SPDX-License-Identifier: Apache-2.0
#include "ui/diagnosis/message_dialog.h"

#include "core/doctor/diagnose.h"
#include "ui/base/help_context.h"
#include "ui/base/widgets.h"
#include "ui/diagnosis/diagnosis_view.h"

#include <QDialogButtonBox>
#include <QPlainTextEdit>

namespace plimsoll::ui {

MessageDialog::MessageDialog(QWidget* parent) : QDialog{parent}
{
    const Theme& theme = Theme::current();
    setWindowTitle(tr("Diagnose an Out-of-Memory Message"));
    setManualPage(*this, QStringLiteral("profiles.md#when-memory-runs-out"));
    resize(theme.px(720), theme.px(600));
    auto* column = makeColumn(this, 10, {14, 14, 14, 14});
    m_message = new QPlainTextEdit{this};
    m_message->setPlaceholderText(
        tr("Paste what PyTorch printed, such as \"CUDA out of memory. Tried to allocate …\"; the "
           "whole traceback will do."));
    m_message->setAccessibleName(tr("Message"));
    m_message->setTabChangesFocus(true);
    column->addWidget(m_message, 2);
    m_diagnosis = new DiagnosisView{this};
    column->addWidget(m_diagnosis, 3);
    auto* buttons = new QDialogButtonBox{QDialogButtonBox::Close, this};
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_message, &QPlainTextEdit::textChanged, this, &MessageDialog::diagnose);
    diagnose();
}

void MessageDialog::diagnose()
{
    const std::string text = m_message->toPlainText().toStdString();
    if (text.find_first_not_of(" \n\t") == std::string::npos) {
        m_diagnosis->showText(tr("The diagnosis appears here."));
        return;
    }
    const auto message = doctor::parseErrorMessage(text);
    if (message)
        m_diagnosis->show(doctor::diagnose(*message), {});
    else
        m_diagnosis->showText(
            tr("In this text, %1").arg(QString::fromStdString(message.error().message)));
}

} // namespace plimsoll::ui
