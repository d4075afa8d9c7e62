// SPDX-License-Identifier: Apache-2.0
#include "app/gui/composition.h"

#include "core/device/known_devices.h"
#include "core/workspace/composition.h"
#include "core/workspace/devices.h"
#include "ui/compare_page/compare_kind.h"
#include "ui/planner_page/planner_kind.h"
#include "ui/planner_page/planner_views.h"
#include "ui/profile_page/profile_kind.h"
#include "ui/profile_page/profile_views.h"
#include "ui/record/launch_command.h"
#include "ui/record/recorder.h"
#include "ui/start_page/opening.h"
#include "ui/timeline_commands/timeline_commands.h"
#include "ui/waterfall_page/waterfall_kind.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QRegularExpression>

#include <cstdio>
#include <cstdlib>

namespace plimsoll::gui {

namespace {

constexpr int kUsage = 2;

QString translated(const char* text)
{
    return QCoreApplication::translate("CommandLine", text);
}

[[noreturn]] void refuse(const QString& sentence)
{
    std::fputs(qPrintable(QStringLiteral("plimsoll: ") + sentence + u'\n'), stderr);
    std::exit(kUsage);
}

QCommandLineOption option(const char* name, const char* sentence, const char* value)
{
    return QCommandLineOption{QString::fromLatin1(name), translated(sentence),
                              QString::fromLatin1(value)};
}

constexpr QSize kSmallest{1024, 640}; ///< that the window takes

std::optional<QSize> sizeOf(const QString& text)
{
    static const QRegularExpression kPattern{QStringLiteral("^(\\d{3,4})x(\\d{3,4})$")};
    const QRegularExpressionMatch match = kPattern.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    const QSize size{match.captured(1).toInt(), match.captured(2).toInt()};
    return size.expandedTo(kSmallest) == size ? std::optional{size} : std::nullopt;
}

/// Options that QApplication reads itself. Without them, "-platform offscreen" would be rejected.
void addToolkitOptions(QCommandLineParser& parser)
{
    const auto add = [&parser](const char* name, const char* value) {
        QCommandLineOption toolkit = option(name, "", value);
        toolkit.setFlags(QCommandLineOption::HiddenFromHelp);
        parser.addOption(toolkit);
    };
    for (const char* name :
         {"platform", "platformpluginpath", "platformtheme", "plugin", "qwindowgeometry",
          "qwindowicon", "qwindowtitle", "style", "stylesheet", "display", "fontengine"})
        add(name, "VALUE");
    for (const char* name : {"reverse", "widgetcount"})
        add(name, "");
}

/// The program's own options and their descriptions.
struct Options
{
    QCommandLineOption theme = option("theme", "light or dark, for this run.", "THEME");
    QCommandLineOption size = option("size", "Size of the window, such as 1440x900.", "WxH");
    QCommandLineOption budget = option(
        "budget", "Initial budget of opened files, such as 7.25GiB, or 80% of the unplanned peak.",
        "SIZE");
    QCommandLineOption device = option("device", "GPU to plan for, such as a100-80gb.", "ID");
    QCommandLineOption screenshot = option(
        "screenshot", "Write a picture of the window once planning is done, then exit.", "FILE");
    QCommandLineOption drag = option("drag", "Take the picture while the budget is dragged.", "");

    void addTo(QCommandLineParser& parser) const
    {
        parser.setSingleDashWordOptionMode(QCommandLineParser::ParseAsLongOptions);
        parser.setApplicationDescription(translated("Plans the GPU memory of a training step."));
        parser.addHelpOption();
        parser.addVersionOption();
        parser.addPositionalArgument(
            QStringLiteral("FILE"),
            translated("Traced steps, memory profiles, sessions and measurements to open; "
                       "a measurement is laid over the step before it."),
            QStringLiteral("[FILE...]"));
        parser.addOptions({theme, size, budget, device, screenshot, drag});
        addToolkitOptions(parser);
    }
};

base::Budget budgetOf(const QString& text)
{
    const base::Result<base::Budget> budget = base::parseBudget(text.toStdString());
    if (!budget)
        refuse(QString::fromStdString(budget.error().message));
    if (budget->isZero())
        refuse(translated("The budget must be larger than 0."));
    return *budget;
}

Arguments argumentsOf(const QCommandLineParser& parser, const Options& options)
{
    Arguments arguments;
    arguments.files = parser.positionalArguments();
    arguments.screenshot = parser.value(options.screenshot);
    arguments.drag = parser.isSet(options.drag);
    if (parser.isSet(options.theme)) {
        const QString name = parser.value(options.theme);
        if (name != QStringLiteral("light") && name != QStringLiteral("dark"))
            refuse(translated("--theme takes light or dark, not \"%1\".").arg(name));
        arguments.theme =
            name == QStringLiteral("dark") ? ui::ThemeChoice::Dark : ui::ThemeChoice::Light;
    }
    if (parser.isSet(options.size)) {
        arguments.size = sizeOf(parser.value(options.size));
        if (!arguments.size)
            refuse(translated("--size takes a width and a height such as 1440x900, "
                              "from 1024x640 to 9999x9999."));
    }
    if (parser.isSet(options.budget))
        arguments.budget = budgetOf(parser.value(options.budget));
    if (parser.isSet(options.device)) {
        const base::Result<plan::Device> found =
            workspace::chooseDevice(parser.value(options.device).toStdString());
        if (!found)
            refuse(QString::fromStdString(found.error().message));
        arguments.device = *found;
    }
    return arguments;
}

} // namespace

Arguments readArguments(int argc, char** argv)
{
    // Destroyed before the real application exists; the parser needs it for names and arguments.
    const QCoreApplication application{argc, argv};
    QCommandLineParser parser;
    const Options options;
    options.addTo(parser);
    if (!parser.parse(QCoreApplication::arguments()))
        refuse(parser.errorText());
    if (parser.isSet(QStringLiteral("version")))
        parser.showVersion();
    if (parser.isSet(QStringLiteral("help")) || parser.isSet(QStringLiteral("help-all")))
        parser.showHelp();
    return argumentsOf(parser, options);
}

ui::PageRegistry pageKinds(ui::Settings& settings, const Arguments& arguments)
{
    const auto recorder = std::make_shared<ui::Recorder>();
    return {workspace::documentKinds(
                ui::openingOf(settings, arguments.device, *plan::findDevice(plan::kDefaultDevice))),
            {ui::withMeasuredCommand(
                 ui::plannerPageKind(settings, arguments.budget, ui::plannerLayout()), settings),
             ui::withCompareCommand(ui::profilePageKind(settings, ui::profileLayout(), recorder),
                                    settings),
             ui::comparePageKind(settings), ui::waterfallPageKind(settings)},
            ui::timelineCommands(),
            {ui::launchCommand(settings, recorder), ui::messageCommand()}};
}

} // namespace plimsoll::gui
