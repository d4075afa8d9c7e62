// SPDX-License-Identifier: Apache-2.0
#include "ui/record/launch_spec.h"

#include "ui/base/texts.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QObject>
#include <QRegularExpression>
#include <QStandardPaths>

#include <utility>
#include <vector>

namespace plimsoll::ui {

namespace {

struct NamedValue
{
    QString name;
    QString value;
};

/// Of the lines that aren't empty; none from the first wrong line on, whose number is then set.
std::vector<NamedValue> variablesOf(const QString& text, int& wrongLine)
{
    static const QRegularExpression name{QStringLiteral("^[A-Za-z_][A-Za-z0-9_]*$")};
    std::vector<NamedValue> variables;
    int number = 0;
    for (const QString& line : text.split(u'\n')) {
        ++number;
        if (line.trimmed().isEmpty())
            continue;
        const qsizetype equals = line.indexOf(u'=');
        const QString before = line.left(equals).trimmed();
        if (equals < 0 || !name.match(before).hasMatch()) {
            wrongLine = number;
            return variables;
        }
        variables.push_back({before, line.mid(equals + 1).trimmed()});
    }
    return variables;
}

/// Of a command with quotes and backslashes as a shell has them; nothing of it is expanded. None: a
/// quote isn't closed.
std::optional<QStringList> shellWords(const QString& text)
{
    QStringList words;
    std::optional<QString> word;
    QChar quote;
    const auto add = [&word](QStringView part) { word = word.value_or(QString{}) + part; };
    for (qsizetype at = 0; at < text.size(); ++at) {
        const QChar sign = text[at];
        const QChar next = at + 1 < text.size() ? text[at + 1] : QChar{};
        if (!quote.isNull() && sign == quote) {
            quote = {};
        } else if (quote.isNull() && (sign == u'\'' || sign == u'"')) {
            quote = sign;
            add({});
        } else if (sign == u'\\' && !next.isNull()
                   && (quote.isNull() || (quote == u'"' && (next == u'"' || next == u'\\')))) {
            add(QString{next});
            ++at;
        } else if (quote.isNull() && sign.isSpace()) {
            if (word)
                words << *std::exchange(word, std::nullopt);
        } else {
            add(QString{sign});
        }
    }
    if (!quote.isNull())
        return std::nullopt;
    if (word)
        words << *word;
    return words;
}

/// Empty: there is no such program.
QString programPath(const QString& name, const QString& folder,
                    const QProcessEnvironment& environment)
{
    if (!name.contains(u'/'))
        return QStandardPaths::findExecutable(
            name, environment.value(QStringLiteral("PATH")).split(u':', Qt::SkipEmptyParts));
    const QFileInfo file{QDir{folder}.absoluteFilePath(name)};
    return file.isFile() && file.isExecutable() ? file.absoluteFilePath() : QString{};
}

/// "~/work" as a shell reads it.
QString absoluteFolder(const QString& folder)
{
    if (folder.isEmpty() || folder == QStringLiteral("~"))
        return QDir::homePath();
    if (folder.startsWith(QStringLiteral("~/")))
        return QDir::home().absoluteFilePath(folder.mid(2));
    return QDir{folder}.absolutePath();
}

QString faultOfProgram(const QString& name)
{
    return name.contains(u'/')
               ? QObject::tr("%1 is no file that can be executed: check its name and its "
                             "permissions.")
                     .arg(fileText(name))
               : QObject::tr("%1 is in no folder of PATH: check its name, or give its path.")
                     .arg(fileText(name));
}

} // namespace

std::optional<LaunchParts> partsOf(const LaunchSpec& spec, LaunchFault& fault)
{
    const auto wrong = [&fault](LaunchField field, const QString& sentence) {
        fault = {field, sentence};
        return std::nullopt;
    };
    const std::optional<QStringList> words = shellWords(spec.command);
    if (!words)
        return wrong(LaunchField::Command,
                     QObject::tr("A quote is not closed: close it, or put a backslash before it."));
    if (words->isEmpty())
        return wrong(LaunchField::Command,
                     QObject::tr("Enter the program to record, such as python train.py."));
    LaunchParts parts;
    parts.folder = absoluteFolder(spec.folder.trimmed());
    if (!QFileInfo{parts.folder}.isDir())
        return wrong(LaunchField::Folder,
                     QObject::tr("%1 is no folder: choose one.").arg(fileText(parts.folder)));
    parts.environment = QProcessEnvironment::systemEnvironment();
    int wrongLine = 0;
    for (const auto& [name, value] : variablesOf(spec.environment, wrongLine))
        parts.environment.insert(name, value);
    if (wrongLine > 0)
        return wrong(LaunchField::Environment,
                     QObject::tr("Line %1 is not of the form NAME=VALUE: correct or remove it.")
                         .arg(wrongLine));
    const QString& name = words->first();
    parts.program = programPath(name, parts.folder, parts.environment);
    if (parts.program.isEmpty())
        return wrong(LaunchField::Command, faultOfProgram(name));
    parts.arguments = words->mid(1);
    return parts;
}

LaunchSpec toRunAgain(LaunchSpec spec)
{
    const QDir folder{absoluteFolder(spec.folder.trimmed())};
    if (const QString output = spec.output.trimmed();
        !output.isEmpty() && QFileInfo::exists(folder.absoluteFilePath(output)))
        spec.output.clear();
    return spec;
}

QString shellWord(const QString& text)
{
    static const QRegularExpression plain{QStringLiteral("^[A-Za-z0-9_@%+=:,./-]+$")};
    if (plain.match(text).hasMatch())
        return text;
    return u'\'' + QString{text}.replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

QString recordLine(const LaunchSpec& spec)
{
    const QStringList words = shellWords(spec.command).value_or(QStringList{});
    int wrongLine = 0;
    const std::vector<NamedValue> variables = variablesOf(spec.environment, wrongLine);
    if (words.isEmpty() || wrongLine > 0)
        return {};
    QStringList line;
    if (const QString folder = spec.folder.trimmed(); !folder.isEmpty())
        line << QStringLiteral("cd") << shellWord(absoluteFolder(folder)) << QStringLiteral("&&");
    for (const auto& [name, value] : variables)
        line << name + u'=' + (value.isEmpty() ? value : shellWord(value));
    line << QStringLiteral("plimsoll-cli") << QStringLiteral("record");
    if (const QString output = spec.output.trimmed(); !output.isEmpty())
        line << QStringLiteral("-o") << shellWord(output);
    if (spec.tensors)
        line << QStringLiteral("--tensors");
    if (spec.snapshot)
        line << QStringLiteral("--snapshot");
    line << QStringLiteral("--");
    for (const QString& word : words)
        line << shellWord(word);
    return line.join(u' ');
}

QString textOf(const LaunchSpec& spec)
{
    return QString::fromUtf8(
        QJsonDocument{QJsonObject{{QStringLiteral("command"), spec.command},
                                  {QStringLiteral("folder"), spec.folder},
                                  {QStringLiteral("environment"), spec.environment},
                                  {QStringLiteral("output"), spec.output},
                                  {QStringLiteral("tensors"), spec.tensors},
                                  {QStringLiteral("snapshot"), spec.snapshot}}}
            .toJson(QJsonDocument::Compact));
}

LaunchSpec launchSpecOf(const QString& text)
{
    const QJsonObject object = QJsonDocument::fromJson(text.toUtf8()).object();
    const auto at = [&object](const char* key) {
        return object.value(QString::fromLatin1(key)).toString();
    };
    const bool tensors = object.value(QStringLiteral("tensors")).toBool();
    return {.command = at("command"),
            .folder = at("folder"),
            .environment = at("environment"),
            .output = at("output"),
            .tensors = tensors,
            .snapshot = !tensors && object.value(QStringLiteral("snapshot")).toBool()};
}

} // namespace plimsoll::ui
