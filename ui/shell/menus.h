// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/document_page/page_registry.h"

#include <QPointer>

#include <functional>
#include <vector>

class QAction;
class QMenu;
class QMenuBar;

namespace plimsoll::ui {

class DocumentTabs;
class FileOpener;
class PageKeeper;
class Settings;
class SettingsDialog;
class ViewBar;

/// The parts of the window on which its actions act.
struct MenuTargets
{
    QMenuBar& bar;
    Settings& settings;
    const PageRegistry& kinds;
    DocumentTabs& tabs;
    FileOpener& opener;
    PageKeeper& keeper;
    ViewBar& view;
};

/// The window's actions, including those of its kinds of pages, in its menu bar. Their object names
/// ("file.open") identify them for buttons.
class Menus
{
public:
    explicit Menus(const MenuTargets& targets);

    /// Updates which actions are enabled, after the shown document changed.
    void update(const DocumentPage* page);

private:
    using Run = std::function<void()>;
    using PageRun = std::function<void(DocumentPage&)>;
    struct PageAction
    {
        QAction* action;
        QString kind;                                       ///< PageKind::id; empty: of every page
        std::function<bool(const DocumentPage&)> isEnabled; ///< empty: always
        std::function<QString(const DocumentPage&)> tip;    ///< empty: the text
        std::function<bool(const DocumentPage&)> isChecked; ///< empty: it isn't checkable
    };

    QAction* add(QMenu* menu, QAnyStringView id, const QString& text, const char* key,
                 const Run& run, const char* iconName = "");
    /// Adds an action made elsewhere, such as undo.
    void adopt(QMenu* menu, QAction* action, QAnyStringView id, const char* key,
               const char* iconName);
    /// A command of the shown document, whatever its kind.
    QAction* addFor(QMenu* menu, const char* id, const QString& text, const char* key,
                    const PageRun& run, const char* iconName = "");
    /// The commands of all kinds of pages for that place.
    void addCommands(QMenu* menu, MenuPlace place);
    void addCommands(QMenu* menu, const PageKind& kind, MenuPlace place);
    QAction* addCommand(QMenu* menu, const QString& kind, const PageCommand& command);
    /// A submenu for a kind of page.
    QMenu* addMenu(QMenu& in, const QString& text, const QString& kind);
    void addChoice(QMenu* menu, const QString& kind, const PageChoice& choice);
    void buildFile();
    void addWindowCommands(QMenu* file);
    void listSessions(QMenu& menu);
    void buildEdit();
    void buildView();
    void buildTheme(QMenu* view);
    void buildOwn();
    /// A button and an entry for each kind of page: back to the last one of it.
    void buildSwitch(QMenu* view);
    void showKind(const QString& kind);
    /// The button of the view bar: exporting, or what the page has more urgently.
    void showButton(const DocumentPage* page);
    void buildWindow();
    void buildHelp();
    void showSettings();
    void goToPanel(int by);
    /// The shown page, if it is of that kind.
    [[nodiscard]] DocumentPage* pageOf(const QString& kind) const;

    MenuTargets m_to;
    QAction* m_close = nullptr; ///< the current page, or what is being opened
    std::vector<PageAction> m_pageActions;
    std::vector<std::pair<QAction*, QString>> m_kindMenus; ///< of kinds of pages
    std::vector<std::pair<QAction*, const PageKind*>> m_kindSwitches;
    QString m_shownKind; ///< whose commands are shown
    QPointer<SettingsDialog> m_dialog;
};

} // namespace plimsoll::ui
