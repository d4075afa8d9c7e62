// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/session_file.h"

#include <QObject>
#include <QString>

#include <functional>
#include <vector>

namespace plimsoll::ui {

class DocumentPage;
class DocumentTabs;
class Settings;

/// The path with links followed where the file exists: two names of a file are equal.
[[nodiscard]] QString absolutePath(const QString& path);

/// Saves documents into session files, and says how tabs and the window go: sessions are written in
/// the background, the window never stands still for them, and what could not be written comes
/// back.
class PageKeeper : public QObject
{
    Q_OBJECT

public:
    enum class Answer { Save, Discard, Keep };
    /// Asks what becomes of a document with changes that are in no file.
    using Question = std::function<Answer(const QString& title)>;

    PageKeeper(Settings& settings, DocumentTabs& tabs, QObject* parent);

    void save(DocumentPage& page);
    /// Asks for the file.
    void saveAs(DocumentPage& page);
    /// Unless another tab writes into that file.
    void saveTo(DocumentPage& page, const QString& path);

    /// Sessions of other tabs, in which the page could be kept, too.
    [[nodiscard]] std::vector<session::SessionFilePtr>
    otherSessions(const DocumentPage& page) const;
    void saveInto(DocumentPage& page, const session::SessionFilePtr& file);

    /// Instead of a dialog.
    void setQuestion(Question question) { m_question = std::move(question); }
    /// Takes the tab away at once; the page goes once its session is written. If that fails, the
    /// tab comes back.
    void close(DocumentPage& page);
    /// Begins to close all pages, unless the user keeps one open: false.
    [[nodiscard]] bool closeAll();
    /// Nothing is being written or worked on any more.
    [[nodiscard]] bool isIdle() const;

Q_SIGNALS:
    void pageGone();
    /// After closeAll(), once all pages are idle: whether all is written. A page whose session
    /// could not be is shown.
    void allGone(bool written);

private:
    /// Save: what is pending is or will be written; Keep: it stays open.
    [[nodiscard]] Answer answerFor(DocumentPage& page);
    [[nodiscard]] Answer ask(const QString& title) const;
    static void beginClose(DocumentPage& page, Answer answer);
    void pageIdle(DocumentPage& page);
    void finishClosing();

    Settings& m_settings;
    DocumentTabs& m_tabs;
    Question m_question;
    bool m_isClosing = false;
};

} // namespace plimsoll::ui
