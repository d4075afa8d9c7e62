// SPDX-License-Identifier: Apache-2.0
#include "ui/record/launch_command.h"

#include "ui/record/launch_dialog.h"

#include <utility>

namespace plimsoll::ui {

WindowCommand launchCommand(Settings& settings, std::shared_ptr<Recorder> recorder)
{
    const auto run = [&settings, recorder = std::move(recorder)](const WindowAccess& access) {
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
            .run = run};
}

} // namespace plimsoll::ui
