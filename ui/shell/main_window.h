// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/settings.h"
#include "ui/shell/document_tabs.h"
#include "ui/shell/file_opener.h"
#include "ui/shell/page_keeper.h"

#include <QMainWindow>
#include <QPointer>

#include <memory>

namespace plimsoll::ui {

class Menus;
class StartPage;
class StatusLine;
class ViewBar;

/// The window: menus, document tabs, start page and one page per document. Composes only; its parts
/// and the pages do the work.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    using CloseAnswer = PageKeeper::Answer;

    MainWindow(Settings& settings, PageRegistry kinds, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens files one after the other, each in a tab; a file that is already open is shown.
    void openFiles(const QStringList& paths) { m_opener->open(paths); }
    [[nodiscard]] bool isOpening() const { return m_opener->isRunning(); }
    /// The shown document; null on the start page.
    [[nodiscard]] DocumentPage* currentPage() const { return m_tabs->current(); }
    [[nodiscard]] const std::vector<DocumentPage*>& pages() const { return m_tabs->pages(); }
    [[nodiscard]] StartPage& startPage() { return *m_start; }
    void setCloseQuestion(PageKeeper::Question question)
    {
        m_keeper->setQuestion(std::move(question));
    }
    void saveTo(DocumentPage& page, const QString& path) { m_keeper->saveTo(page, path); }
    void closePage(DocumentPage& page) { m_keeper->close(page); }

Q_SIGNALS:
    /// The window was closed, and everything is written.
    void closed();
    void opened(plimsoll::ui::DocumentPage* page);
    /// A file that was laid over the page's document is shown.
    void fileAdded(plimsoll::ui::DocumentPage* page);
    void openFailed(const QString& path, const QString& sentence);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildFrame();
    void connectParts();
    void connectPage(DocumentPage& page);
    void showActivities();
    [[nodiscard]] bool mayEndActivities();
    void updateState();

    Settings& m_settings;
    PageRegistry m_kinds;
    StartPage* m_start = nullptr;
    DocumentTabs* m_tabs = nullptr;
    ViewBar* m_bar = nullptr;
    QPointer<DocumentPage> m_inBar; ///< whose messages it shows
    StatusLine* m_status = nullptr;
    FileOpener* m_opener = nullptr;
    PageKeeper* m_keeper = nullptr;
    std::unique_ptr<Menus> m_menus;
    bool m_isGone = false; ///< everything is written, the window only has to close
};

} // namespace plimsoll::ui
