// SPDX-License-Identifier: Apache-2.0
#include "ui/models/option_names.h"

#include "core/solve/registry.h"
#include "ui/base/texts.h"

#include <QCoreApplication>
#include <QStringList>

namespace plimsoll::ui {

namespace {

QString optionText(const char* text)
{
    return QCoreApplication::translate("OptionNames", text);
}

/// "stage variants", "without stage variants", "regions op".
QString chosenText(const solve::OptionRecord& record, const solve::OptionValue& value)
{
    QString title = optionTitle(record);
    title = title.left(1).toLower() + title.mid(1);
    if (!solve::isSwitch(record))
        return title + u' ' + fileText(solve::valueText(record, value));
    return std::get<std::int64_t>(value) != 0 ? title : optionText("without %1").arg(title);
}

} // namespace

QString optionTitle(const solve::OptionRecord& record)
{
    if (!record.label.empty())
        return QString::fromStdString(record.label);
    const QString name = QString::fromStdString(record.name).replace(u'-', u' ');
    return name.left(1).toUpper() + name.mid(1);
}

QString plannerTitle(const workspace::Choices& choices)
{
    QStringList texts{fileText(choices.planner)};
    const base::Result<const solve::Planner*> planner = solve::findPlanner(choices.planner);
    if (!planner)
        return texts.front();
    for (const solve::OptionRecord& record : (*planner)->descriptor().options) {
        const auto chosen = choices.options.find(record.name);
        if (chosen != choices.options.end() && chosen->second != solve::defaultValue(record))
            texts << chosenText(record, chosen->second);
    }
    return texts.join(QStringLiteral(", "));
}

} // namespace plimsoll::ui
