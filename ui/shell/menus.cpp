// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/menus.h"

#include "ui/base/settings.h"
#include "ui/base/texts.h"
#include "ui/manual/manual_window.h"
#include "ui/shell/actions.h"
#include "ui/shell/document_tabs.h"
#include "ui/shell/file_opener.h"
#include "ui/shell/finder.h"
#include "ui/shell/help_dialogs.h"
#include "ui/shell/page_keeper.h"
#include "ui/shell/panels.h"
#include "ui/shell/settings_dialog.h"
#include "ui/shell/view_bar.h"
#include "ui/start_page/file_summary.h"

#include <QAction>
#include <QActionGroup>
#include <QCoreApplication>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QStackedWidget>
#include <QTabBar>

#include <tuple>

namespace plimsoll::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Menus", text);
}

} // namespace

Menus::Menus(const MenuTargets& targets) : m_to{targets}
{
    buildFile();
    buildEdit();
    buildView();
    buildOwn();
    buildWindow();
    buildHelp();
}

void Menus::update(const DocumentPage* page)
{
    for (const auto& [action, kind, command] : m_pageActions) {
        const bool isOf = page != nullptr && (kind == nullptr || page->kind() == kind->id);
        action->setEnabled(
            isOf && (command == nullptr || !command->isEnabled || command->isEnabled(*page)));
        if (isOf && command != nullptr && command->tip)
            action->setToolTip(command->tip(*page));
    }
}

QMenu* Menus::menu(const QString& title)
{
    return m_to.bar.addMenu(title);
}

QAction* Menus::add(QMenu* menu, const char* id, const QString& text, const QKeySequence& key,
                    const Run& run, const char* iconName)
{
    QAction* action =
        m_to.actions.add(QString::fromLatin1(id), text, key, run, QString::fromLatin1(iconName));
    menu->addAction(action);
    return action;
}

QAction* Menus::addFor(QMenu* menu, const char* id, const QString& text, const QKeySequence& key,
                       const PageRun& run, const char* iconName)
{
    const auto onPage = [this, run] {
        if (DocumentPage* page = m_to.tabs.current())
            run(*page);
    };
    QAction* action = add(menu, id, text, key, onPage, iconName);
    m_pageActions.push_back({action, nullptr, nullptr});
    return action;
}

DocumentPage* Menus::pageOf(const PageKind& kind) const
{
    DocumentPage* page = m_to.tabs.current();
    return page != nullptr && page->kind() == kind.id ? page : nullptr;
}

void Menus::addCommands(QMenu* menu, MenuPlace place)
{
    for (const PageKind& kind : m_to.kinds.kinds)
        for (const PageCommand& command : kind.commands)
            if (command.place == place)
                addCommand(menu, kind, command);
}

void Menus::addCommand(QMenu* menu, const PageKind& kind, const PageCommand& command)
{
    if (command.text.isEmpty()) {
        menu->addSeparator();
        return;
    }
    if (!command.run) {
        addChoice(menu->addMenu(command.text), kind, command.choice);
        return;
    }
    const auto run = [this, &kind, &command] {
        if (DocumentPage* page = pageOf(kind))
            command.run(*page);
    };
    const QKeySequence key{QString::fromLatin1(command.key)};
    m_pageActions.push_back(
        {add(menu, command.id, command.text, key, run, command.icon), &kind, &command});
}

void Menus::addChoice(QMenu* menu, const PageKind& kind, const PageChoice& choice)
{
    for (const PageChoice::Entry& entry : choice.entries) {
        QAction* action = menu->addAction(entry.text, &m_to.tabs, [this, &kind, &entry] {
            if (DocumentPage* page = pageOf(kind))
                entry.choose(*page);
        });
        action->setData(entry.id);
        action->setCheckable(true);
    }
    QObject::connect(menu, &QMenu::aboutToShow, &m_to.tabs,
                     [this, actions = menu->actions(), &kind, &choice] {
                         const DocumentPage* page = pageOf(kind);
                         const QString chosen = page == nullptr ? QString{} : choice.chosen(*page);
                         for (QAction* action : actions) {
                             action->setEnabled(page != nullptr);
                             action->setChecked(action->data().toString() == chosen);
                         }
                     });
    if (!choice.below.empty())
        menu->addSeparator();
    for (const PageCommand& below : choice.below)
        addCommand(menu, kind, below);
}

void Menus::buildFile()
{
    QMenu* file = menu(tr("&File"));
    add(
        file, "file.open", tr("&Open…"), QKeySequence::Open, [this] { m_to.opener.choose(); },
        "open");
    QMenu* recent = file->addMenu(tr("Open &Recent"));
    QObject::connect(recent, &QMenu::aboutToShow, &m_to.opener, [this, recent] {
        recent->clear();
        for (const QString& path : m_to.settings.recentFiles())
            recent->addAction(withoutMnemonic(fileText(QFileInfo{path}.fileName())), &m_to.opener,
                              [this, path] { m_to.opener.open({path}); });
        if (recent->isEmpty())
            recent->addAction(tr("No recent files"))->setEnabled(false);
    });
    QMenu* samples = file->addMenu(tr("Open &Sample"));
    for (const QString& path : sampleFiles()) {
        const QString id = QFileInfo{path}.baseName();
        samples->addAction(m_to.actions.add(QStringLiteral("sample.") + id, id, {},
                                            [this, path] { m_to.opener.open({path}); }));
    }
    file->addSeparator();
    addCommands(file, MenuPlace::Add);
    file->addSeparator();
    addFor(file, "file.save", tr("&Save Session"), QKeySequence::Save,
           [this](DocumentPage& page) { m_to.keeper.save(page); });
    addFor(file, "file.save_as", tr("Save Session &As…"),
           QKeySequence{QStringLiteral("Ctrl+Shift+S")},
           [this](DocumentPage& page) { m_to.keeper.saveAs(page); });
    QMenu* sessions = file->addMenu(tr("A&dd to Session"));
    QObject::connect(sessions, &QMenu::aboutToShow, &m_to.opener,
                     [this, sessions] { listSessions(*sessions); });
    file->addSeparator();
    addCommands(file, MenuPlace::Export);
    file->addSeparator();
    addFor(file, "file.close", tr("&Close"), QKeySequence{QStringLiteral("Ctrl+W")},
           [this](DocumentPage& page) { m_to.keeper.close(page); });
    add(file, "file.quit", tr("&Quit"), QKeySequence{QStringLiteral("Ctrl+Q")},
        [this] { m_to.tabs.window()->close(); });
}

/// Those of other tabs, in which the shown document could be kept, too.
void Menus::listSessions(QMenu& menu)
{
    menu.clear();
    DocumentPage* page = m_to.tabs.current();
    if (page != nullptr)
        for (const session::SessionFilePtr& file : m_to.keeper.otherSessions(*page))
            menu.addAction(
                withoutMnemonic(fileText(QString::fromStdString(file->path().filename().string()))),
                page, [this, page, file] { m_to.keeper.saveInto(*page, file); });
    if (menu.isEmpty())
        menu.addAction(tr("No other session is open"))->setEnabled(false);
}

void Menus::buildEdit()
{
    QMenu* edit = menu(tr("&Edit"));
    QUndoGroup& group = m_to.tabs.undo();
    QAction* undo = group.createUndoAction(&m_to.tabs, tr("Undo"));
    QAction* redo = group.createRedoAction(&m_to.tabs, tr("Redo"));
    m_to.actions.adopt(QStringLiteral("edit.undo"), undo, QKeySequence::Undo,
                       QStringLiteral("undo"));
    m_to.actions.adopt(QStringLiteral("edit.redo"), redo,
                       QKeySequence{QStringLiteral("Ctrl+Shift+Z")}, QStringLiteral("redo"));
    edit->addAction(undo);
    edit->addAction(redo);
    edit->addSeparator();
    QAction* find = addFor(
        edit, "edit.find", tr("Find…"), {}, [this](DocumentPage&) { m_to.view.beginFind(); },
        "search");
    find->setShortcuts({QKeySequence{QStringLiteral("Ctrl+F")}, QKeySequence{QStringLiteral("/")}});
    addFor(edit, "edit.find_next", tr("Find Next"), QKeySequence{QStringLiteral("N")},
           [this](DocumentPage&) { m_to.finder.next(); });
    addFor(edit, "edit.find_previous", tr("Find Previous"), QKeySequence{QStringLiteral("Shift+N")},
           [this](DocumentPage&) { m_to.finder.previous(); });
    edit->addSeparator();
    // The key itself goes to the plot first; here it only stands in the menu.
    addFor(edit, "edit.clear", tr("Clear Selection") + QStringLiteral("\tEsc"), {},
           [](DocumentPage& page) { page.clearSelection(); });
    edit->addSeparator();
    add(
        edit, "edit.settings", tr("Settings…"), QKeySequence{QStringLiteral("Ctrl+,")},
        [this] { showSettings(); }, "settings");
}

void Menus::buildView()
{
    QMenu* view = menu(tr("&View"));
    addCommands(view, MenuPlace::View);
    addFor(view, "view.table", tr("Show as Table"), QKeySequence{QStringLiteral("Ctrl+Shift+T")},
           [](DocumentPage& page) { page.toggleTable(); });
    view->addSeparator();
    buildTheme(view);
    Settings* settings = &m_to.settings;
    add(view, "view.larger", tr("Larger"), QKeySequence{QStringLiteral("Ctrl++")},
        [settings] { settings->setScalePercent(settings->scalePercent() + 10); });
    add(view, "view.smaller", tr("Smaller"), QKeySequence{QStringLiteral("Ctrl+-")},
        [settings] { settings->setScalePercent(settings->scalePercent() - 10); });
    view->addSeparator();
    addFor(view, "view.focus", tr("Only the Timeline"), QKeySequence{QStringLiteral("F11")},
           [](DocumentPage& page) { page.setFocused(!page.isFocused()); });
}

void Menus::buildTheme(QMenu* view)
{
    // A menu of the values of a setting, which follow it.
    const auto list = [this, view, settings = &m_to.settings](const QString& title, auto values,
                                                              auto get, auto set, auto changed) {
        QMenu* menu = view->addMenu(title);
        auto* group = new QActionGroup{menu};
        for (const auto& [id, text, value] : values) {
            QAction* action =
                add(menu, id, text, {}, [settings, set, to = value] { (settings->*set)(to); });
            action->setCheckable(true);
            action->setChecked((settings->*get)() == value);
            QObject::connect(settings, changed, action,
                             [action, to = value](auto now) { action->setChecked(now == to); });
            group->addAction(action);
        }
    };
    list(tr("Theme"),
         std::vector{std::tuple{"theme.light", tr("Light"), ThemeChoice::Light},
                     {"theme.dark", tr("Dark"), ThemeChoice::Dark},
                     {"theme.system", tr("As the System"), ThemeChoice::System}},
         &Settings::theme, &Settings::setTheme, &Settings::themeChanged);
    list(tr("Patterns"),
         std::vector{std::tuple{"patterns.off", tr("Off"), PatternStrength::Off},
                     {"patterns.normal", tr("Normal"), PatternStrength::Normal},
                     {"patterns.strong", tr("Strong"), PatternStrength::Strong}},
         &Settings::patterns, &Settings::setPatterns, &Settings::patternsChanged);
}

void Menus::buildOwn()
{
    for (const PageKind& kind : m_to.kinds.kinds) {
        if (kind.menu.isEmpty())
            continue;
        QMenu* own = menu(kind.menu);
        for (const PageCommand& command : kind.commands)
            if (command.place == MenuPlace::Own)
                addCommand(own, kind, command);
    }
}

void Menus::buildWindow()
{
    QMenu* windows = menu(tr("&Window"));
    QAction* docksEnd = windows->addSeparator();
    QObject::connect(windows, &QMenu::aboutToShow, &m_to.tabs,
                     [tabs = &m_to.tabs, windows, docksEnd] {
                         for (QAction* action : windows->actions()) {
                             if (action == docksEnd)
                                 break;
                             windows->removeAction(action);
                         }
                         if (const DocumentPage* page = tabs->current())
                             windows->insertActions(docksEnd, page->dockActions());
                     });
    addFor(windows, "window.layout", tr("Reset Layout"), {},
           [](DocumentPage& page) { page.resetLayout(); });
    add(windows, "window.panel_next", tr("Next Panel"), QKeySequence{QStringLiteral("F6")},
        [this] { goToPanel(1); });
    add(windows, "window.panel_previous", tr("Previous Panel"),
        QKeySequence{QStringLiteral("Shift+F6")}, [this] { goToPanel(-1); });
    add(windows, "window.next", tr("Next Tab"), QKeySequence{QStringLiteral("Ctrl+Tab")},
        [this] { m_to.tabs.showNext(); });
}

void Menus::buildHelp()
{
    QMenu* help = menu(tr("&Help"));
    QWidget* window = m_to.tabs.window();
    add(help, "help.manual", tr("Manual"), {}, [window] { showManual(*window, false); });
    add(help, "help.context", tr("Help on This Panel"), QKeySequence::HelpContents, [window] {
        showManual(*window, true);
    })->setShortcutContext(Qt::ApplicationShortcut); // in dialogs, too
    help->addSeparator();
    add(help, "help.keys", tr("Keys"), QKeySequence{QStringLiteral("?")},
        [this, window] { showKeys(window, m_to.actions); });
    add(help, "help.planners", tr("Planners"), {}, [window] { showPlanners(window); });
    addCommands(help, MenuPlace::Help);
    add(help, "help.about", tr("About Plimsoll"), {}, [window] { showAbout(window); });
}

void Menus::showSettings()
{
    if (m_dialog.isNull())
        m_dialog = new SettingsDialog{m_to.settings, m_to.tabs.window()};
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

void Menus::goToPanel(int by)
{
    QList<QWidget*> panels{&m_to.tabs.bar()};
    if (const DocumentPage* page = m_to.tabs.current())
        panels << &m_to.view << page->panels();
    else
        panels << m_to.tabs.stack().currentWidget();
    ui::goToPanel(panels, by);
}

} // namespace plimsoll::ui
