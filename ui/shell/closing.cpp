// SPDX-License-Identifier: Apache-2.0
// How tabs and the window go: sessions are written in the background, the window never stands still
// for them, and what could not be written comes back.
#include "ui/shell/main_window.h"

#include <QCloseEvent>
#include <QGuiApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>

#include <algorithm>

namespace plimsoll::ui {

namespace {

/// Holds changes that could not be written.
bool isStuck(PlannerPage& page)
{
    return page.document().hasSaveFailed() && page.document().isUnsaved();
}

} // namespace

MainWindow::CloseAnswer MainWindow::closeAnswer(PlannerPage& page)
{
    const DocumentController& document = page.document();
    // Changes of a session follow by themselves, unless its file can't be written.
    const bool follows = document.document().session.file && !document.hasSaveFailed();
    if (!document.isUnsaved() || follows)
        return CloseAnswer::Save;
    CloseAnswer answer = CloseAnswer::Keep;
    if (m_closeQuestion) {
        answer = m_closeQuestion(document.title());
    } else {
        QMessageBox box{QMessageBox::NoIcon, tr("Plimsoll"),
                        tr("%1 has changes that are in no session file.").arg(document.title()),
                        QMessageBox::NoButton, this};
        box.setTextFormat(Qt::PlainText);
        const QPushButton* save = box.addButton(tr("Save session…"), QMessageBox::AcceptRole);
        const QPushButton* discard =
            box.addButton(tr("Close without saving"), QMessageBox::DestructiveRole);
        box.addButton(tr("Keep open"), QMessageBox::RejectRole);
        box.exec();
        if (box.clickedButton() == static_cast<const QAbstractButton*>(save))
            answer = CloseAnswer::Save;
        else if (box.clickedButton() == static_cast<const QAbstractButton*>(discard))
            answer = CloseAnswer::Discard;
    }
    if (answer == CloseAnswer::Save) {
        // What closes waits for the writing, and stays open when it fails.
        saveAs(page);
        return document.isSaving() ? CloseAnswer::Save : CloseAnswer::Keep;
    }
    return answer;
}

void MainWindow::letGo(PlannerPage& page, CloseAnswer answer)
{
    if (answer == CloseAnswer::Discard)
        page.document().discardChanges();
    else
        page.storeView();
    page.document().letGo();
}

void MainWindow::connectLeaving(PlannerPage& page)
{
    connect(
        &page.document(), &DocumentController::becameIdle, this,
        [this, &page] { pageAtRest(page); }, Qt::QueuedConnection);
}

void MainWindow::closePage(int index)
{
    if (index < 1 || index > static_cast<int>(m_pages.size()))
        return;
    PlannerPage* page = m_pages[static_cast<std::size_t>(index - 1)];
    const CloseAnswer answer = closeAnswer(*page);
    if (answer == CloseAnswer::Keep)
        return;
    letGo(*page, answer);
    m_undo.removeStack(&page->document().undoStack());
    m_pages.erase(m_pages.begin() + (index - 1));
    m_stack->removeWidget(page);
    page->hide();
    m_leaving.push_back(page);
    m_tabs->removeTab(index);
    showTab(m_tabs->currentIndex());
    pageAtRest(*page);
}

void MainWindow::pageAtRest(PlannerPage& page)
{
    if (!page.document().isAtRest())
        return;
    if (const auto found = std::find(m_leaving.begin(), m_leaving.end(), &page);
        found != m_leaving.end()) {
        m_leaving.erase(found);
        if (isStuck(page))
            addTab(&page); // its message strip says what went wrong
        else
            // Not at once: the page may be the sender of what brought us here.
            page.deleteLater();
        openNext();
    }
    finishClosing();
}

bool MainWindow::isAtRest() const
{
    return m_leaving.empty() && std::all_of(m_pages.begin(), m_pages.end(), [](PlannerPage* page) {
               return page->document().isAtRest();
           });
}

void MainWindow::finishClosing()
{
    if (!m_isClosing || !isAtRest())
        return;
    const auto failed = std::find_if(m_pages.begin(), m_pages.end(),
                                     [](PlannerPage* page) { return isStuck(*page); });
    if (failed == m_pages.end()) {
        close();
        return;
    }
    m_isClosing = false;
    show();
    m_tabs->setCurrentIndex(indexOf(*failed));
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!m_isClosing) {
        std::vector<CloseAnswer> answers;
        for (PlannerPage* page : m_pages) {
            answers.push_back(closeAnswer(*page));
            if (answers.back() == CloseAnswer::Keep) {
                event->ignore();
                return;
            }
        }
        m_settings.setWindowGeometry(saveGeometry());
        for (std::size_t i = 0; i < answers.size(); ++i)
            letGo(*m_pages[i], answers[i]);
        m_isClosing = true;
        // The end of the desktop's session doesn't wait; then the destructor does.
        if (!isAtRest() && !qGuiApp->isSavingSession()) {
            hide();
            event->ignore();
            return;
        }
    }
    event->accept();
    Q_EMIT closed();
}

} // namespace plimsoll::ui
