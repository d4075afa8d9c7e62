// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/planner_kind.h"

#include "core/device/known_devices.h"
#include "core/solve/registry.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"
#include "ui/shell/help_dialogs.h"

#include <QObject>

#include <utility>

namespace plimsoll::ui {

namespace {

std::function<void(DocumentPage&)> on(const std::function<void(PlannerPage&)>& run)
{
    return [run](DocumentPage& page) { run(static_cast<PlannerPage&>(page)); };
}

std::function<void(DocumentPage&)> on(void (BudgetTimelineView::*run)())
{
    return [run](DocumentPage& page) { (page.findChild<BudgetTimelineView*>()->*run)(); };
}

template <typename Value>
std::function<Value(const DocumentPage&)> of(Value (*value)(const PlannerPage&))
{
    return
        [value](const DocumentPage& page) { return value(static_cast<const PlannerPage&>(page)); };
}

bool hasPlan(const PlannerPage& page)
{
    return page.state().hasPlan();
}

bool hasPlannableRange(const PlannerPage& page)
{
    return page.findChild<BudgetTimelineView*>()->plannableRange().has_value();
}

QString exportTip(const PlannerPage& page)
{
    return page.state().hasPlan()    ? QObject::tr("Export the plan (Ctrl+E)")
           : page.state().isOutdated ? QObject::tr("The plan is for the previous settings.")
                                     : QObject::tr("There is no plan within this budget.");
}

/// A choice made here changes the document's choices.
PageChoice choiceOf(QString (*chosen)(const PlannerPage&),
                    void (*change)(workspace::Choices&, const graph::Program& recorded,
                                   const std::string& id))
{
    return {.entries = {},
            .chosen = of(chosen),
            .choose =
                [change](DocumentPage& page, const QString& id) {
                    DocumentController& document = static_cast<PlannerPage&>(page).document();
                    workspace::Choices choices = document.document().choices;
                    change(choices, *document.document().graph.program, id.toStdString());
                    document.commitChoices(choices);
                },
            .below = {}};
}

PageChoice deviceChoice()
{
    PageChoice devices = choiceOf(
        [](const PlannerPage& page) {
            return QString::fromStdString(page.state().document.choices.device.id);
        },
        [](workspace::Choices& choices, const graph::Program& recorded, const std::string& id) {
            workspace::setDevice(choices, recorded, *plan::findDevice(id));
        });
    for (const plan::Device& device : plan::builtInDevices())
        devices.entries.push_back(
            {QString::fromStdString(device.id), QString::fromStdString(device.name)});
    devices.below = {
        {MenuPlace::Own, "plan.otherDevice", QObject::tr("Other GPU…"), "", on(askForDevice)}};
    return devices;
}

PageChoice plannerChoice()
{
    PageChoice planners = choiceOf(
        [](const PlannerPage& page) {
            return QString::fromStdString(page.state().document.choices.planner);
        },
        [](workspace::Choices& choices, const graph::Program&, const std::string& id) {
            choices.planner = id;
            choices.options.clear();
        });
    for (const auto& planner : solve::planners())
        planners.entries.push_back({QString::fromStdString(planner->descriptor().id),
                                    QString::fromStdString(planner->descriptor().id)});
    return planners;
}

std::vector<PageCommand> commands()
{
    using enum MenuPlace;
    const auto hasMeasurement =
        of(+[](const PlannerPage& page) { return page.state().document.overlay != nullptr; });
    const auto isPlanning = of(+[](const PlannerPage& page) { return page.state().isPlanning; });
    return {
        {Add, "file.measurement", QObject::tr("Overlay a &Measurement…"), "Ctrl+Shift+O",
         on([](PlannerPage& page) { page.chooseMeasurement(); })},
        {Add, "file.no_measurement", QObject::tr("&Remove the Measurement"), "",
         on([](PlannerPage& page) { page.document().setOverlay(nullptr); }), "", hasMeasurement},
        {Export, "file.export", QObject::tr("&Export Plan…"), "Ctrl+E",
         on([](PlannerPage& page) { page.exporter().chooseFile(); }), "export", of(hasPlan),
         of(exportTip)},
        {Export, "file.python", QObject::tr("Export Python &Module…"), "",
         on([](PlannerPage& page) { page.exporter().choosePython(); }), "", of(hasPlan)},
        {Export, "file.picture", QObject::tr("Export &Picture…"), "Ctrl+Shift+E",
         on([](PlannerPage& page) { page.exporter().choosePicture(); }), "", of(hasPlan)},
        {Export, "file.snippet", QObject::tr("Copy P&ython Lines"), "Ctrl+Shift+C",
         on([](PlannerPage& page) { page.exporter().copySnippet(); }), "", of(hasPlan)},
        {View, "view.plannable", QObject::tr("&Fit to Plannable Range"), "F",
         on(&BudgetTimelineView::fitToPlannableRange), "", of(hasPlannableRange)},
        {Own, "plan.line", QObject::tr("Focus Budget Line"), "B",
         on(&BudgetTimelineView::focusBudgetLine)},
        {Own, "plan.budget", QObject::tr("Set Budget…"), "Ctrl+B",
         on(&BudgetTimelineView::typeBudget)},
        {.place = Own, .text = QObject::tr("GPU"), .choice = deviceChoice()},
        {.place = Own, .text = QObject::tr("Planner"), .choice = plannerChoice()},
        {Own, "plan.times", QObject::tr("Use Measured Times…"), "",
         on([](PlannerPage& page) { page.times().choose(); })},
        {Own, "plan.modelled", QObject::tr("Use Modelled Times"), "",
         on([](PlannerPage& page) { page.times().useModelled(); }), "",
         of(+[](const PlannerPage& page) {
             return page.state().document.choices.profiled.times != nullptr;
         })},
        {.place = Own},
        {Own, "plan.now", QObject::tr("Plan Now"), "Ctrl+Return",
         on([](PlannerPage& page) { page.document().planNow(); })},
        {Own, "plan.stop", QObject::tr("Stop"), "Ctrl+.",
         on([](PlannerPage& page) { page.document().stopPlanning(); }), "", isPlanning},
        {Help, "help.limits", QObject::tr("What Is Not Modelled"), "", on([](PlannerPage& page) {
             showNotModelled(page.window(), *page.document().shownPlan());
         })},
    };
}

} // namespace

PageKind plannerPageKind(Settings& settings, std::optional<base::Budget> budget,
                         PlannerLayout layout)
{
    const auto make = [&settings, budget, layout = std::move(layout)](
                          workspace::DocumentPtr document, QWidget* parent) -> DocumentPage* {
        auto& plan = dynamic_cast<workspace::PlanDocument&>(*document);
        if (budget && !plan.session.file) {
            plan.budget = budget->of(plan.first->unplanned->evaluation().peak);
            plan.isBudgetSuggested = false;
        }
        return new PlannerPage{std::move(document), settings, layout, parent};
    };
    return {QString::fromStdString(std::string{workspace::kPlanDocument}),
            make,
            {{readers::FileKind::Measurement,
              PlannerPage::tr("This file is a measurement. Open the traced step that was measured, "
                              "then overlay the measurement on it.")}},
            PlannerPage::tr("&Plan"),
            commands(),
            PlannerPage::tr("Planner"),
            QStringLiteral("planner"),
            QStringLiteral("file.export")};
}

} // namespace plimsoll::ui
