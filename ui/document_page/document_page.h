// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/readers/file_value.h"
#include "core/workspace/document.h"
#include "ui/document_page/docked_page.h"
#include "ui/document_page/session_keeper.h"

#include <QStringList>

#include <functional>
#include <memory>
#include <vector>

class QUndoStack;

namespace plimsoll::ui {

/// What the status bar shows about a document.
struct StatusText
{
    QString text;
    QString icon;
    bool isDanger = false;
};

/// A document that a page asks to be opened, and files to be added to it then.
struct NewDocument
{
    std::shared_ptr<workspace::DocumentPtr> document; ///< is moved from there
    QStringList files;
};

/// The page of an open document: its whole interface to the window. The derived page defines
/// content and undo; docks, saving and closing are the same for every kind of page.
class DocumentPage : public DockedPage
{
    Q_OBJECT

public:
    /// Hits in the document, numbered by the page that found them.
    using Hits = std::vector<std::size_t>;
    using Search = std::function<base::Result<Hits>(const base::JobContext&)>;
    /// Reads a file off the GUI thread; the returned function is called on the GUI thread.
    using Addition = std::function<base::Result<std::function<void()>>(const base::JobContext&)>;

    explicit DocumentPage(workspace::DocumentPtr document, QWidget* parent = nullptr);
    ~DocumentPage() override;

    /// PageKind::id, which is the document's kind.
    [[nodiscard]] QString kind() const
    {
        return QString::fromStdString(std::string{m_document->kind()});
    }
    /// PageKind::icon.
    [[nodiscard]] const QString& iconName() const { return m_icon; }
    void setIconName(const QString& icon) { m_icon = icon; }
    [[nodiscard]] const workspace::Document& shownDocument() const { return *m_document; }
    /// For tabs and the title of the window.
    [[nodiscard]] virtual QString title() const;
    /// The proposed name of a new file, without an extension.
    [[nodiscard]] QString name() const { return QString::fromStdString(m_document->name()); }
    /// Its session, or the file from which it was read.
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
    /// Whether it shows the document at that place in a session.
    [[nodiscard]] bool shows(const workspace::SessionPlace& place) const
    {
        return isInSession() && sessionFile() == place.file && m_document->session.id == place.id;
    }
    [[nodiscard]] virtual QUndoStack& undoStack() = 0;

    [[nodiscard]] virtual StatusText status() const = 0;
    /// "Planning: 47.0 %"; empty when nothing runs.
    [[nodiscard]] virtual QString jobText() const { return {}; }
    virtual void cancelJob() {}
    /// The command whose button takes the place of that for exporting, such as to stop what runs;
    /// empty: none.
    [[nodiscard]] virtual QString urgentCommand() const { return {}; }
    /// Whether the content is final: no job will replace it.
    [[nodiscard]] virtual bool isSettled() const { return true; }
    [[nodiscard]] virtual QString cursorText() const { return {}; }
    [[nodiscard]] virtual QString factsText() const { return {}; }

    // Editing.
    virtual void clearSelection() {}
    /// Esc: one level back in the plot. False if there was nothing to do.
    virtual bool goBack() { return false; }
    /// Shows a plot as a table, or closes the table.
    virtual void toggleTable() {}
    /// What the find field says while it is empty.
    [[nodiscard]] virtual QString findHint() const { return {}; }
    [[nodiscard]] virtual Search searchFor(const QString& /*query*/) { return {}; }
    virtual void showHit(std::size_t /*hit*/) {}

    // Files that are laid over the document, such as a measurement.
    [[nodiscard]] virtual bool accepts(readers::FileKind /*file*/) const { return false; }
    [[nodiscard]] virtual Addition addition(const QString& /*path*/) { return {}; }
    virtual void showAdditionError(const QString& /*path*/, const base::Error& /*error*/) {}
    /// Requests that a file be added, once those before it are open.
    void addFile(const QString& path) { Q_EMIT additionRequested(path); }
    /// Requests that a new document be opened in a tab of its own.
    void requestDocument(workspace::DocumentPtr document, const QStringList& files = {});

    // Saving and closing.
    /// Changes that are in no file yet.
    [[nodiscard]] bool isUnsaved() const
    {
        return isInSession() ? m_keeper.isPending() || isFileMissing() : m_document->isDirty();
    }
    /// Whether its session's file was moved or deleted.
    [[nodiscard]] bool isFileMissing() const { return isInSession() && sessionFile()->isMissing(); }
    /// Collects changes of the document and writes them to its session.
    [[nodiscard]] SessionKeeper& keeper() { return m_keeper; }
    [[nodiscard]] const SessionKeeper& keeper() const { return m_keeper; }
    /// Saves into a new session file, or into one that has other documents; later changes are saved
    /// automatically.
    void saveInto(const session::SessionFilePtr& file, bool isNew = false);
    /// Its session now has other documents, too.
    void joinSession() { m_document->session.isOnly = false; }
    /// Prepares closing: cancels jobs and writes pending changes in the background; becameIdle()
    /// follows once nothing of it runs any more.
    virtual void beginClose() { m_keeper.saveNow(); }
    [[nodiscard]] virtual bool isIdle() const { return !m_keeper.isWriting(); }

Q_SIGNALS:
    /// Emitted when something shown by the window's frame changed: title, status, actions.
    void stateChanged();
    /// An added file is shown.
    void fileAdded();
    void additionRequested(const QString& path);
    void documentRequested(const plimsoll::ui::NewDocument& requested);
    void sessionSaved(const QString& path, bool first);
    /// Something was done: a sentence for the status bar.
    void noted(const QString& sentence);
    /// No thread works for the document any more.
    void becameIdle();

protected:
    [[nodiscard]] workspace::Document& kept() const { return *m_document; }
    void notifyIdle();
    /// Posts what could not be restored from the file, once the strip has a listener.
    void showNotes();
    [[nodiscard]] std::string savedView() const override { return m_document->view; }
    void saveView(const std::string& view) override;

private:
    QString m_icon;
    workspace::DocumentPtr m_document;
    SessionKeeper m_keeper;
};

} // namespace plimsoll::ui
