// SPDX-License-Identifier: Apache-2.0
// The panel at the right of a planner page: the problem's form, the figures, the comparison of
// planners, and the GPUs entered by hand, which the form's list offers.
#include "core/device/known_devices.h"
#include "ui/document_page/change_command.h"
#include "ui/plan_panel/answer_head.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_panel/memory_lines.h"
#include "ui/plan_panel/next_steps.h"
#include "ui/plan_tables/planner_table.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"
#include "ui/problem_form/device_dialog.h"

#include <QJsonObject>

namespace plimsoll::ui {

namespace {

const QString kGpuQuestion = QStringLiteral("gpu");

void showAnswer(BudgetPanel& panel, const PlannerState& state)
{
    panel.setBudget(state.budget);
    panel.setLeastBudget(state.leastBudget());
    if (state.isWaiting)
        panel.showUnplanned(state.planned.unplanned);
    else if (state.isOutdated)
        panel.showOutdated(state.planned, state.choice, state.isPlanning);
    else if (state.isDragging || !state.isRefined)
        panel.showPlan(state.planned, state.choice);
    else
        panel.showAnswer(state.planned, state.outcome, state.choice);
}

/// The planners at the current budget.
PlannersAt plannersAt(const PlannerState& state)
{
    PlannersAt asked;
    asked.budget = state.budget;
    asked.mostPeak = state.choice.comparablePeak(state.budget);
    if (!state.isOutdated) { // else these belong to other choices
        asked.bounds = {state.outcome.peakBound.bytes, state.outcome.timeBound};
        if (const plan::FrontierPoint& best = state.outcome.best) {
            asked.maker = best.provenance->madeBy().planner;
            asked.taken = plan::progressPoint(*best);
        }
    }
    return asked;
}

void update(BudgetPanel& panel, const DocumentController& document, const PlannerState& state,
            Changes what)
{
    const plan::VerifiedPlanPtr& best = state.outcome.best;
    if (what & Change::Choices)
        panel.setChoices(state.document.choices);
    if (what & Change::Answer) {
        showAnswer(panel, state);
        panel.planners().showAt(plannersAt(state));
    }
    // The planners' results don't change because of a drag, only because of a job running then.
    if ((what & (Change::Planned | Change::Progress))
        || ((what & Change::Answer) && !state.isDragging))
        panel.planners().setSummaries(document.plannerSummaries());
    if (!(what & Change::AtRest))
        return;
    if (best && state.isPlanned && !state.isDeferred && state.isByRun)
        panel.nextSteps().setSteps(nextStepsOf(state.byBudget, *best), state.leastBudget());
    else
        panel.nextSteps().clear();
}

/// The first answer is remembered: from then on files open at the memory of that GPU.
void rememberGpu(PlannerPage& page, const plan::Device& device)
{
    if (!page.settings().gpu().isEmpty())
        return;
    page.settings().setGpu(QString::fromStdString(device.id));
}

/// Once, when the first file is opened and nobody said for which GPU.
void askForGpu(PlannerPage& page, BudgetPanel& panel)
{
    const workspace::PlanDocument& document = page.document().document();
    if (!document.isDeviceGuessed || !page.settings().gpu().isEmpty())
        return;
    QObject::connect(&panel, &BudgetPanel::deviceConfirmed, &page, [&page, &document] {
        if (page.settings().gpu().isEmpty())
            page.document().commitBudget(document.choices.device.memory);
        rememberGpu(page, document.choices.device);
    });
    QObject::connect(&page.document(), &DocumentController::choicesChanged, &page,
                     [&page, &document, guessed = document.choices.device] {
                         if (document.choices.device != guessed)
                             rememberGpu(page, document.choices.device);
                     });
    QObject::connect(&page.settings(), &Settings::gpuChanged, &page.strip(),
                     [&strip = page.strip()] { strip.withdraw(kGpuQuestion); });
    page.strip().post({kGpuQuestion,
                       MessageKind::Offer,
                       PlannerPage::tr("For which GPU?"),
                       PlannerPage::tr("The step is planned for %1. Yours is remembered, and files "
                                       "open at its memory.")
                           .arg(QString::fromStdString(document.choices.device.name)),
                       {{PlannerPage::tr("Choose GPU…"), [&panel] { panel.showDevices(); }}}});
}

} // namespace

PlannerView makeBudgetView(PlannerPage& page)
{
    auto* panel = new BudgetPanel;
    DocumentController& document = page.document();
    panel->setRecorded(document.document().graph.program);
    QObject::connect(panel, &BudgetPanel::budgetCommitted, &document,
                     &DocumentController::commitBudget);
    QObject::connect(panel, &BudgetPanel::choicesChanged, &document,
                     &DocumentController::commitChoices);
    // In view whatever tab is chosen.
    QObject::connect(&page, &DockedPage::narrowChanged, panel, [panel, &page](bool isNarrow) {
        panel->head().setWide(isNarrow);
        if (isNarrow)
            page.placeAbove(&panel->head());
        else
            panel->takeHead();
    });
    AllocatorForm& allocator = panel->memoryLines().form();
    const auto useAllocator = [&page, &document, &allocator](const QString& text) {
        allocator.setText(text);
        document.setAllocator(allocator.settings());
        page.storeView();
    };
    QObject::connect(&allocator, &AllocatorForm::textChosen, &page,
                     [&document, useAllocator](const QString& before, const QString& now) {
                         document.undoStack().push(
                             new ChangeCommand{PlannerPage::tr("Change Allocator Settings"),
                                               [useAllocator, before] { useAllocator(before); },
                                               [useAllocator, now] { useAllocator(now); }});
                     });
    askForGpu(page, *panel);
    panel->setOwnDevices(ownDevices(page.settings()));
    QObject::connect(&page.settings(), &Settings::ownDevicesChanged, panel,
                     [panel, &page] { panel->setOwnDevices(ownDevices(page.settings())); });
    QObject::connect(panel, &BudgetPanel::otherDeviceWanted, &page,
                     [&page] { askForDevice(page); });
    const QString settings = QStringLiteral("allocator");
    const QString details = QStringLiteral("answerDetails");
    return {.widget = panel,
            .update = [panel, &document](const PlannerState& state,
                                         Changes what) { update(*panel, document, state, what); },
            .store =
                [panel, &allocator, settings, details](QJsonObject& view) {
                    view.insert(settings, allocator.text());
                    view.insert(details, panel->areDetailsShown());
                },
            .restore =
                [panel, &document, &allocator, settings, details](const QJsonObject& view) {
                    allocator.setText(view.value(settings).toString());
                    document.setAllocator(allocator.settings());
                    panel->showDetails(view.value(details).toBool());
                }};
}

/// Settings written by an older or newer version may contain unreadable lines, which are skipped.
std::vector<plan::Device> ownDevices(const Settings& settings)
{
    std::vector<plan::Device> devices;
    for (const QString& line : settings.ownDevices())
        if (base::Result<plan::Device> device = plan::findDevice(line.toStdString()))
            devices.push_back(*std::move(device));
    return devices;
}

void chooseDevice(DocumentController& document, const plan::Device& device)
{
    workspace::Choices choices = document.document().choices;
    workspace::setDevice(choices, *document.document().graph.program, device);
    document.commitChoices(choices);
}

void askForDevice(PlannerPage& page)
{
    auto* dialog = new DeviceDialog{page.document().document().choices.device, &page};
    QObject::connect(dialog, &DeviceDialog::chosen, &page, [&page](const plan::Device& device) {
        page.settings().addOwnDevice(QString::fromStdString(device.id));
        chooseDevice(page.document(), device);
    });
    dialog->show();
}

} // namespace plimsoll::ui
