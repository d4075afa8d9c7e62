// SPDX-License-Identifier: Apache-2.0
#include "ui/record/launch_command.h"

#include "ui/base/texts.h"
#include "ui/record/launch_dialog.h"

#include <QMessageBox>
#include <QPushButton>

#include <utility>

namespace plimsoll::ui {

namespace {

constexpr qsizetype kMostCommand = 40;

QString runningText(const Recorder& recorder)
{
    QString command = fileText(recorder.command());
    if (command.size() > kMostCommand)
        command = command.left(kMostCommand - 1) + u'…';
    return QObject::tr("%1 is running").arg(command);
}

bool mayEnd(const Recorder& recorder, QWidget& window)
{
    QMessageBox box{QMessageBox::NoIcon, QObject::tr("Plimsoll"),
                    QObject::tr("%1. Closing the window ends it.").arg(runningText(recorder)),
                    QMessageBox::NoButton, &window};
    box.setTextFormat(Qt::PlainText);
    const QAbstractButton* end =
        box.addButton(QObject::tr("End the program"), QMessageBox::DestructiveRole);
    box.setDefaultButton(box.addButton(QObject::tr("Keep open"), QMessageBox::RejectRole));
    box.exec();
    return box.clickedButton() == end;
}

WindowActivity activityOf(std::shared_ptr<Recorder> recorder)
{
    return {
        .text = [recorder] { return recorder->isRunning() ? runningText(*recorder) : QString{}; },
        .mayEnd = [recorder](QWidget& window) { return mayEnd(*recorder, window); },
        .watch =
            [recorder](QObject& context, std::function<void()> changed) {
                QObject::connect(recorder.get(), &Recorder::stateChanged, &context,
                                 std::move(changed));
            }};
}

} // namespace

WindowCommand launchCommand(Settings& settings, std::shared_ptr<Recorder> recorder)
{
    const auto run = [&settings, recorder](const WindowAccess& access) {
        auto* dialog = access.window.findChild<LaunchDialog*>({}, Qt::FindDirectChildrenOnly);
        if (dialog == nullptr)
            dialog = new LaunchDialog{recorder, settings,
                                      [open = access.open](const QString& file) { open({file}); },
                                      &access.window};
        dialog->show();
        dialog->raise();
        dialog->activateWindow();
    };
    return {.id = "file.record",
            .text = QObject::tr("Record a Program…"),
            .key = "Ctrl+R",
            .icon = "record",
            .run = run,
            .activity = activityOf(std::move(recorder))};
}

} // namespace plimsoll::ui
