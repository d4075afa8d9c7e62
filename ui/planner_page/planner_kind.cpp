// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/planner_kind.h"

#include "core/device/known_devices.h"
#include "core/solve/registry.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"
#include "ui/shell/help_dialogs.h"
#include "ui/budget_timeline/budget_timeline_view.h"

#include <QCoreApplication>

#include <memory>
#include <utility>

namespace plimsoll::ui {

namespace {

using Run = std::function<void(PlannerPage&)>;

QString tr(const char* text)
{
    return QCoreApplication::translate("Menus", text);
}

PlannerPage& planner(DocumentPage& page)
{
    return static_cast<PlannerPage&>(page);
}

const PlannerPage& planner(const DocumentPage& page)
{
    return static_cast<const PlannerPage&>(page);
}

bool hasPlan(const DocumentPage& page)
{
    return planner(page).hasPlan();
}

PageCommand command(MenuPlace place, const char* id, const QString& text, const char* key, Run run)
{
    return {place, QString::fromLatin1(id), text, QKeySequence{QString::fromLatin1(key)},
            [run = std::move(run)](DocumentPage& page) { run(planner(page)); }};
}

void addMeasurement(std::vector<PageCommand>& commands)
{
    commands.push_back(command(
        MenuPlace::Add, "file.measurement", tr("&Lay a Measurement over the Prediction…"),
        "Ctrl+Shift+O", [](PlannerPage& page) { chooseMeasurement(page, page.settings()); }));
    commands.push_back(command(MenuPlace::Add, "file.no_measurement", tr("&Remove the Measurement"),
                               "", [](PlannerPage& page) { page.document().setOverlay(nullptr); }));
    commands.back().isEnabled = [](const DocumentPage& page) {
        return planner(page).state().document.overlay != nullptr;
    };
}

void addExports(std::vector<PageCommand>& commands)
{
    commands.push_back(command(MenuPlace::Export, "file.export", tr("&Export Plan…"), "Ctrl+E",
                               [](PlannerPage& page) { page.exporter().chooseFile(); }));
    commands.back().icon = QStringLiteral("export");
    commands.back().isEnabled = hasPlan;
    commands.back().tip = [](const DocumentPage& page) {
        return hasPlan(page)                      ? tr("Export the plan (Ctrl+E)")
               : planner(page).state().isOutdated ? tr("The plan is for the previous settings.")
                                                  : tr("There is no plan within this budget.");
    };
    commands.push_back(command(MenuPlace::Export, "file.picture", tr("Export &Picture…"),
                               "Ctrl+Shift+E",
                               [](PlannerPage& page) { page.exporter().choosePicture(); }));
    commands.back().isEnabled = hasPlan;
    commands.push_back(command(MenuPlace::Export, "file.snippet", tr("Copy P&ython Lines"),
                               "Ctrl+Shift+C",
                               [](PlannerPage& page) { page.exporter().copySnippet(); }));
    commands.back().isEnabled = hasPlan;
}

PageCommand plotCommand(MenuPlace place, const char* id, const QString& text, const char* key,
                        void (BudgetTimelineView::*run)())
{
    return command(place, id, text, key,
                   [run](PlannerPage& page) { (page.findChild<BudgetTimelineView*>()->*run)(); });
}

void addPlot(std::vector<PageCommand>& commands)
{
    const auto add = [&](const char* id, const QString& text, const char* key,
                         void (BudgetTimelineView::*run)()) {
        commands.push_back(plotCommand(MenuPlace::View, id, text, key, run));
    };
    add("view.zoom_in", tr("Zoom In"), "W", &BudgetTimelineView::zoomIn);
    add("view.zoom_out", tr("Zoom Out"), "S", &BudgetTimelineView::zoomOut);
    add("view.pan_left", tr("Pan Left"), "A", &BudgetTimelineView::panLeft);
    add("view.pan_right", tr("Pan Right"), "D", &BudgetTimelineView::panRight);
    add("view.range", tr("Zoom to Range"), "Z", &BudgetTimelineView::zoomToRange);
    add("view.whole", tr("Whole Step"), "H", &BudgetTimelineView::showWholeStep);
    commands.back().icon = QStringLiteral("fit");
    add("view.peak", tr("Go to Peak"), "]", &BudgetTimelineView::goToPeak);
    add("view.pin", tr("Pin Here"), "M", &BudgetTimelineView::pinAtCursor);
}

void commit(DocumentPage& page, const std::function<void(workspace::Choices&)>& change)
{
    workspace::Choices choices = planner(page).document().document().choices;
    change(choices);
    planner(page).document().commitChoices(choices);
}

PageCommand deviceMenu()
{
    PageCommand devices;
    devices.text = tr("GPU");
    for (const plan::Device& device : plan::builtInDevices())
        devices.choice.entries.emplace_back(QString::fromStdString(device.id),
                                            QString::fromStdString(device.name));
    devices.choice.chosen = [](const DocumentPage& page) {
        return QString::fromStdString(planner(page).state().document.choices.device.id);
    };
    devices.choice.choose = [](DocumentPage& page, const QString& id) {
        for (const plan::Device& device : plan::builtInDevices())
            if (device.id == id.toStdString())
                commit(page, [&](workspace::Choices& choices) { choices.device = device; });
    };
    devices.below.push_back(command(MenuPlace::Own, "plan.otherDevice", tr("Other GPU…"), "",
                                    [](PlannerPage& page) { askForDevice(page); }));
    devices.below.back().beginsGroup = true;
    return devices;
}

PageCommand plannerMenu()
{
    PageCommand planners;
    planners.text = tr("Planner");
    for (const auto& known : solve::planners())
        planners.choice.entries.emplace_back(QString::fromStdString(known->descriptor().id),
                                             QString::fromStdString(known->descriptor().name));
    planners.choice.chosen = [](const DocumentPage& page) {
        return QString::fromStdString(planner(page).state().document.choices.planner);
    };
    planners.choice.choose = [](DocumentPage& page, const QString& id) {
        commit(page, [&](workspace::Choices& choices) {
            choices.planner = id.toStdString();
            choices.options.clear();
        });
    };
    return planners;
}

void addPlanning(std::vector<PageCommand>& commands)
{
    commands.push_back(plotCommand(MenuPlace::Own, "plan.line", tr("Focus Budget Line"), "B",
                                   &BudgetTimelineView::focusBudgetLine));
    commands.push_back(plotCommand(MenuPlace::Own, "plan.budget", tr("Set Budget…"), "Ctrl+B",
                                   &BudgetTimelineView::typeBudget));
    commands.push_back(deviceMenu());
    commands.push_back(plannerMenu());
    commands.push_back(command(MenuPlace::Own, "plan.now", tr("Plan Now"), "Ctrl+Return",
                               [](PlannerPage& page) { page.document().planNow(); }));
    commands.back().beginsGroup = true;
    commands.push_back(command(MenuPlace::Own, "plan.stop", tr("Stop"), "Ctrl+.",
                               [](PlannerPage& page) { page.document().stopPlanning(); }));
    commands.back().isEnabled = [](const DocumentPage& page) {
        return planner(page).state().isPlanning;
    };
}

std::vector<PageCommand> allCommands()
{
    std::vector<PageCommand> commands;
    addMeasurement(commands);
    addExports(commands);
    addPlot(commands);
    addPlanning(commands);
    commands.push_back(command(
        MenuPlace::Help, "help.limits", tr("What Is Not Modelled"), "",
        [](PlannerPage& page) { showNotModelled(page.window(), *page.document().shownPlan()); }));
    return commands;
}

} // namespace

PageKind plannerPageKind(Settings& settings, PlannerStart start, PlannerLayout layout)
{
    PageKind kind;
    kind.id = QStringLiteral("plan");
    // Of a plan the reader says what to open instead.
    kind.files = {workspace::FileKind::Graph, workspace::FileKind::Session,
                  workspace::FileKind::Plan};
    kind.additions = {
        {workspace::FileKind::Measurement,
         PlannerPage::tr("It is a measurement: open the traced step that was measured first, "
                         "then lay it over that.")}};
    kind.menu = PlannerPage::tr("&Plan");
    kind.commands = allCommands();
    kind.read = [&settings, start = std::move(start), layout = std::move(layout)](
                    const std::filesystem::path& path,
                    const base::JobContext& job) -> base::Result<PageKind::Factory> {
        base::Result<workspace::Opened> opened = workspace::openDocument(path, start.choices, job);
        if (!opened)
            return tl::unexpected{opened.error()};
        if (start.budget && !opened->document.budget)
            opened->document.budget = start.budget->of(opened->first->unplanned->evaluation().peak);
        return [&settings, layout, once = std::make_shared<workspace::Opened>(*std::move(opened))](
                   QWidget* parent) -> DocumentPage* {
            return new PlannerPage{std::move(*once), settings, layout, parent};
        };
    };
    return kind;
}

} // namespace plimsoll::ui
