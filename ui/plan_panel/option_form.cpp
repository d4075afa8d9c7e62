// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/option_form.h"

#include "core/solve/registry.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"

#include <QComboBox>
#include <QFormLayout>

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr double kLabelWidth = 58; // as in the panel: the fields line up

} // namespace

OptionForm::OptionForm(QWidget* parent) : QWidget{parent}
{
    const Theme& theme = Theme::current();
    auto* form = new QFormLayout{this};
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(theme.px(8));
    form->setVerticalSpacing(theme.px(6));
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    for (const auto& planner : solve::planners())
        for (const solve::OptionRecord& record : planner->descriptor().options)
            if (!record.choices.empty()
                && std::none_of(m_rows.begin(), m_rows.end(),
                                [&](const Row& row) { return row.name == record.name; }))
                addRow(record);
}

void OptionForm::addRow(const solve::OptionRecord& record)
{
    const Theme& theme = Theme::current();
    auto* combo = new QComboBox{this};
    combo->setObjectName(QString::fromStdString(record.name));
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    for (std::size_t i = 0; i < record.choices.size(); ++i)
        combo->addItem(QString::fromStdString(record.choices[i]),
                       static_cast<qint64>(record.lower) + static_cast<qint64>(i));
    combo->setToolTip(QString::fromStdString(record.sentence));
    combo->setAccessibleName(QString::fromStdString(record.label));
    combo->setAccessibleDescription(QString::fromStdString(record.sentence));
    auto* label =
        new TextLabel{QString::fromStdString(record.label), TextRole::Body, Role::Muted, this};
    label->setMinimumSize(theme.px(kLabelWidth), theme.rowHeight(28));
    qobject_cast<QFormLayout*>(layout())->addRow(label, combo);
    const QString name = QString::fromStdString(record.name);
    connect(combo, &QComboBox::activated, this, [this, combo, name](int row) {
        Q_EMIT optionChosen(name, combo->itemData(row).toLongLong());
    });
    m_rows.push_back({record.name, combo});
}

void OptionForm::setShown(const std::string& name, bool shown)
{
    for (const Row& row : m_rows)
        if (row.name == name)
            qobject_cast<QFormLayout*>(layout())->setRowVisible(row.combo, shown);
}

void OptionForm::setOptions(const std::string& planner, const solve::Options& options)
{
    const auto found = solve::findPlanner(planner);
    for (const Row& row : m_rows) {
        bool isKnown = false;
        if (found)
            for (const solve::OptionRecord& record : (*found)->descriptor().options)
                isKnown = isKnown || record.name == row.name;
        row.combo->setEnabled(isKnown);
        const std::int64_t value =
            isKnown ? solve::optionValue((*found)->descriptor(), options, row.name) : 0;
        row.combo->setCurrentIndex(std::max(row.combo->findData(static_cast<qint64>(value)), 0));
    }
}

} // namespace plimsoll::ui
