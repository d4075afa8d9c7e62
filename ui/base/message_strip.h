// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/tokens.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

class QHBoxLayout;
class QPushButton;

namespace plimsoll::ui {

class TextLabel;

enum class MessageKind : std::uint8_t {
    Danger, ///< could not be done
    Warn,   ///< done, with a remark
    Offer,
};

struct MessageAction
{
    QString text;
    std::function<void()> run;
};

struct Message
{
    QString id; ///< a new message replaces the one with the same id; empty: none
    MessageKind kind = MessageKind::Danger;
    QString first;                      ///< bold first sentence
    QString rest;                       ///< one more sentence
    std::vector<MessageAction> actions; ///< at most two, the first one primary; Dismiss is added
};

/// The strip on the upper edge of its parent, over what is there, so that nothing moves when it
/// comes and goes: one message at a time, newest on top; hidden if there is none. What has no room
/// is in its tool tip and behind "Details".
class MessageStrip : public QWidget
{
    Q_OBJECT

public:
    explicit MessageStrip(QWidget* parent);

    /// Moves it into a widget that keeps room for it.
    void setRoom(QWidget& room);
    void post(Message message);
    /// Removes the message with this id, if present.
    void withdraw(const QString& id);
    [[nodiscard]] std::size_t count() const { return m_messages.size(); }
    /// The shown message. Requires count() > 0.
    [[nodiscard]] const Message& shown() const { return m_messages.back(); }

Q_SIGNALS:
    void changed();
    void posted(const plimsoll::ui::Message& message);
    /// It no longer holds; perhaps the user dismissed it before.
    void withdrawn(const QString& id);
    /// "2 more" was clicked.
    void moreClicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();
    void rebuild();
    /// What the strip has no room for.
    void showWhole();
    QPushButton* addLink(const QString& text, const QString& tip, std::function<void()> run);

    std::vector<Message> m_messages;
    QHBoxLayout* m_row = nullptr;
    TextLabel* m_rest = nullptr;
    QPushButton* m_details = nullptr; ///< visible only where the message is elided
};

} // namespace plimsoll::ui
