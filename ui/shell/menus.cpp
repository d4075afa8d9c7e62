// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/menus.h"

#include "ui/base/icons.h"
#include "ui/base/settings.h"
#include "ui/base/texts.h"
#include "ui/manual/manual_window.h"
#include "ui/menus/mnemonics.h"
#include "ui/shell/document_tabs.h"
#include "ui/shell/file_opener.h"
#include "ui/shell/find_field.h"
#include "ui/shell/help_dialogs.h"
#include "ui/shell/page_keeper.h"
#include "ui/shell/settings_dialog.h"
#include "ui/shell/view_bar.h"
#include "ui/start_page/samples.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QStackedWidget>
#include <QTabBar>

#include <tuple>

namespace plimsoll::ui {

namespace {

bool takesTab(const QWidget& widget)
{
    return (widget.focusPolicy() & Qt::TabFocus) != 0 && widget.isVisible() && widget.isEnabled();
}

bool holds(const QWidget& panel, const QWidget& widget)
{
    return &panel == &widget || panel.isAncestorOf(&widget);
}

/// The widget that last had the focus, else the first in the tab order; null if none accepts it.
QWidget* entryOf(QWidget& panel)
{
    QWidget* last = panel.focusWidget();
    if (last != nullptr && takesTab(*last))
        return last;
    // A dock's content comes before the menu in its title.
    if (const auto* dock = qobject_cast<const QDockWidget*>(&panel);
        dock != nullptr && dock->widget() != nullptr)
        if (QWidget* entry = entryOf(*dock->widget()))
            return entry;
    QWidget* widget = &panel;
    do {
        if (holds(panel, *widget) && takesTab(*widget))
            return widget;
        widget = widget->nextInFocusChain();
    } while (widget != &panel);
    return nullptr;
}

/// Moves the focus `by` panels onwards, wrapping around and skipping panels that don't accept it. A
/// panel's last focused widget gets it. The focus ring is shown, since a key was used.
void goTo(const QList<QWidget*>& panels, int by)
{
    const QWidget* focused = QApplication::focusWidget();
    const qsizetype count = panels.size();
    qsizetype from = by > 0 ? -1 : 0; // if none has the focus
    for (qsizetype i = 0; i < count; ++i)
        if (focused != nullptr && holds(*panels[i], *focused))
            from = i;
    for (qsizetype moves = 1; moves <= count; ++moves) {
        const qsizetype at = ((from + by * moves) % count + count) % count;
        if (QWidget* entry = entryOf(*panels[at])) {
            entry->setFocus(by > 0 ? Qt::TabFocusReason : Qt::BacktabFocusReason);
            return;
        }
    }
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
    for (QAction* action : m_to.bar.actions())
        addMnemonics(*action->menu());
    if (!m_to.kinds.kinds.empty())
        showKind(m_to.kinds.kinds.front().id);
    showButton(nullptr);
}

void Menus::update(const DocumentPage* page)
{
    for (const auto& [action, kind, isEnabled, tip, isChecked] : m_pageActions) {
        const bool isOf = page != nullptr && (kind.isEmpty() || page->kind() == kind);
        action->setEnabled(isOf && (!isEnabled || isEnabled(*page)));
        if (isOf && tip)
            action->setToolTip(tip(*page));
        if (isChecked)
            action->setChecked(isOf && isChecked(*page));
    }
    m_close->setEnabled(page != nullptr || m_to.tabs.isOpeningShown());
    for (const auto& [action, kind] : m_kindSwitches) {
        action->setEnabled(m_to.tabs.lastOf(kind->id) != nullptr || kind->begin);
        action->setChecked(page != nullptr && page->kind() == kind->id);
    }
    if (page != nullptr && page->kind() != m_shownKind)
        showKind(page->kind());
    showButton(page);
}

void Menus::showButton(const DocumentPage* page)
{
    QString id = page == nullptr ? QString{} : page->urgentCommand();
    for (const PageKind& known : m_to.kinds.kinds)
        if (id.isEmpty() && known.id == m_shownKind)
            id = known.exporting;
    m_to.view.setExport(id.isEmpty() ? nullptr : m_to.tabs.window()->findChild<QAction*>(id));
}

void Menus::showKind(const QString& kind)
{
    m_shownKind = kind;
    for (const PageAction& action : m_pageActions)
        if (!action.kind.isEmpty())
            action.action->setVisible(action.kind == kind);
    for (const auto& [menu, of] : m_kindMenus)
        menu->setVisible(of == kind);
}

QAction* Menus::add(QMenu* menu, QAnyStringView id, const QString& text, const char* key,
                    const Run& run, const char* iconName)
{
    auto* action = new QAction{text, m_to.tabs.window()};
    QObject::connect(action, &QAction::triggered, &m_to.tabs, run);
    adopt(menu, action, id, key, iconName);
    return action;
}

void Menus::adopt(QMenu* menu, QAction* action, QAnyStringView id, const char* key,
                  const char* iconName)
{
    if (*key != '\0')
        action->setShortcut(QKeySequence{QString::fromLatin1(key)});
    if (*iconName != '\0')
        action->setIcon(icon(QString::fromLatin1(iconName)));
    action->setObjectName(id);
    action->setIconVisibleInMenu(false);
    // The window owns the shortcuts, whether or not a menu shows the action.
    m_to.tabs.window()->addAction(action);
    menu->addAction(action);
}

QAction* Menus::addFor(QMenu* menu, const char* id, const QString& text, const char* key,
                       const PageRun& run, const char* iconName)
{
    return addCommand(menu, {}, {MenuPlace::Own, id, text, key, run, iconName});
}

DocumentPage* Menus::pageOf(const QString& kind) const
{
    DocumentPage* page = m_to.tabs.current();
    return page != nullptr && (kind.isEmpty() || page->kind() == kind) ? page : nullptr;
}

void Menus::addCommands(QMenu* menu, MenuPlace place)
{
    for (const PageCommand& command : m_to.kinds.shared)
        if (command.place == place)
            addCommand(menu, {}, command);
    for (const PageKind& kind : m_to.kinds.kinds)
        addCommands(menu, kind, place);
}

void Menus::addCommands(QMenu* menu, const PageKind& kind, MenuPlace place)
{
    for (const PageCommand& command : kind.commands) {
        if (command.place != place)
            continue;
        if (command.text.isEmpty())
            menu->addSeparator();
        else if (!command.run)
            addChoice(addMenu(*menu, command.text, kind.id), kind.id, command.choice);
        else
            addCommand(menu, kind.id, command);
    }
}

QMenu* Menus::addMenu(QMenu& in, const QString& text, const QString& kind)
{
    QMenu* menu = in.addMenu(text);
    m_kindMenus.emplace_back(menu->menuAction(), kind);
    return menu;
}

QAction* Menus::addCommand(QMenu* menu, const QString& kind, const PageCommand& command)
{
    const auto onPage = [this, kind, run = command.run] {
        if (DocumentPage* page = pageOf(kind))
            run(*page);
    };
    QAction* action = add(menu, command.id, command.text, command.key, onPage, command.icon);
    action->setCheckable(command.isChecked != nullptr);
    if (!command.button.isEmpty())
        action->setData(command.button);
    m_pageActions.push_back({action, kind, command.isEnabled, command.tip, command.isChecked});
    return action;
}

void Menus::addChoice(QMenu* menu, const QString& kind, const PageChoice& choice)
{
    for (const auto& [id, text] : choice.entries) {
        QAction* action =
            menu->addAction(text, &m_to.tabs, [this, kind, id, choose = choice.choose] {
                if (DocumentPage* page = pageOf(kind))
                    choose(*page, id);
            });
        action->setData(id);
        action->setCheckable(true);
    }
    QObject::connect(menu, &QMenu::aboutToShow, &m_to.tabs,
                     [this, actions = menu->actions(), kind, chosen = choice.chosen] {
                         const DocumentPage* page = pageOf(kind);
                         const QString id = page == nullptr ? QString{} : chosen(*page);
                         for (QAction* action : actions) {
                             action->setEnabled(page != nullptr);
                             action->setChecked(action->data().toString() == id);
                         }
                     });
    if (!choice.below.empty())
        menu->addSeparator();
    for (const PageCommand& below : choice.below)
        addCommand(menu, kind, below);
}

void Menus::buildFile()
{
    QMenu* file = m_to.bar.addMenu(QObject::tr("&File"));
    add(
        file, "file.open", QObject::tr("&Open…"), "Ctrl+O", [this] { m_to.opener.choose(); },
        "open");
    QMenu* recent = file->addMenu(QObject::tr("Open &Recent"));
    QObject::connect(recent, &QMenu::aboutToShow, &m_to.opener, [this, recent] {
        recent->clear();
        for (const QString& path : m_to.settings.recentFiles())
            recent->addAction(withoutMnemonic(fileText(QFileInfo{path}.fileName())), &m_to.opener,
                              [this, path] { m_to.opener.open({path}); });
        if (recent->isEmpty())
            recent->addAction(QObject::tr("No recent files"))->setEnabled(false);
    });
    QMenu* samples = file->addMenu(QObject::tr("Open &Sample"));
    for (const QString& path : sampleFiles()) {
        const QString id = QFileInfo{path}.baseName();
        add(samples, QString{QStringLiteral("sample.") + id}, id, "",
            [this, path] { m_to.opener.open({path}); });
    }
    file->addSeparator();
    addWindowCommands(file);
    addCommands(file, MenuPlace::Add);
    file->addSeparator();
    addFor(file, "file.save", QObject::tr("&Save Session"), "Ctrl+S",
           [this](DocumentPage& page) { m_to.keeper.save(page); });
    addFor(file, "file.save_as", QObject::tr("Save Session &As…"), "Ctrl+Shift+S",
           [this](DocumentPage& page) { m_to.keeper.saveAs(page); });
    QMenu* sessions = file->addMenu(QObject::tr("A&dd to Session"));
    QObject::connect(sessions, &QMenu::aboutToShow, &m_to.opener,
                     [this, sessions] { listSessions(*sessions); });
    file->addSeparator();
    addCommands(file, MenuPlace::Export);
    file->addSeparator();
    m_close = add(file, "file.close", QObject::tr("&Close"), "Ctrl+W", [this] {
        if (DocumentPage* page = m_to.tabs.current())
            m_to.keeper.close(*page);
        else if (m_to.tabs.isOpeningShown())
            Q_EMIT m_to.tabs.openingClosed();
    });
    add(file, "file.quit", QObject::tr("&Quit"), "Ctrl+Q", [this] { m_to.tabs.window()->close(); });
}

void Menus::addWindowCommands(QMenu* file)
{
    const WindowAccess access{
        *m_to.tabs.window(),
        [opener = &m_to.opener](const QStringList& files) { opener->open(files); }};
    for (const WindowCommand& command : m_to.kinds.window)
        add(
            file, command.id, command.text, command.key,
            [access, run = command.run] { run(access); }, command.icon);
}

/// Lists the sessions of other tabs, to which the shown document can be added.
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
        menu.addAction(QObject::tr("No other session is open"))->setEnabled(false);
}

void Menus::buildEdit()
{
    QMenu* edit = m_to.bar.addMenu(QObject::tr("&Edit"));
    QUndoGroup& group = m_to.tabs.undo();
    adopt(edit, group.createUndoAction(&m_to.tabs, QObject::tr("Undo")), "edit.undo", "Ctrl+Z",
          "undo");
    adopt(edit, group.createRedoAction(&m_to.tabs, QObject::tr("Redo")), "edit.redo",
          "Ctrl+Shift+Z", "redo");
    edit->addSeparator();
    QAction* find = addFor(
        edit, "edit.find", QObject::tr("Find…"), "",
        [this](DocumentPage&) { m_to.view.beginFind(); }, "search");
    find->setShortcuts({QKeySequence{QStringLiteral("Ctrl+F")}, QKeySequence{QStringLiteral("/")}});
    addFor(edit, "edit.find_next", QObject::tr("Find Next"), "N",
           [this](DocumentPage&) { m_to.view.find().go(1); });
    addFor(edit, "edit.find_previous", QObject::tr("Find Previous"), "Shift+N",
           [this](DocumentPage&) { m_to.view.find().go(-1); });
    edit->addSeparator();
    // The plot handles the key first; here it is only shown in the menu.
    addFor(edit, "edit.clear", QObject::tr("Clear Selection") + QStringLiteral("\tEsc"), "",
           [](DocumentPage& page) { page.clearSelection(); });
    edit->addSeparator();
    add(
        edit, "edit.settings", QObject::tr("Settings…"), "Ctrl+,", [this] { showSettings(); },
        "settings");
}

void Menus::buildView()
{
    QMenu* view = m_to.bar.addMenu(QObject::tr("&View"));
    buildSwitch(view);
    addCommands(view, MenuPlace::View);
    addFor(view, "view.table", QObject::tr("Show as Table"), "Ctrl+Shift+T",
           [](DocumentPage& page) { page.toggleTable(); });
    view->addSeparator();
    buildTheme(view);
    Settings* settings = &m_to.settings;
    add(view, "view.larger", QObject::tr("Larger"), "Ctrl++",
        [settings] { settings->setScalePercent(settings->scalePercent() + 10); });
    add(view, "view.smaller", QObject::tr("Smaller"), "Ctrl+-",
        [settings] { settings->setScalePercent(settings->scalePercent() - 10); });
    view->addSeparator();
    addFor(view, "view.focus", QObject::tr("Only the Timeline"), "F11",
           [](DocumentPage& page) { page.setFocused(!page.isFocused()); });
}

void Menus::buildTheme(QMenu* view)
{
    // A menu of a setting's values that stays in sync with it.
    const auto list = [this, view, settings = &m_to.settings](const QString& title, auto values,
                                                              auto get, auto set, auto changed) {
        QMenu* menu = view->addMenu(title);
        auto* group = new QActionGroup{menu};
        for (const auto& [id, text, value] : values) {
            QAction* action =
                add(menu, id, text, "", [settings, set, to = value] { (settings->*set)(to); });
            action->setCheckable(true);
            action->setChecked((settings->*get)() == value);
            QObject::connect(settings, changed, action,
                             [action, to = value](auto now) { action->setChecked(now == to); });
            group->addAction(action);
        }
    };
    list(QObject::tr("Theme"),
         std::vector{std::tuple{"theme.light", QObject::tr("Light"), ThemeChoice::Light},
                     {"theme.dark", QObject::tr("Dark"), ThemeChoice::Dark},
                     {"theme.system", QObject::tr("Follow System"), ThemeChoice::System}},
         &Settings::theme, &Settings::setTheme, &Settings::themeChanged);
    list(QObject::tr("Patterns"),
         std::vector{std::tuple{"patterns.off", QObject::tr("Off"), PatternStrength::Off},
                     {"patterns.normal", QObject::tr("Normal"), PatternStrength::Normal},
                     {"patterns.strong", QObject::tr("Strong"), PatternStrength::Strong}},
         &Settings::patterns, &Settings::setPatterns, &Settings::patternsChanged);
}

void Menus::buildOwn()
{
    for (const PageKind& kind : m_to.kinds.kinds)
        if (!kind.menu.isEmpty()) {
            QMenu* own = m_to.bar.addMenu(kind.menu);
            m_kindMenus.emplace_back(own->menuAction(), kind.id);
            addCommands(own, kind, MenuPlace::Own);
        }
}

void Menus::buildSwitch(QMenu* view)
{
    int number = 0;
    for (const PageKind& kind : m_to.kinds.kinds) {
        if (kind.view.isEmpty())
            continue;
        const QByteArray key = QByteArrayLiteral("Ctrl+") + QByteArray::number(++number);
        QAction* action = add(view, QString{QStringLiteral("view.kind.") + kind.id},
                              QStringLiteral("&%1 %2").arg(number).arg(kind.view), key.constData(),
                              [this, &kind] {
                                  if (const DocumentPage* page = m_to.tabs.lastOf(kind.id))
                                      m_to.tabs.show(*page);
                                  else if (kind.begin)
                                      m_to.opener.begin(kind);
                              });
        action->setIcon(icon(kind.icon));
        action->setIconText(kind.view); // of the button
        action->setCheckable(true);
        action->setToolTip((kind.begin ? QObject::tr("%1 (%2): the document of that kind that was "
                                                     "shown last, or a new one")
                                       : QObject::tr("%1 (%2): the document of that kind that was "
                                                     "shown last"))
                               .arg(kind.view, action->shortcut().toString()));
        m_kindSwitches.emplace_back(action, &kind);
        m_to.view.addSwitch(*action);
    }
    view->addSeparator();
}

void Menus::buildWindow()
{
    QMenu* windows = m_to.bar.addMenu(QObject::tr("&Window"));
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
    addFor(windows, "window.layout", QObject::tr("Reset Layout"), "",
           [](DocumentPage& page) { page.resetLayout(); });
    add(windows, "window.panel_next", QObject::tr("Next Panel"), "F6", [this] { goToPanel(1); });
    add(windows, "window.panel_previous", QObject::tr("Previous Panel"), "Shift+F6",
        [this] { goToPanel(-1); });
    add(windows, "window.next", QObject::tr("Next Tab"), "Ctrl+Tab",
        [this] { m_to.tabs.showNext(); });
}

void Menus::buildHelp()
{
    QMenu* help = m_to.bar.addMenu(QObject::tr("&Help"));
    QWidget* window = m_to.tabs.window();
    add(help, "help.manual", QObject::tr("Manual"), "", [window] { showManual(*window); });
    add(help, "help.context", QObject::tr("Help on This Panel"), "F1", [window] {
        showManualForFocus(*window);
    })->setShortcutContext(Qt::ApplicationShortcut); // also in dialogs
    help->addSeparator();
    add(help, "help.keys", QObject::tr("Keys"), "?", [window] { showKeys(window); });
    add(help, "help.planners", QObject::tr("Planners"), "", [window] { showPlanners(window); });
    addCommands(help, MenuPlace::Help);
    add(help, "help.about", QObject::tr("About Plimsoll"), "", [window] { showAbout(window); });
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
    goTo(panels, by);
}

} // namespace plimsoll::ui
