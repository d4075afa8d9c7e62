// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/record/launch_spec.h"

#include <QWidget>

#include <map>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace plimsoll::ui {

class Settings;

/// The program to record, by hand or from those recorded before, and the line for a shell that does
/// the same.
class LaunchForm : public QWidget
{
    Q_OBJECT

public:
    explicit LaunchForm(Settings& settings, QWidget* parent = nullptr);

    [[nodiscard]] LaunchSpec spec() const;
    void setSpec(const LaunchSpec& spec);
    /// Below the field that is wrong, which gets the focus.
    void showFault(const LaunchFault& fault);
    void hideFaults();
    /// Among the programs recorded before.
    void remember();

Q_SIGNALS:
    /// Enter was pressed in a field.
    void accepted();

private:
    void buildRecent(QFormLayout& form);
    void buildFields(QFormLayout& form);
    void buildOptions(QFormLayout& form);
    void buildLine(QFormLayout& form);
    void addFaultRow(QFormLayout& form, LaunchField field, QWidget* widget);
    void listRecent();
    void chooseFolder();
    void updateLine();

    Settings& m_settings;
    QWidget* m_recentLabel = nullptr;
    QComboBox* m_recent = nullptr;
    QLineEdit* m_command = nullptr;
    QLineEdit* m_folder = nullptr;
    QPlainTextEdit* m_environment = nullptr;
    QLineEdit* m_output = nullptr;
    QCheckBox* m_tensors = nullptr;
    QCheckBox* m_snapshot = nullptr;
    QLineEdit* m_line = nullptr;
    QPushButton* m_copy = nullptr;
    std::map<LaunchField, std::pair<QWidget*, QLabel*>> m_faults;
};

} // namespace plimsoll::ui
