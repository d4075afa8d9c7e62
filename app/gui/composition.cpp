// SPDX-License-Identifier: Apache-2.0
#include "app/gui/composition.h"

#include "core/base/format.h"

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

std::optional<QSize> sizeOf(const QString& text)
{
    static const QRegularExpression pattern{QStringLiteral("^(\\d{3,5})x(\\d{3,5})$")};
    const QRegularExpressionMatch match = pattern.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    return QSize{match.captured(1).toInt(), match.captured(2).toInt()};
}

} // namespace

Arguments readArguments()
{
    QCommandLineParser parser;
    parser.setApplicationDescription(translated("Plans the GPU memory of a training step."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("FILE"),
                                 translated("Traced steps and sessions to open."),
                                 QStringLiteral("[FILE...]"));
    const QCommandLineOption theme = option("theme", "light or dark, for this run.", "THEME");
    const QCommandLineOption size = option("size", "Size of the window, such as 1440x900.", "WxH");
    const QCommandLineOption budget =
        option("budget", "Budget that files begin with, such as 7.25GiB.", "SIZE");
    const QCommandLineOption device = option("device", "GPU by its id, such as a100-80gb.", "ID");
    const QCommandLineOption screenshot = option(
        "screenshot", "Write a picture of the window once all is planned, then end.", "FILE");
    const QCommandLineOption drag{QStringLiteral("drag"),
                                  translated("Take the picture while the budget is dragged.")};
    parser.addOptions({theme, size, budget, device, screenshot, drag});
    parser.process(*QCoreApplication::instance());

    Arguments arguments;
    arguments.files = parser.positionalArguments();
    arguments.screenshot = parser.value(screenshot);
    arguments.drag = parser.isSet(drag);
    if (parser.isSet(theme)) {
        const QString name = parser.value(theme);
        if (name != QStringLiteral("light") && name != QStringLiteral("dark"))
            refuse(translated("--theme takes light or dark, not \"%1\".").arg(name));
        arguments.theme =
            name == QStringLiteral("dark") ? ui::ThemeChoice::Dark : ui::ThemeChoice::Light;
    }
    if (parser.isSet(size)) {
        arguments.size = sizeOf(parser.value(size));
        if (!arguments.size)
            refuse(translated("--size takes a width and a height such as 1440x900."));
    }
    if (parser.isSet(budget)) {
        const base::Result<base::Bytes> bytes =
            base::parseBytes(parser.value(budget).toStdString());
        if (!bytes)
            refuse(QString::fromStdString(bytes.error().message));
        arguments.budget = *bytes;
    }
    const std::string id = parser.isSet(device) ? parser.value(device).toStdString()
                                                : std::string{plan::kDefaultDevice};
    const base::Result<plan::Device> found = plan::findDevice(id);
    if (!found)
        refuse(QString::fromStdString(found.error().message));
    arguments.choices.device = *found;
    return arguments;
}

} // namespace plimsoll::gui
