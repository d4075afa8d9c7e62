// SPDX-License-Identifier: Apache-2.0
#include "ui/problem_form/option_form.h"

#include "core/solve/registry.h"
#include "ui/base/help_context.h"
#include "ui/base/texts.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/models/option_names.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>

#include <algorithm>
#include <optional>
#include <utility>

namespace plimsoll::ui {

namespace {

std::optional<solve::OptionRecord> recordOf(const std::string& planner, const std::string& name)
{
    if (const auto found = solve::findPlanner(planner))
        for (const solve::OptionRecord& record : (*found)->descriptor().options)
            if (record.name == name)
                return record;
    return std::nullopt;
}

int numberOf(const solve::OptionValue& value)
{
    return static_cast<int>(std::get<std::int64_t>(value));
}

} // namespace

OptionForm::OptionForm(QWidget* parent) : QWidget{parent}
{
    makeForm(this, 8, 6);
    for (const auto& planner : solve::planners())
        for (const solve::OptionRecord& record : planner->descriptor().options)
            if (std::ranges::find(m_rows, record.name, &Row::name) == m_rows.end())
                addRow(record);
}

OptionForm::Row OptionForm::makeList(const solve::OptionRecord& record)
{
    auto* combo = new QComboBox{this};
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    for (std::size_t i = 0; i < record.choices.size(); ++i)
        combo->addItem(QString::fromStdString(record.choices[i]),
                       static_cast<int>(record.lower) + static_cast<int>(i));
    const QString name = QString::fromStdString(record.name);
    connect(combo, &QComboBox::activated, this, [this, combo, name](int row) {
        Q_EMIT optionChosen(name, std::int64_t{combo->itemData(row).toInt()});
    });
    return {record.name, combo,
            [combo](const solve::OptionRecord& /*record*/, const solve::OptionValue& value) {
                combo->setCurrentIndex(std::max(combo->findData(numberOf(value)), 0));
            }};
}

OptionForm::Row OptionForm::makeNumber(const solve::OptionRecord& record)
{
    auto* box = new QSpinBox{this};
    box->setKeyboardTracking(false); // a partly typed number isn't a choice
    const QString name = QString::fromStdString(record.name);
    connect(box, &QSpinBox::valueChanged, this,
            [this, name](int value) { Q_EMIT optionChosen(name, std::int64_t{value}); });
    return {record.name, box,
            [box](const solve::OptionRecord& shown, const solve::OptionValue& value) {
                const QSignalBlocker quiet{box}; // setOptions() isn't a user's choice
                box->setRange(static_cast<int>(shown.lower), static_cast<int>(shown.upper));
                box->setValue(numberOf(value));
            }};
}

OptionForm::Row OptionForm::makeText(const solve::OptionRecord& record)
{
    auto* edit = new QLineEdit{this};
    edit->setPlaceholderText(QString::fromStdString(record.example));
    edit->setMaxLength(static_cast<int>(record.upper));
    const QString name = QString::fromStdString(record.name);
    // Not while typing, since a partial name isn't a choice, nor after an edit without change.
    connect(edit, &QLineEdit::editingFinished, this, [this, edit, name] {
        if (!edit->isModified())
            return;
        edit->setModified(false);
        Q_EMIT optionChosen(name, edit->text().trimmed().toStdString());
    });
    return {record.name, edit,
            [edit, shown = QString{}](const solve::OptionRecord& /*record*/,
                                      const solve::OptionValue& value) mutable {
                const QString text = QString::fromStdString(std::get<std::string>(value));
                if (text == shown && edit->isModified())
                    return; // don't overwrite text being typed while plans arrive
                shown = text;
                edit->setText(text);
            }};
}

OptionForm::Row OptionForm::makeRow(const solve::OptionRecord& record)
{
    if (solve::isSwitch(record))
        return makeSwitch(record);
    switch (record.kind()) {
    case solve::OptionKind::Choice: return makeList(record);
    case solve::OptionKind::Text: return makeText(record);
    case solve::OptionKind::Number: break;
    }
    return makeNumber(record);
}

OptionForm::Row OptionForm::makeSwitch(const solve::OptionRecord& record)
{
    auto* box = new QCheckBox{QString::fromStdString(record.label), this};
    box->setMinimumHeight(Theme::current().rowHeight(20));
    const QString name = QString::fromStdString(record.name);
    // clicked(), not toggled(), since setOptions() isn't a user's choice.
    connect(box, &QCheckBox::clicked, this,
            [this, name](bool checked) { Q_EMIT optionChosen(name, std::int64_t{checked}); });
    return {record.name, box,
            [box](const solve::OptionRecord& /*record*/, const solve::OptionValue& value) {
                box->setChecked(numberOf(value) == 1);
            }};
}

void OptionForm::addRow(const solve::OptionRecord& record)
{
    const Theme& theme = Theme::current();
    const QString title = optionTitle(record);
    const QString sentence = QString::fromStdString(record.sentence);
    const bool isSwitch = solve::isSwitch(record);
    Row row = makeRow(record);
    row.field->setObjectName(QString::fromStdString(record.name));
    row.field->setToolTip(plainTip(sentence));
    row.field->setAccessibleName(title);
    if (auto* inside = row.field->findChild<QLineEdit*>()) { // a spin box's edit takes the focus
        inside->setAccessibleName(title);
        inside->setAccessibleDescription(sentence);
    }
    row.field->setAccessibleDescription(sentence);
    // A switch has its own text; the empty label keeps all fields aligned.
    auto* label = new TextLabel{isSwitch ? QString{} : title, TextRole::Body, Role::Muted, this};
    label->setMinimumWidth(theme.px(kFieldLabelWidth));
    if (!isSwitch)
        label->setMinimumHeight(theme.rowHeight(28));
    formLayout().addRow(label, row.field);
    m_rows.push_back(std::move(row));
}

void OptionForm::setShown(const std::string& name, bool shown)
{
    if (shown)
        m_absent.erase(name);
    else
        m_absent.insert(name);
    for (const Row& row : m_rows)
        if (row.name == name)
            formLayout().setRowVisible(row.field, shown && recordOf(m_planner, name).has_value());
}

void OptionForm::setOptions(const std::string& planner, const solve::Options& options)
{
    m_planner = planner;
    setManualPage(*this, QStringLiteral("planners.md#") + QString::fromStdString(planner));
    for (const Row& row : m_rows) {
        const std::optional<solve::OptionRecord> record = recordOf(planner, row.name);
        formLayout().setRowVisible(row.field, record && !m_absent.contains(row.name));
        if (!record)
            continue;
        const auto chosen = options.find(row.name);
        row.field->setEnabled(record->lower < record->upper);
        row.show(*record, chosen != options.end() ? chosen->second : solve::defaultValue(*record));
    }
}

} // namespace plimsoll::ui
