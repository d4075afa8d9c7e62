// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/menus.h"

#include "core/device/device.h"
#include "core/device/known_devices.h"
#include "core/solve/registry.h"
#include "ui/base/texts.h"
#include "ui/base/theme.h"
#include "ui/manual/manual_window.h"
#include "ui/shell/actions.h"
#include "ui/shell/finder.h"
#include "ui/shell/help_dialogs.h"
#include "ui/shell/main_window.h"
#include "ui/shell/view_bar.h"
#include "ui/start_page/file_summary.h"

#include <QAction>
#include <QActionGroup>
#include <QCoreApplication>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>

namespace plimsoll::ui {

/// Knows the window's parts while the menus are made.
class MenuBuilder
{
public:
    explicit MenuBuilder(MainWindow& window) : m_window{window}, m_actions{window.actions()} {}

    void build()
    {
        buildFile();
        buildEdit();
        buildView();
        buildPlan();
        buildWindow();
        buildHelp();
    }

private:
    using PageCommand = std::function<void(PlannerPage&)>;

    static QString tr(const char* text) { return QCoreApplication::translate("Menus", text); }
    QAction* add(QMenu* menu, const char* id, const QString& text, const QKeySequence& key,
                 const std::function<void()>& run, const char* iconName = "")
    {
        QAction* action =
            m_actions.add(QString::fromLatin1(id), text, key, run, QString::fromLatin1(iconName));
        menu->addAction(action);
        return action;
    }
    /// A command of the shown document; disabled on the start page.
    QAction* addFor(QMenu* menu, const char* id, const QString& text, const QKeySequence& key,
                    const PageCommand& run, const char* iconName = "")
    {
        QAction* action = add(
            menu, id, text, key, [window = &m_window, run] { window->withPage(run); }, iconName);
        action->setProperty("page", true);
        return action;
    }
    QMenu* menu(const QString& title) { return m_window.menuBar()->addMenu(title); }

    void buildFile();
    void buildEdit();
    void buildView();
    void buildTheme(QMenu* view);
    void buildPlan();
    void buildChoices(QMenu* plan);
    void buildWindow();
    void buildHelp();

    MainWindow& m_window;
    Actions& m_actions;
};

void MenuBuilder::buildFile()
{
    MainWindow* window = &m_window;
    QMenu* file = menu(tr("&File"));
    add(
        file, "file.open", tr("&Open…"), QKeySequence::Open, [window] { window->chooseFiles(); },
        "open");
    QMenu* recent = file->addMenu(tr("Open &Recent"));
    QObject::connect(recent, &QMenu::aboutToShow, window, [window, recent] {
        recent->clear();
        for (const QString& path : window->m_settings.recentFiles())
            recent->addAction(withoutMnemonic(fileText(QFileInfo{path}.fileName())), window,
                              [window, path] { window->openFiles({path}); });
        if (recent->isEmpty())
            recent->addAction(tr("No recent files"))->setEnabled(false);
    });
    QMenu* samples = file->addMenu(tr("Open &Sample"));
    for (const QString& path : sampleFiles()) {
        const QString id = QFileInfo{path}.baseName();
        samples->addAction(m_actions.add(QStringLiteral("sample.") + id, id, {},
                                         [window, path] { window->openFiles({path}); }));
    }
    file->addSeparator();
    addFor(file, "file.measurement", tr("&Lay a Measurement over the Prediction…"),
           QKeySequence{QStringLiteral("Ctrl+Shift+O")},
           [window](PlannerPage&) { window->chooseMeasurement(); });
    addFor(file, "file.no_measurement", tr("&Remove the Measurement"), {},
           [](PlannerPage& page) { page.document().setOverlay(nullptr); });
    file->addSeparator();
    addFor(file, "file.save", tr("&Save Session"), QKeySequence::Save,
           [window](PlannerPage& page) { window->save(page); });
    addFor(file, "file.save_as", tr("Save Session &As…"),
           QKeySequence{QStringLiteral("Ctrl+Shift+S")},
           [window](PlannerPage& page) { window->saveAs(page); });
    file->addSeparator();
    addFor(
        file, "file.export", tr("&Export Plan…"), QKeySequence{QStringLiteral("Ctrl+E")},
        [window](PlannerPage& page) { window->chooseExport(page); }, "export");
    addFor(file, "file.picture", tr("Export &Picture…"),
           QKeySequence{QStringLiteral("Ctrl+Shift+E")},
           [window](PlannerPage& page) { window->choosePicture(page); });
    addFor(file, "file.snippet", tr("Copy P&ython Lines"),
           QKeySequence{QStringLiteral("Ctrl+Shift+C")},
           [window](PlannerPage& page) { window->copySnippet(page); });
    file->addSeparator();
    addFor(file, "file.close", tr("&Close"), QKeySequence{QStringLiteral("Ctrl+W")},
           [window](PlannerPage& page) { window->closePage(window->indexOf(&page)); });
    add(file, "file.quit", tr("&Quit"), QKeySequence{QStringLiteral("Ctrl+Q")},
        [window] { window->close(); });
}

void MenuBuilder::buildEdit()
{
    MainWindow* window = &m_window;
    QMenu* edit = menu(tr("&Edit"));
    QAction* undo = window->m_undo.createUndoAction(window, tr("Undo"));
    QAction* redo = window->m_undo.createRedoAction(window, tr("Redo"));
    m_actions.adopt(QStringLiteral("edit.undo"), undo, QKeySequence::Undo, QStringLiteral("undo"));
    m_actions.adopt(QStringLiteral("edit.redo"), redo, QKeySequence{QStringLiteral("Ctrl+Shift+Z")},
                    QStringLiteral("redo"));
    edit->addAction(undo);
    edit->addAction(redo);
    edit->addSeparator();
    QAction* find = addFor(
        edit, "edit.find", tr("Find…"), {}, [window](PlannerPage&) { window->m_bar->beginFind(); },
        "search");
    find->setShortcuts({QKeySequence{QStringLiteral("Ctrl+F")}, QKeySequence{QStringLiteral("/")}});
    addFor(edit, "edit.find_next", tr("Find Next"), QKeySequence{QStringLiteral("N")},
           [window](PlannerPage&) { window->m_finder->next(); });
    addFor(edit, "edit.find_previous", tr("Find Previous"), QKeySequence{QStringLiteral("Shift+N")},
           [window](PlannerPage&) { window->m_finder->previous(); });
    edit->addSeparator();
    // The key itself goes to the plot first; here it only stands in the menu.
    addFor(edit, "edit.clear", tr("Clear Selection") + QStringLiteral("\tEsc"), {},
           [](PlannerPage& page) { page.clearSelection(); });
    edit->addSeparator();
    add(
        edit, "edit.settings", tr("Settings…"), QKeySequence{QStringLiteral("Ctrl+,")},
        [window] { window->showSettings(); }, "settings");
}

void MenuBuilder::buildView()
{
    QMenu* view = menu(tr("&View"));
    const auto plot = [&](const char* id, const QString& text, const char* key,
                          void (TimelineView::*command)(), const char* iconName = "") {
        addFor(
            view, id, text, QKeySequence{QString::fromLatin1(key)},
            [command](PlannerPage& page) { (page.timeline().*command)(); }, iconName);
    };
    plot("view.zoom_in", tr("Zoom In"), "W", &TimelineView::zoomIn);
    plot("view.zoom_out", tr("Zoom Out"), "S", &TimelineView::zoomOut);
    plot("view.pan_left", tr("Pan Left"), "A", &TimelineView::panLeft);
    plot("view.pan_right", tr("Pan Right"), "D", &TimelineView::panRight);
    plot("view.range", tr("Zoom to Range"), "Z", &TimelineView::zoomToRange);
    plot("view.whole", tr("Whole Step"), "H", &TimelineView::showWholeStep, "fit");
    plot("view.peak", tr("Go to Peak"), "]", &TimelineView::goToPeak);
    plot("view.pin", tr("Pin Here"), "M", &TimelineView::pinAtCursor);
    addFor(view, "view.table", tr("Show as Table"), QKeySequence{QStringLiteral("Ctrl+Shift+T")},
           [](PlannerPage& page) { page.toggleTable(); });
    view->addSeparator();
    buildTheme(view);
    MainWindow* window = &m_window;
    add(view, "view.larger", tr("Larger"), QKeySequence{QStringLiteral("Ctrl++")},
        [window] { window->m_settings.setScalePercent(window->m_settings.scalePercent() + 10); });
    add(view, "view.smaller", tr("Smaller"), QKeySequence{QStringLiteral("Ctrl+-")},
        [window] { window->m_settings.setScalePercent(window->m_settings.scalePercent() - 10); });
    view->addSeparator();
    addFor(view, "view.focus", tr("Only the Timeline"), QKeySequence{QStringLiteral("F11")},
           [](PlannerPage& page) { page.setFocused(!page.isFocused()); });
}

void MenuBuilder::buildTheme(QMenu* view)
{
    Settings* settings = &m_window.m_settings;
    QMenu* themes = view->addMenu(tr("Theme"));
    auto* themeGroup = new QActionGroup{themes};
    const auto theme = [&](const char* id, const QString& text, ThemeChoice choice) {
        QAction* action =
            add(themes, id, text, {}, [settings, choice] { settings->setTheme(choice); });
        action->setCheckable(true);
        action->setChecked(settings->theme() == choice);
        QObject::connect(settings, &Settings::themeChanged, action,
                         [action, choice](ThemeChoice now) { action->setChecked(now == choice); });
        themeGroup->addAction(action);
    };
    theme("theme.light", tr("Light"), ThemeChoice::Light);
    theme("theme.dark", tr("Dark"), ThemeChoice::Dark);
    theme("theme.system", tr("As the System"), ThemeChoice::System);
    QMenu* patterns = view->addMenu(tr("Patterns"));
    auto* patternGroup = new QActionGroup{patterns};
    const auto pattern = [&](const char* id, const QString& text, PatternStrength strength) {
        QAction* action =
            add(patterns, id, text, {}, [settings, strength] { settings->setPatterns(strength); });
        action->setCheckable(true);
        action->setChecked(settings->patterns() == strength);
        QObject::connect(
            settings, &Settings::patternsChanged, action,
            [action, strength](PatternStrength now) { action->setChecked(now == strength); });
        patternGroup->addAction(action);
    };
    pattern("patterns.off", tr("Off"), PatternStrength::Off);
    pattern("patterns.normal", tr("Normal"), PatternStrength::Normal);
    pattern("patterns.strong", tr("Strong"), PatternStrength::Strong);
}

void MenuBuilder::buildPlan()
{
    QMenu* plan = menu(tr("&Plan"));
    addFor(plan, "plan.line", tr("Focus Budget Line"), QKeySequence{QStringLiteral("B")},
           [](PlannerPage& page) { page.timeline().focusBudgetLine(); });
    addFor(plan, "plan.budget", tr("Set Budget…"), QKeySequence{QStringLiteral("Ctrl+B")},
           [](PlannerPage& page) { page.timeline().typeBudget(); });
    buildChoices(plan);
    plan->addSeparator();
    addFor(plan, "plan.now", tr("Plan Now"), QKeySequence{QStringLiteral("Ctrl+Return")},
           [](PlannerPage& page) { page.document().planNow(); });
    addFor(plan, "plan.stop", tr("Stop"), QKeySequence{QStringLiteral("Ctrl+.")},
           [](PlannerPage& page) { page.document().stopPlanning(); });
}

void MenuBuilder::buildChoices(QMenu* plan)
{
    MainWindow* window = &m_window;
    const auto commit = [window](const std::function<void(workspace::Choices&)>& change) {
        window->withPage([&](PlannerPage& page) {
            workspace::Choices choices = page.document().document().choices;
            change(choices);
            page.document().commitChoices(choices);
        });
    };
    const auto checked =
        [window](QMenu* list,
                 const std::function<std::string(const workspace::Choices&)>& current) {
            QObject::connect(list, &QMenu::aboutToShow, window, [window, list, current] {
                PlannerPage* page = window->currentPage();
                const std::string chosen =
                    page == nullptr ? std::string{} : current(page->document().document().choices);
                for (QAction* action : list->actions()) {
                    action->setEnabled(page != nullptr);
                    action->setChecked(action->data().toString().toStdString() == chosen);
                }
            });
        };
    QMenu* devices = plan->addMenu(tr("GPU"));
    for (const plan::Device& device : plan::builtInDevices()) {
        QAction* action =
            devices->addAction(QString::fromStdString(device.name), window, [commit, device] {
                commit([&](workspace::Choices& choices) { choices.device = device; });
            });
        action->setData(QString::fromStdString(device.id));
        action->setCheckable(true);
    }
    devices->addSeparator();
    addFor(devices, "plan.otherDevice", tr("Other GPU…"), {},
           [window](PlannerPage& page) { window->askForDevice(page); });
    checked(devices, [](const workspace::Choices& choices) { return choices.device.id; });
    QMenu* planners = plan->addMenu(tr("Planner"));
    for (const auto& planner : solve::planners()) {
        const std::string id = planner->descriptor().id;
        QAction* action = planners->addAction(QString::fromStdString(planner->descriptor().name),
                                              window, [commit, id] {
                                                  commit([&](workspace::Choices& choices) {
                                                      choices.planner = id;
                                                      choices.options.clear();
                                                  });
                                              });
        action->setData(QString::fromStdString(id));
        action->setCheckable(true);
    }
    checked(planners, [](const workspace::Choices& choices) { return choices.planner; });
}

void MenuBuilder::buildWindow()
{
    MainWindow* window = &m_window;
    QMenu* windows = menu(tr("&Window"));
    QAction* docksEnd = windows->addSeparator();
    QObject::connect(windows, &QMenu::aboutToShow, window, [window, windows, docksEnd] {
        for (QAction* action : windows->actions()) {
            if (action == docksEnd)
                break;
            windows->removeAction(action);
        }
        if (const PlannerPage* page = window->currentPage())
            windows->insertActions(docksEnd, page->dockActions());
    });
    addFor(windows, "window.layout", tr("Reset Layout"), {},
           [](PlannerPage& page) { page.resetLayout(); });
    add(windows, "window.panel_next", tr("Next Panel"), QKeySequence{QStringLiteral("F6")},
        [window] { window->goToPanel(1); });
    add(windows, "window.panel_previous", tr("Previous Panel"),
        QKeySequence{QStringLiteral("Shift+F6")}, [window] { window->goToPanel(-1); });
    add(windows, "window.next", tr("Next Tab"), QKeySequence{QStringLiteral("Ctrl+Tab")}, [window] {
        QTabBar* tabs = window->m_tabs;
        tabs->setCurrentIndex((tabs->currentIndex() + 1) % tabs->count());
    });
}

void MenuBuilder::buildHelp()
{
    MainWindow* window = &m_window;
    QMenu* help = menu(tr("&Help"));
    add(help, "help.manual", tr("Manual"), {}, [window] { showManual(*window, false); });
    add(help, "help.context", tr("Help on This Panel"), QKeySequence::HelpContents, [window] {
        showManual(*window, true);
    })->setShortcutContext(Qt::ApplicationShortcut); // in dialogs, too
    help->addSeparator();
    add(help, "help.keys", tr("Keys"), QKeySequence{QStringLiteral("?")},
        [window] { showKeys(window, window->actions()); });
    add(help, "help.planners", tr("Planners"), {}, [window] { showPlanners(window); });
    addFor(help, "help.limits", tr("What Is Not Modelled"), {},
           [window](PlannerPage& page) { showNotModelled(window, *page.document().shownPlan()); });
    add(help, "help.about", tr("About Plimsoll"), {}, [window] { showAbout(window); });
}

void buildMenus(MainWindow& window)
{
    MenuBuilder{window}.build();
}

} // namespace plimsoll::ui
