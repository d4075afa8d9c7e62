// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/live/alarm_bar.h"

#include "ui/base/numbers.h"
#include "ui/base/widgets.h"

#include <QLineEdit>

namespace plimsoll::ui {

namespace {
constexpr int kFieldWidth = 110;
} // namespace

AlarmBar::AlarmBar(QWidget* parent) : QWidget{parent}
{
    const Theme& theme = Theme::current();
    auto* row = makeRow(this, 8, {12, 4, 12, 4});
    row->addWidget(new TextLabel{tr("Alarm above"), TextRole::Body, Role::Muted, this});
    m_field = new QLineEdit{this};
    m_field->setPlaceholderText(tr("such as 20 GiB"));
    m_field->setAccessibleName(tr("Alarm"));
    m_field->setAccessibleDescription(
        tr("A message appears when reserved memory exceeds this. Empty: no alarm."));
    m_field->setToolTip(m_field->accessibleDescription());
    m_field->setFixedWidth(theme.px(kFieldWidth));
    m_field->setClearButtonEnabled(true);
    row->addWidget(m_field);
    m_fault = new TextLabel{{}, TextRole::Body, Role::Danger, this};
    row->addWidget(m_fault, 1);
    connect(m_field, &QLineEdit::editingFinished, this, &AlarmBar::read);
    connect(m_field, &QLineEdit::textEdited, this, [this] { m_fault->setText({}); });
}

void AlarmBar::setAlarm(std::optional<base::Bytes> alarm)
{
    if (alarm == m_alarm)
        return; // what is being typed stays
    m_alarm = alarm;
    m_fault->setText({});
    m_field->setText(alarm ? ui::bytesText(*alarm) : QString{});
}

void AlarmBar::showDragged(std::optional<base::Bytes> dragged)
{
    const std::optional<base::Bytes> shown = dragged ? dragged : m_alarm;
    m_fault->setText({});
    m_field->setText(shown ? ui::bytesText(*shown) : QString{});
}

void AlarmBar::begin()
{
    show();
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

QString AlarmBar::fault() const
{
    return m_fault->text();
}

void AlarmBar::read()
{
    const QString text = m_field->text().trimmed();
    if (text == (m_alarm ? ui::bytesText(*m_alarm) : QString{}))
        return;
    if (text.isEmpty()) {
        Q_EMIT alarmWanted(std::nullopt);
        return;
    }
    const base::Result<base::Bytes> bytes = parseBytes(text);
    if (!bytes)
        m_fault->setText(QString::fromStdString(bytes.error().message));
    else if (bytes->count() == 0)
        m_fault->setText(tr("The alarm must be larger than 0."));
    else
        Q_EMIT alarmWanted(*bytes);
}

} // namespace plimsoll::ui
