// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/allocator/allocator_settings.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;

namespace plimsoll::ui {

/// Settings of PyTorch's allocator, as PYTORCH_CUDA_ALLOC_CONF has them, and a box for the one that
/// helps most. Text that PyTorch would not understand is told and taken back.
class AllocatorForm : public QWidget
{
    Q_OBJECT

public:
    explicit AllocatorForm(QWidget* parent = nullptr);

    /// Also shows it. Text that doesn't parse leaves the defaults.
    void setText(const QString& text);
    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] const allocator::AllocatorSettings& settings() const { return m_settings; }

Q_SIGNALS:
    void settingsChanged();
    /// The user wants other settings; setText() takes them.
    void textChosen(const QString& before, const QString& now);

private:
    void choose(const QString& text);

    QString m_text; ///< of the settings
    allocator::AllocatorSettings m_settings;
    QCheckBox* m_expandable = nullptr;
    QLineEdit* m_edit = nullptr;
    QLabel* m_error = nullptr;
};

} // namespace plimsoll::ui
