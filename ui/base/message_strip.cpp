// SPDX-License-Identifier: Apache-2.0
#include "ui/base/message_strip.h"

#include "ui/base/icons.h"
#include "ui/base/texts.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"

#include <QClipboard>
#include <QEvent>
#include <QFrame>
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
    setGeometry(0, 0, parentWidget()->width(), height());
    raise();
    if (m_details == nullptr)
        return;
    m_details->hide(); // its own room counts only if it is needed
    m_details->setVisible(m_row->sizeHint().width() + m_rest->sizeHint().width() > width());
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
    m_rest = nullptr;
    m_details = nullptr;
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
    setFixedHeight(theme.rowHeight(38));
    setAccessibleDescription(message.first + u' ' + message.rest);
    setToolTip(plainTip(message.first + u' ' + message.rest));
    m_row->setContentsMargins(theme.px(15), 0, theme.px(12), 0);
    m_row->setSpacing(theme.px(8));
    m_row->addWidget(new IconLabel{look.icon, look.ink, this});
    m_row->addWidget(new TextLabel{message.first, TextRole::Strong, Role::Text, this});
    m_rest = new TextLabel{message.rest, TextRole::Body, Role::Text, this};
    m_rest->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_row->addWidget(m_rest, 1);
    m_details = addLink(tr("Details"), tr("Show the whole message"), [this] { showWhole(); });
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
    for (int i = 0; i < m_row->count(); ++i)
        m_row->itemAt(i)->widget()->show(); // a layout counts no hidden widget
    place();
    update();
}

void MessageStrip::showWhole()
{
    const Theme& theme = Theme::current();
    auto* popup = new QFrame{this, Qt::Popup};
    popup->setAttribute(Qt::WA_DeleteOnClose);
    popup->setFrameShape(QFrame::StyledPanel);
    auto* column = makeColumn(popup, 0, {12, 10, 12, 10});
    auto* text = new QLabel{shown().first + u' ' + shown().rest, popup};
    text->setTextFormat(Qt::PlainText);
    text->setFont(theme.font(TextRole::Body));
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text->setFixedWidth(std::min(theme.px(460), window()->width() - theme.px(40)));
    column->addWidget(text);
    popup->adjustSize();
    popup->move(mapToGlobal(QPoint{0, height()}));
    popup->show();
    text->setFocus();
}

QPushButton* MessageStrip::addLink(const QString& text, const QString& tip,
                                   std::function<void()> run)
{
    auto* link = new QPushButton{text, this};
    link->setProperty("link", true);
    link->setCursor(Qt::PointingHandCursor);
    link->setToolTip(tip);
    connect(link, &QPushButton::clicked, this, std::move(run));
    m_row->addWidget(link);
    return link;
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
