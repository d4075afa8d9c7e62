// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/status_line.h"

#include "ui/base/icons.h"
#include "ui/base/widgets.h"
#include "ui/document_page/document_page.h"

#include <QPainter>
#include <QPushButton>

#include <chrono>

namespace plimsoll::ui {

namespace {
constexpr int kHeight = 24; ///< the status bar adds a pixel above and below
constexpr std::chrono::milliseconds kJobDelay{150};
constexpr std::chrono::milliseconds kNoteTime{6000};
} // namespace

/// The icon before the state.
class StatusLine::Sign : public QWidget
{
public:
    explicit Sign(QWidget* parent) : QWidget{parent}
    {
        const int side = Theme::current().px(14);
        setFixedSize(side, side);
    }
    void setIcon(const QString& name, Role role)
    {
        if (name == m_name && role == m_role)
            return;
        m_name = name;
        m_role = role;
        update();
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        if (m_name.isEmpty())
            return;
        QPainter painter{this};
        drawIcon(painter, QRectF{rect()}, m_name, Theme::current().color(m_role));
    }

private:
    QString m_name;
    Role m_role = Role::Muted;
};

StatusLine::StatusLine(QWidget* parent) : QWidget{parent}
{
    const Theme& theme = Theme::current();
    auto* row = makeRow(this, 8, {12, 0, 10, 0});
    m_sign = new Sign{this};
    for (TextLabel** label : {&m_state, &m_job, &m_note, &m_cursor, &m_activity, &m_facts})
        *label = new TextLabel{{}, TextRole::Small, Role::Muted, this};
    m_cancel = new QPushButton{tr("Cancel"), this};
    m_cancel->setProperty("link", true);
    row->addWidget(m_sign);
    row->addWidget(m_state);
    row->addSpacing(theme.px(8));
    row->addWidget(m_job);
    row->addWidget(m_cancel);
    row->addWidget(m_note);
    row->addWidget(m_cursor);
    row->addStretch(1);
    row->addWidget(m_activity);
    row->addWidget(m_facts);
    const auto setHeight = [this] { setFixedHeight(Theme::current().rowHeight(kHeight)); };
    connect(&theme, &Theme::changed, this, setHeight);
    setHeight(); // in any state
    m_cancel->hide();
    m_job->hide();
    m_activity->setColor(Role::Accent);
    m_activity->setObjectName(QStringLiteral("activity"));
    m_activity->hide();
    m_jobDelay.setSingleShot(true);
    m_jobDelay.setInterval(kJobDelay);
    m_noteTime.setSingleShot(true);
    m_noteTime.setInterval(kNoteTime);
    connect(&m_jobDelay, &QTimer::timeout, this, [this] {
        m_job->show();
        m_cancel->show();
    });
    connect(&m_noteTime, &QTimer::timeout, this, [this] { m_note->setText({}); });
    connect(m_cancel, &QPushButton::clicked, this, &StatusLine::cancelRequested);
}

void StatusLine::showPage(const DocumentPage* page)
{
    m_cursor->setText(page == nullptr ? QString{} : page->cursorText());
    m_facts->setText(page == nullptr ? QString{} : page->factsText());
    if (page == nullptr) {
        m_state->setText(tr("Drop files anywhere in this window."));
        m_state->setColor(Role::Muted);
        m_sign->setIcon(QStringLiteral("info"), Role::Muted);
        return;
    }
    const StatusText status = page->status();
    m_state->setText(status.text);
    m_state->setColor(status.isDanger ? Role::Danger : Role::Muted);
    m_sign->setIcon(status.icon, status.isDanger                             ? Role::Danger
                                 : status.icon == QStringLiteral("verified") ? Role::Ok
                                                                             : Role::Muted);
}

void StatusLine::showJob(const QString& name)
{
    if (name.isEmpty()) {
        m_jobDelay.stop();
        m_job->hide();
        m_cancel->hide();
        m_job->setText({});
        return;
    }
    if (m_job->text().isEmpty())
        m_jobDelay.start();
    m_job->setText(name);
}

void StatusLine::showActivity(const QString& text)
{
    m_activity->setText(text);
    m_activity->setVisible(!text.isEmpty());
}

void StatusLine::showNote(const QString& note)
{
    m_note->setText(note);
    m_noteTime.start();
}

QString StatusLine::note() const
{
    return m_note->text();
}

} // namespace plimsoll::ui
