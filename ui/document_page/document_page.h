// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/workspace/file_kind.h"
#include "ui/base/message_strip.h"
#include "ui/base/theme.h"

#include <QMainWindow>

#include <functional>
#include <vector>

class QJsonObject;
class QUndoStack;

namespace plimsoll::ui {

class PagesDock;

/// What the status bar says about a document.
struct StatusText
{
    QString text;
    QString icon;
    bool isDanger = false;
};

/// A dock of a page, and where it is at first. Several views share a dock as tabs.
struct DockKind
{
    QString id;
    QString title;
    Qt::DockWidgetArea area = Qt::BottomDockWidgetArea;
};

/// The page of one open document: a plot in the centre with messages above it, docks around it, all
/// that the window asks about the document. What is shown, saved and undone is the derived page's;
/// docks and their layout are the same for every kind of page.
class DocumentPage : public QMainWindow
{
    Q_OBJECT

public:
    /// Places in the document, in the numbers of the page that found them.
    using Hits = std::vector<std::size_t>;
    using Search = std::function<base::Result<Hits>(const base::JobContext&)>;
    /// Reads a file off the GUI thread; what it returns is called on the GUI thread.
    using Addition = std::function<base::Result<std::function<void()>>(const base::JobContext&)>;

    explicit DocumentPage(QWidget* parent = nullptr);
    ~DocumentPage() override;

    /// PageKind::id.
    [[nodiscard]] virtual QString kind() const = 0;
    /// For tabs and the title of the window.
    [[nodiscard]] virtual QString title() const = 0;
    /// What a new file of it is called, without an ending.
    [[nodiscard]] virtual QString name() const = 0;
    /// Its session, else the file that it was read from.
    [[nodiscard]] virtual QString originFile() const = 0;
    [[nodiscard]] virtual bool isInSession() const = 0;
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
    [[nodiscard]] virtual bool accepts(workspace::FileKind /*file*/) const { return false; }
    [[nodiscard]] virtual Addition addition(const QString& /*path*/) { return {}; }
    virtual void showAdditionError(const QString& /*path*/, const base::Error& /*error*/) {}
    /// Asks for a file to be added, once those before it are open.
    void addFile(const QString& path) { Q_EMIT additionRequested(path); }

    // Saving and closing.
    /// Changes that are in no file yet.
    [[nodiscard]] virtual bool isUnsaved() const = 0;
    [[nodiscard]] virtual bool isSaving() const = 0;
    /// The last attempt to write the session failed; its changes are in no file.
    [[nodiscard]] virtual bool hasSaveFailed() const = 0;
    /// Saves into a new session file; later changes follow by themselves.
    virtual void saveAs(const QString& path) = 0;
    /// Writes pending changes of a session now, in the background.
    virtual void saveNow() = 0;
    /// Writes pending changes and waits: the program is about to end.
    virtual void finishSaving() = 0;
    /// Nothing is saved any more: the user closes without saving.
    virtual void discardChanges() = 0;
    /// It is to be closed: jobs are given up, what is pending is written in the background;
    /// becameIdle() says when nothing of it runs any more.
    virtual void letGo() = 0;
    [[nodiscard]] virtual bool isAtRest() const = 0;

    [[nodiscard]] MessageStrip& strip() { return *m_strip; }
    void focusCentre() { m_centre->setFocus(Qt::OtherFocusReason); }

    // Docks.
    /// Requires that it was added.
    [[nodiscard]] PagesDock& dock(const QString& id) const;
    /// Null: the view is in none.
    [[nodiscard]] PagesDock* dockOf(const QWidget* view) const;
    /// Show and hide actions.
    [[nodiscard]] QList<QAction*> dockActions() const;
    /// What F6 goes through: the centre, then the visible docks by place.
    [[nodiscard]] QList<QWidget*> panels() const;
    /// The layout as drawn in the design.
    void resetLayout();
    /// Only the centre, or the docks as they were.
    void setFocused(bool focused);
    [[nodiscard]] bool isFocused() const { return m_isFocused; }
    /// Puts zoom and layout into the document.
    void storeView();

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
    void setCentre(QWidget* plot);
    void addDock(const DockKind& kind);
    /// `narrowTitle`: of a view at the right where it becomes a tab below, in a narrow window.
    void addView(const QString& dock, QWidget* view, const QString& title,
                 const QString& narrowTitle = {});
    // What the document keeps of the window: a JSON object, to which the page adds its values.
    [[nodiscard]] virtual std::string savedView() const = 0;
    virtual void setSavedView(const std::string& view) = 0;
    virtual void addToView(QJsonObject& /*view*/) const {}
    virtual void restoreFrom(const QJsonObject& /*view*/) {}

    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct SideView
    {
        PagesDock* dock = nullptr;
        QWidget* view = nullptr;
        QString title;
        QString narrowTitle;
    };
    [[nodiscard]] QList<PagesDock*> docksAt(Qt::DockWidgetArea area) const;
    [[nodiscard]] PagesDock* lastBelow() const;
    void placeDocks();
    void adaptToWidth();
    void sizeDocks(int right, int below, int left);
    void sizeDocks();
    [[nodiscard]] int roomBelow() const;
    void followScale();
    void restoreView();

    MessageStrip* m_strip = nullptr;
    QWidget* m_centre = nullptr;
    std::vector<std::pair<PagesDock*, Qt::DockWidgetArea>> m_docks; ///< and where they are at first
    std::vector<SideView> m_sideViews;                              ///< of the docks at the right
    QByteArray m_unfocusedLayout;
    bool m_isFocused = false;
    bool m_isNarrow = false;
    bool m_wasShown = false;
    bool m_isLaidByHand = false;               ///< the docks keep the sizes that a person gave them
    double m_scale = Theme::current().scale(); ///< that the docks' sizes are of
};

} // namespace plimsoll::ui
