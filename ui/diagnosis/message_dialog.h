// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>

class QPlainTextEdit;

namespace plimsoll::ui {

class DiagnosisView;

/// Takes what PyTorch printed when an allocation failed, and tells what it says and what would
/// help.
class MessageDialog : public QDialog
{
    Q_OBJECT

public:
    explicit MessageDialog(QWidget* parent = nullptr);

    [[nodiscard]] QPlainTextEdit& message() const { return *m_message; }
    [[nodiscard]] DiagnosisView& diagnosis() const { return *m_diagnosis; }

private:
    void diagnose();

    QPlainTextEdit* m_message = nullptr;
    DiagnosisView* m_diagnosis = nullptr;
};

} // namespace plimsoll::ui
