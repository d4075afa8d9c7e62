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

/// The path with links resolved if the file exists, so that two names of a file are equal.
[[nodiscard]] QString absolutePath(const QString& path);

/// Saves documents into session files, and closes tabs and the window: sessions are written in the
/// background without blocking the window, and documents that could not be written reappear.
class PageKeeper : public QObject
{
    Q_OBJECT

public:
    enum class Answer { Save, Discard, Keep };
    /// Asks what to do with a document whose changes are in no file.
    using Question = std::function<Answer(const QString& title)>;

    PageKeeper(Settings& settings, DocumentTabs& tabs, QObject* parent);

    void save(DocumentPage& page);
    /// Asks for the file.
    void saveAs(DocumentPage& page);
    /// Fails if another tab writes into that file.
    void saveTo(DocumentPage& page, const QString& path);

    /// Sessions of other tabs, to which the page could be added.
    [[nodiscard]] std::vector<session::SessionFilePtr>
    otherSessions(const DocumentPage& page) const;
    void saveInto(DocumentPage& page, const session::SessionFilePtr& file);

    /// A function to ask instead of the dialog.
    void setQuestion(Question question) { m_question = std::move(question); }
    /// Removes the tab at once; the page is deleted once its session is written. If that fails, the
    /// tab reappears.
    void close(DocumentPage& page);
    /// Starts closing all pages; false if the user keeps one open.
    [[nodiscard]] bool closeAll();
    /// Whether nothing is being written or worked on any more.
    [[nodiscard]] bool isIdle() const;

Q_SIGNALS:
    void pageGone();
    /// After closeAll(), once all pages are idle: whether everything is written. Shows a page whose
    /// session could not be.
    void allGone(bool written);

private:
    /// Save: pending changes are or will be written; Keep: it stays open.
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
