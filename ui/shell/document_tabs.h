// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/document_page/document_page.h"

#include <QPointer>
#include <QUndoGroup>

class QStackedWidget;
class QTabBar;

namespace plimsoll::ui {

/// The row of tabs, the pages below it, and the undo stack of the shown one. A closed page stays
/// here, without a tab, until nothing of it runs any more.
class DocumentTabs : public QWidget
{
    Q_OBJECT

public:
    /// `stack`: shows the pages, the start page first.
    DocumentTabs(QStackedWidget& stack, QWidget* parent);
    /// Waits until the pages have written their changes.
    ~DocumentTabs() override;

    /// Adds a page in a new tab and shows it.
    void add(DocumentPage& page);
    void close(DocumentPage& page);
    /// Gives a closed page its tab back.
    void bringBack(DocumentPage& page);
    /// Nothing of a closed page runs any more.
    void remove(DocumentPage& page);
    void show(const DocumentPage& page);
    /// A tab behind the others for what is being opened, shown at once; no document is current
    /// then. Does nothing if it is there.
    void showOpening(QWidget& page, const QString& title);
    /// Removes it. If it is shown, what was shown before it is shown again.
    void endOpening();
    [[nodiscard]] bool isOpeningShown() const;
    void showNext();
    void updateTitles();

    /// In the order of the tabs.
    [[nodiscard]] const std::vector<DocumentPage*>& pages() const { return m_pages; }
    [[nodiscard]] const std::vector<DocumentPage*>& closed() const { return m_closed; }
    [[nodiscard]] bool contains(const DocumentPage* page) const;
    /// Null on the start page.
    [[nodiscard]] DocumentPage* current() const;
    /// The page of that kind that was shown last; null: none is open.
    [[nodiscard]] DocumentPage* lastOf(const QString& kind) const;
    [[nodiscard]] QTabBar& bar() { return *m_bar; }
    [[nodiscard]] QStackedWidget& stack() { return m_stack; }
    [[nodiscard]] QUndoGroup& undo() { return m_undo; }

Q_SIGNALS:
    void added(plimsoll::ui::DocumentPage* page);
    void currentChanged(plimsoll::ui::DocumentPage* page);
    void closeRequested(plimsoll::ui::DocumentPage* page);
    void openRequested();
    void openingClosed(); ///< by its tab

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addTab(DocumentPage& page);
    void showTab(int index);
    [[nodiscard]] DocumentPage* pageAt(int tab) const;
    /// Where the tab of what is being opened is or would be: behind the pages.
    [[nodiscard]] int openingTab() const { return static_cast<int>(m_pages.size()) + 1; }

    QStackedWidget& m_stack;
    QTabBar* m_bar = nullptr;
    QUndoGroup m_undo;
    std::vector<DocumentPage*> m_pages;     ///< tab i + 1
    QWidget* m_opening = nullptr;           ///< its tab is the last; null: nothing is being opened
    QPointer<DocumentPage> m_beforeOpening; ///< was shown; null: the start page
    std::vector<DocumentPage*> m_closed;
    std::vector<DocumentPage*> m_recent; ///< of m_pages, in the order in which they were shown
};

} // namespace plimsoll::ui
