// SPDX-License-Identifier: Apache-2.0
#include "ui/base/message_strip.h"

#include "ui/base/icons.h"
#include "ui/base/texts.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

struct Look
{
    Role ground;
    Role ink;
    const char* icon;
};

Look lookOf(MessageKind kind)
{
    switch (kind) {
    case MessageKind::Danger: return {Role::DangerBg, Role::Danger, "error"};
    case MessageKind::Warn: return {Role::WarnBg, Role::Warn, "warn"};
    case MessageKind::Offer: break;
    }
    return {Role::AccentBg, Role::Accent, "info"};
}

/// The icon at the head of the strip.
class IconLabel : public QWidget
{
public:
    IconLabel(const char* name, Role color, QWidget* parent)
        : QWidget{parent}, m_name{QString::fromLatin1(name)}, m_color{color}
    {
        const int side = Theme::current().px(16);
        setFixedSize(side, side);
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter{this};
        drawIcon(painter, QRectF{rect()}, m_name, Theme::current().color(m_color));
    }

private:
    QString m_name;
    Role m_color;
};

} // namespace

MessageStrip::MessageStrip(QWidget* parent) : QWidget{parent}
{
    m_row = new QHBoxLayout{this};
    setAccessibleName(tr("Message"));
    connect(&Theme::current(), &Theme::changed, this, &MessageStrip::rebuild);
    parent->installEventFilter(this);
    hide();
}

void MessageStrip::setRoom(QWidget& room)
{
    if (parent() == &room)
        return;
    parent()->removeEventFilter(this);
    setParent(&room);
    room.installEventFilter(this);
    place();
    setVisible(!m_messages.empty());
}

bool MessageStrip::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parent() && event->type() == QEvent::Resize)
        place();
    return QWidget::eventFilter(watched, event);
}

void MessageStrip::place()
{
    // As high as the text needs, up to a few lines.
    const int line = Theme::current().rowHeight(38);
    const int width = parentWidget()->width();
    setFixedHeight(
        std::clamp(m_row->hasHeightForWidth() ? m_row->heightForWidth(width) : 0, line, 5 * line));
    setGeometry(0, 0, width, height());
    raise();
}

void MessageStrip::post(Message message)
{
    if (!message.id.isEmpty())
        std::erase_if(m_messages, [&](const Message& old) { return old.id == message.id; });
    m_messages.push_back(std::move(message));
    rebuild();
    Q_EMIT changed();
    Q_EMIT posted(Message{m_messages.back()}); // a copy: a receiver may change the list
}

void MessageStrip::withdraw(const QString& id)
{
    if (std::erase_if(m_messages, [&](const Message& old) { return old.id == id; }) > 0) {
        rebuild();
        Q_EMIT changed();
    }
    Q_EMIT withdrawn(id);
}

void MessageStrip::rebuild()
{
    // Deleted later: its button may be the one being clicked.
    while (QLayoutItem* item = m_row->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    setVisible(!m_messages.empty());
    if (m_messages.empty())
        return;
    const Theme& theme = Theme::current();
    const Message& message = m_messages.back();
    const Look look = lookOf(message.kind);
    setAccessibleDescription(message.first + u' ' + message.rest);
    setToolTip(plainTip(message.first + u' ' + message.rest));
    m_row->setContentsMargins(theme.px(15), theme.px(4), theme.px(12), theme.px(4));
    m_row->setSpacing(theme.px(8));
    m_row->addWidget(new IconLabel{look.icon, look.ink, this});
    m_row->addWidget(new TextLabel{message.first, TextRole::Strong, Role::Text, this});
    auto* rest = new QLabel{message.rest, this};
    rest->setTextFormat(Qt::PlainText);
    rest->setFont(theme.font(TextRole::Body));
    rest->setWordWrap(true);
    m_row->addWidget(rest, 1);
    if (message.kind != MessageKind::Offer)
        addLink(tr("Copy"), tr("Copy the details of this message"), [this] {
            QGuiApplication::clipboard()->setText(shown().first + u' ' + shown().rest);
        });
    if (m_messages.size() > 1)
        addLink(tr("%1 more").arg(m_messages.size() - 1), tr("Show all messages"),
                [this] { Q_EMIT moreClicked(); });
    for (std::size_t i = 0; i < message.actions.size(); ++i) {
        auto* button = new QPushButton{message.actions[i].text, this};
        button->setProperty("primary", i == 0);
        connect(button, &QPushButton::clicked, this, [run = message.actions[i].run] { run(); });
        m_row->addWidget(button);
    }
    auto* dismiss = new QPushButton{tr("Dismiss"), this};
    connect(dismiss, &QPushButton::clicked, this, [this] {
        m_messages.pop_back();
        rebuild();
        Q_EMIT changed();
    });
    m_row->addWidget(dismiss);
    place();
    update();
}

void MessageStrip::addLink(const QString& text, const QString& tip, std::function<void()> run)
{
    auto* link = new QPushButton{text, this};
    link->setProperty("link", true);
    link->setCursor(Qt::PointingHandCursor);
    link->setToolTip(tip);
    connect(link, &QPushButton::clicked, this, std::move(run));
    m_row->addWidget(link);
}

void MessageStrip::paintEvent(QPaintEvent* /*event*/)
{
    if (m_messages.empty())
        return;
    const Theme& theme = Theme::current();
    const Look look = lookOf(m_messages.back().kind);
    QPainter painter{this};
    painter.fillRect(rect(), theme.color(look.ground));
    painter.fillRect(QRect{0, 0, theme.px(3), height()}, theme.color(look.ink));
}

} // namespace plimsoll::ui
