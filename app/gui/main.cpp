// SPDX-License-Identifier: Apache-2.0
#include "app/gui/composition.h"
#include "app/gui/screenshot.h"
#include "core/device/own_device.h"
#include "ui/base/settings.h"
#include "ui/base/theme.h"
#include "ui/shell/main_window.h"

#include <QApplication>
#include <QTemporaryDir>

#include <algorithm>
#include <memory>

namespace gui = plimsoll::gui;
namespace ui = plimsoll::ui;

namespace {

/// QPainter does not draw smaller than 1:1: below 1, Qt shrinks windows and clips but not their
/// content. So such a factor is taken from Qt, and the theme draws everything smaller instead.
double takeSmallScaleFactor()
{
    constexpr const char* kVariable = "QT_SCALE_FACTOR";
    constexpr double kLeast = 0.25;
    bool ok = false;
    const double factor = qgetenv(kVariable).toDouble(&ok);
    if (!ok || !(factor > 0) || factor >= 1)
        return 1.0;
    qunsetenv(kVariable);
    return std::max(factor, kLeast);
}

} // namespace

int main(int argc, char** argv)
{
    const double factor = takeSmallScaleFactor();
    QCoreApplication::setApplicationName(QStringLiteral("plimsoll"));
    QCoreApplication::setOrganizationName(QStringLiteral("plimsoll"));
    QCoreApplication::setApplicationVersion(QStringLiteral(PLIMSOLL_VERSION));
    const gui::Arguments arguments = gui::readArguments(argc, argv);

    const QApplication application{argc, argv};
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Plimsoll"));
    ui::Theme theme;
    // A screenshot must neither depend on this user's settings and GPU nor change them.
    const QTemporaryDir folder;
    const auto settings =
        arguments.screenshot.isEmpty()
            ? std::make_unique<ui::Settings>()
            : std::make_unique<ui::Settings>(folder.filePath(QStringLiteral("settings.ini")));
    if (arguments.screenshot.isEmpty() && settings->gpu().isEmpty())
        if (const auto own = plimsoll::plan::ownDevice())
            settings->setGpu(QString::fromStdString(own->id));
    theme.setSystemFactor(factor);
    settings->drive(theme);
    if (arguments.theme)
        theme.setChoice(*arguments.theme);
    ui::MainWindow window{*settings, gui::pageKinds(*settings, arguments)};
    if (arguments.size)
        window.resize(*arguments.size * factor);
    // A closed window may stay hidden until it has written; then no visible one is last to close.
    QObject::connect(&window, &ui::MainWindow::closed, &application, &QApplication::quit,
                     Qt::QueuedConnection);
    window.show();
    window.openFiles(arguments.files);
    if (!arguments.screenshot.isEmpty())
        gui::takeScreenshot(window, arguments);
    return QApplication::exec();
}
