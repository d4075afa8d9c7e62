// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/page_keeper.h"

#include "ui/base/file_dialog.h"
#include "ui/base/settings.h"
#include "ui/base/texts.h"
#include "ui/shell/document_tabs.h"

#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

/// Keeps changes that couldn't be written.
bool isStuck(const DocumentPage* page)
{
    return page->keeper().hasFailed() && page->isUnsaved();
}

} // namespace

QString absolutePath(const QString& path)
{
    const QFileInfo info{path};
    const QString canonical = info.canonicalFilePath();
    return canonical.isEmpty() ? info.absoluteFilePath() : canonical;
}

PageKeeper::PageKeeper(Settings& settings, DocumentTabs& tabs, QObject* parent)
    : QObject{parent}, m_settings{settings}, m_tabs{tabs}
{
    connect(&m_tabs, &DocumentTabs::closeRequested, this,
            [this](DocumentPage* page) { close(*page); });
    connect(&m_tabs, &DocumentTabs::added, this, [this](DocumentPage* page) {
        connect(
            page, &DocumentPage::becameIdle, this, [this, page] { pageIdle(*page); },
            Qt::QueuedConnection);
    });
}

void PageKeeper::save(DocumentPage& page)
{
    if (page.isInSession() && !page.isFileMissing())
        page.keeper().saveNow();
    else
        saveAs(page);
}

void PageKeeper::saveAs(DocumentPage& page)
{
    const QString proposal = page.isInSession() ? page.originFile()
                                                : m_settings.saveFolder() + u'/' + page.name()
                                                      + QStringLiteral(".plimsoll");
    QString path = chooseFileToSave(m_tabs.window(), tr("Save session"), proposal,
                                    tr("Plimsoll session (*.plimsoll)"));
    if (path.isEmpty())
        return;
    if (QFileInfo{path}.suffix().isEmpty())
        path += QStringLiteral(".plimsoll");
    m_settings.setSaveFolder(QFileInfo{path}.absolutePath());
    saveTo(page, path);
}

void PageKeeper::saveTo(DocumentPage& page, const QString& path)
{
    // Otherwise the other tab would keep writing to a file that no longer exists.
    const QString target = absolutePath(path);
    for (const DocumentPage* other : m_tabs.pages())
        if (other != &page && other->isInSession() && absolutePath(other->originFile()) == target) {
            page.strip().post({QStringLiteral("save"),
                               MessageKind::Danger,
                               tr("The session could not be saved."),
                               tr("%1 is open in another tab; close it there, or choose "
                                  "another name.")
                                   .arg(fileText(QFileInfo{path}.fileName())),
                               {}});
            return;
        }
    page.storeView();
    page.saveInto(std::make_shared<session::SessionFile>(path.toStdString()), true);
}

std::vector<session::SessionFilePtr> PageKeeper::otherSessions(const DocumentPage& page) const
{
    std::vector<session::SessionFilePtr> files;
    for (const DocumentPage* other : m_tabs.pages())
        if (other->isInSession() && other->sessionFile() != page.sessionFile()
            && std::ranges::find(files, other->sessionFile()) == files.end())
            files.push_back(other->sessionFile());
    return files;
}

void PageKeeper::saveInto(DocumentPage& page, const session::SessionFilePtr& file)
{
    page.storeView();
    for (DocumentPage* other : m_tabs.pages())
        if (other->sessionFile() == file)
            other->joinSession();
    page.saveInto(file);
}

PageKeeper::Answer PageKeeper::ask(const QString& title) const
{
    if (m_question)
        return m_question(title);
    QMessageBox box{QMessageBox::NoIcon, tr("Plimsoll"),
                    tr("%1 has changes that aren't saved in a session.").arg(title),
                    QMessageBox::NoButton, m_tabs.window()};
    box.setTextFormat(Qt::PlainText);
    const QAbstractButton* save = box.addButton(tr("Save session…"), QMessageBox::AcceptRole);
    const QAbstractButton* discard =
        box.addButton(tr("Close without saving"), QMessageBox::DestructiveRole);
    box.addButton(tr("Keep open"), QMessageBox::RejectRole);
    box.exec();
    return box.clickedButton() == save      ? Answer::Save
           : box.clickedButton() == discard ? Answer::Discard
                                            : Answer::Keep;
}

PageKeeper::Answer PageKeeper::answerFor(DocumentPage& page)
{
    // Changes to a session are saved automatically, unless its file can't be written.
    const bool follows = page.isInSession() && !page.keeper().hasFailed() && !page.isFileMissing();
    if (!page.isUnsaved() || follows)
        return Answer::Save;
    const Answer answer = ask(page.title());
    if (answer == Answer::Save) {
        // A closing page waits for the write, and stays open if that fails.
        saveAs(page);
        return page.keeper().isWriting() ? Answer::Save : Answer::Keep;
    }
    return answer;
}

void PageKeeper::beginClose(DocumentPage& page, Answer answer)
{
    if (answer == Answer::Discard)
        page.keeper().forget();
    else
        page.storeView();
    page.beginClose();
}

void PageKeeper::close(DocumentPage& page)
{
    const Answer answer = answerFor(page);
    if (answer == Answer::Keep)
        return;
    beginClose(page, answer);
    m_tabs.close(page);
    pageIdle(page);
}

void PageKeeper::pageIdle(DocumentPage& page)
{
    if (!page.isIdle())
        return;
    const std::vector<DocumentPage*>& closed = m_tabs.closed();
    if (std::ranges::find(closed, &page) != closed.end()) {
        if (isStuck(&page))
            m_tabs.bringBack(page); // its message strip shows the error
        else
            m_tabs.remove(page);
        Q_EMIT pageGone();
    }
    finishClosing();
}

bool PageKeeper::isIdle() const
{
    return m_tabs.closed().empty() && std::ranges::all_of(m_tabs.pages(), &DocumentPage::isIdle);
}

bool PageKeeper::closeAll()
{
    std::vector<std::pair<DocumentPage*, Answer>> answers;
    for (DocumentPage* page : m_tabs.pages()) {
        answers.emplace_back(page, answerFor(*page));
        if (answers.back().second == Answer::Keep)
            return false;
    }
    for (const auto& [page, answer] : answers)
        beginClose(*page, answer);
    m_isClosing = true;
    return true;
}

void PageKeeper::finishClosing()
{
    if (!m_isClosing || !isIdle())
        return;
    m_isClosing = false;
    const auto stuck = std::ranges::find_if(m_tabs.pages(), isStuck);
    const bool isWritten = stuck == m_tabs.pages().end();
    Q_EMIT allGone(isWritten);
    if (!isWritten)
        m_tabs.show(**stuck);
}

} // namespace plimsoll::ui
