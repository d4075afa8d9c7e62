// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <QWidget>

class QPushButton;

namespace plimsoll::ui {

class DocumentPage;
class TextLabel;

/// The content of the status bar: state of the plan, running job with Cancel, cursor, facts.
class StatusLine : public QWidget
{
    Q_OBJECT

public:
    explicit StatusLine(QWidget* parent = nullptr);

    /// Null: the start page.
    void showPage(const DocumentPage* page);
    /// A running job, shown once it has lasted 150 ms; empty: none.
    void showJob(const QString& name);
    /// What runs besides, whatever is shown; empty: nothing.
    void showActivity(const QString& text);
    /// Something was done: shown for some seconds.
    void showNote(const QString& note);
    [[nodiscard]] QString note() const;

Q_SIGNALS:
    void cancelRequested();

private:
    class Sign;
    Sign* m_sign = nullptr;
    TextLabel* m_state = nullptr;
    TextLabel* m_job = nullptr;
    QPushButton* m_cancel = nullptr;
    TextLabel* m_note = nullptr;
    TextLabel* m_cursor = nullptr;
    TextLabel* m_activity = nullptr;
    TextLabel* m_facts = nullptr;
    QTimer m_jobDelay;
    QTimer m_noteTime;
};

} // namespace plimsoll::ui
