// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/record/recorder.h"

#include <QDialog>

#include <functional>

class QLabel;
class QPushButton;

namespace plimsoll::ui {

class LaunchForm;
class OutputView;
class Settings;

/// Starts a program that is recorded, shows its output and how it ended. May be closed while the
/// program runs.
class LaunchDialog : public QDialog
{
    Q_OBJECT

public:
    /// `open`: opens a recording in a tab.
    LaunchDialog(std::shared_ptr<Recorder> recorder, Settings& settings,
                 std::function<void(const QString& file)> open, QWidget* parent = nullptr);
    ~LaunchDialog() override;

    [[nodiscard]] LaunchForm& form() const { return *m_form; }
    [[nodiscard]] OutputView& output() const { return *m_output; }
    /// How it is with the program.
    [[nodiscard]] QString stateText() const;

private:
    void buildButtons();
    void launch();
    void showState();

    std::shared_ptr<Recorder> m_recorder;
    QLabel* m_missing = nullptr; ///< why nothing may be recorded on this computer
    LaunchForm* m_form = nullptr;
    QLabel* m_state = nullptr;
    OutputView* m_output = nullptr;
    QPushButton* m_record = nullptr;
    QPushButton* m_stop = nullptr;
    QTimer m_second;
};

} // namespace plimsoll::ui
