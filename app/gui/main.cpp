// SPDX-License-Identifier: Apache-2.0
#include "app/gui/composition.h"
#include "app/gui/screenshot.h"
#include "ui/base/settings.h"
#include "ui/base/theme.h"
#include "ui/shell/main_window.h"

#include <QApplication>
#include <QTemporaryDir>

#include <memory>

namespace gui = plimsoll::gui;
namespace ui = plimsoll::ui;

int main(int argc, char** argv)
{
    QCoreApplication::setApplicationName(QStringLiteral("plimsoll"));
    QCoreApplication::setOrganizationName(QStringLiteral("plimsoll"));
    QCoreApplication::setApplicationVersion(QStringLiteral(PLIMSOLL_VERSION));
    const gui::Arguments arguments = gui::readArguments(argc, argv);

    const QApplication application{argc, argv};
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Plimsoll"));
    ui::Theme theme;
    // A picture must not depend on what this user did before, nor change it.
    const QTemporaryDir folder;
    const auto settings =
        arguments.screenshot.isEmpty()
            ? std::make_unique<ui::Settings>()
            : std::make_unique<ui::Settings>(folder.filePath(QStringLiteral("settings.ini")));
    settings->drive(theme);
    if (arguments.theme)
        theme.setChoice(*arguments.theme);
    ui::MainWindow window{*settings, arguments.choices};
    if (arguments.size)
        window.resize(*arguments.size);
    if (arguments.budget)
        window.setFirstBudget(*arguments.budget);
    // Closed, it may still have written hidden; then no window is left to be the last one.
    QObject::connect(&window, &ui::MainWindow::closed, &application, &QApplication::quit,
                     Qt::QueuedConnection);
    window.show();
    window.openFiles(arguments.files);
    if (!arguments.screenshot.isEmpty())
        gui::takeScreenshot(window, arguments);
    return QApplication::exec();
}
