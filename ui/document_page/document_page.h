// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/readers/file_value.h"
#include "core/workspace/document.h"
#include "ui/document_page/docked_page.h"
#include "ui/document_page/session_keeper.h"

#include <functional>
#include <vector>

class QUndoStack;

namespace plimsoll::ui {

/// What the status bar says about a document.
struct StatusText
{
    QString text;
    QString icon;
    bool isDanger = false;
};

/// The page of one open document: all that the window asks about it. What is shown and undone is
/// the derived page's; docks, saving and closing are the same for every kind of page.
class DocumentPage : public DockedPage
{
    Q_OBJECT

public:
    /// Places in the document, in the numbers of the page that found them.
    using Hits = std::vector<std::size_t>;
    using Search = std::function<base::Result<Hits>(const base::JobContext&)>;
    /// Reads a file off the GUI thread; what it returns is called on the GUI thread.
    using Addition = std::function<base::Result<std::function<void()>>(const base::JobContext&)>;

    explicit DocumentPage(workspace::DocumentPtr document, QWidget* parent = nullptr);
    ~DocumentPage() override;

    /// PageKind::id, which is the document's kind.
    [[nodiscard]] QString kind() const
    {
        return QString::fromStdString(std::string{m_document->kind()});
    }
    /// For tabs and the title of the window.
    [[nodiscard]] virtual QString title() const;
    /// What a new file of it is called, without an ending.
    [[nodiscard]] QString name() const { return QString::fromStdString(m_document->name()); }
    /// Its session, else the file that it was read from.
    [[nodiscard]] QString originFile() const
    {
        return QString::fromStdString(m_document->file().string());
    }
    [[nodiscard]] bool isInSession() const { return sessionFile() != nullptr; }
    /// Null: it is in no session.
    [[nodiscard]] const session::SessionFilePtr& sessionFile() const
    {
        return m_document->session.file;
    }
    /// Whether it shows the document of that place in a session.
    [[nodiscard]] bool shows(const workspace::SessionPlace& place) const
    {
        return isInSession() && sessionFile() == place.file && m_document->session.id == place.id;
    }
    [[nodiscard]] virtual QUndoStack& undoStack() = 0;

    [[nodiscard]] virtual StatusText status() const = 0;
    /// "Planning: 47.0 %"; empty when nothing runs.
    [[nodiscard]] virtual QString jobText() const { return {}; }
    virtual void cancelJob() {}
    /// What is shown is final: no job will replace it.
    [[nodiscard]] virtual bool isSettled() const { return true; }
    [[nodiscard]] virtual QString cursorText() const { return {}; }
    [[nodiscard]] virtual QString factsText() const { return {}; }

    // Editing.
    virtual void clearSelection() {}
    /// Esc: one level back in the plot. False: there was nothing.
    virtual bool goBack() { return false; }
    /// A plot as a table; again: away with it.
    virtual void toggleTable() {}
    [[nodiscard]] virtual Search searchFor(const QString& /*query*/) { return {}; }
    virtual void showHit(std::size_t /*hit*/) {}

    // Files that are laid over the document, such as a measurement.
    [[nodiscard]] virtual bool accepts(readers::FileKind /*file*/) const { return false; }
    [[nodiscard]] virtual Addition addition(const QString& /*path*/) { return {}; }
    virtual void showAdditionError(const QString& /*path*/, const base::Error& /*error*/) {}
    /// Asks for a file to be added, once those before it are open.
    void addFile(const QString& path) { Q_EMIT additionRequested(path); }

    // Saving and closing.
    /// Changes that are in no file yet.
    [[nodiscard]] bool isUnsaved() const
    {
        return isInSession() ? m_keeper.isPending() || isFileMissing() : m_document->isDirty();
    }
    /// It is in a session whose file was moved or deleted.
    [[nodiscard]] bool isFileMissing() const { return isInSession() && sessionFile()->isMissing(); }
    /// Takes what changes in the document, and writes it to its session.
    [[nodiscard]] SessionKeeper& keeper() { return m_keeper; }
    [[nodiscard]] const SessionKeeper& keeper() const { return m_keeper; }
    /// Saves into a new session file, or into one that other documents are kept in; later changes
    /// follow by themselves.
    void saveInto(const session::SessionFilePtr& file, bool isNew = false);
    /// Its session now holds others, too.
    void joinSession() { m_document->session.isOnly = false; }
    /// It is to be closed: jobs are given up, what is pending is written in the background;
    /// becameIdle() says when nothing of it runs any more.
    virtual void beginClose() { m_keeper.saveNow(); }
    [[nodiscard]] virtual bool isIdle() const { return !m_keeper.isWriting(); }

Q_SIGNALS:
    /// Something the frame of the window shows: title, status, actions.
    void stateChanged();
    /// A file that was added is in the picture.
    void fileAdded();
    void additionRequested(const QString& path);
    void sessionSaved(const QString& path, bool first);
    /// Something is done: a sentence for the status bar.
    void noted(const QString& sentence);
    /// No thread works for the document any more.
    void becameIdle();

protected:
    [[nodiscard]] workspace::Document& kept() const { return *m_document; }
    /// Before the whole document is saved.
    virtual void prepareToSave() {}
    void notifyIdle();
    /// Posts what could not be taken over from the file, once somebody listens to the strip.
    void showNotes();
    [[nodiscard]] std::string savedView() const override { return m_document->view; }
    void saveView(const std::string& view) override;

private:
    workspace::DocumentPtr m_document;
    SessionKeeper m_keeper;
};

} // namespace plimsoll::ui
