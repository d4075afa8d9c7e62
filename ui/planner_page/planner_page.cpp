// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/planner_page.h"

#include "core/graph/batch_statistics.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/frontier/frontier_view.h"
#include "ui/models/plan_names.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_panel/memory_lines.h"
#include "ui/plan_panel/next_steps.h"
#include "ui/plan_tables/access_page.h"
#include "ui/plan_tables/live_page.h"
#include "ui/plan_tables/measured_page.h"
#include "ui/plan_tables/pin_page.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/plan_tables/problem_page.h"
#include "ui/plan_tables/run_page.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/table_twins.h"
#include "ui/shell/pages_dock.h"

#include <QAction>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace plimsoll::ui {

namespace {
constexpr int kLeastCentre = 560;
constexpr QLatin1String kBudgetMessage{"budget"}; ///< as infeasibleMessage() has it
constexpr int kRestDelay = 60; ///< ms without a move of the line until the hand counts as resting
constexpr qint64 kPatience = 2000; ///< ms, then the subtitle says that it is planning
} // namespace

PlannerPage::PlannerPage(workspace::PlanDocument opened, QWidget* parent)
    : QMainWindow{parent}, m_document{std::move(opened)}, m_log{m_document.document().graph}
{
    setWindowFlags(Qt::Widget);
    connect(&Theme::current(), &Theme::changed, this, &PlannerPage::followScale);
    m_restTimer.setSingleShot(true);
    m_restTimer.setInterval(kRestDelay);
    connect(&m_restTimer, &QTimer::timeout, this, &PlannerPage::showAtRest);
    setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowTabbedDocks
                   | QMainWindow::AllowNestedDocks);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    auto* centre = new QWidget{this};
    centre->setProperty("ground", QStringLiteral("panel"));
    centre->setMinimumWidth(kLeastCentre);
    auto* column = new QVBoxLayout{centre};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_strip = new MessageStrip{centre};
    m_timeline = new BudgetTimelineView{centre};
    m_timeline->setTitle(tr("Memory over the step"));
    m_timeline->setSelection(&m_selection);
    column->addWidget(m_strip);
    column->addWidget(m_timeline, 1);
    setCentralWidget(centre);
    buildDocks();
    m_panel->setRecorded(m_document.document().graph.program);
    connectDocument();
    connectViews();
    connectPins();
    showPlanned();
    showRuns();
    const graph::Program& program = *m_document.document().graph.program;
    m_panel->setHasStatistics(
        std::any_of(program.ops.begin(), program.ops.end(), [&program](const graph::Op& op) {
            return graph::updatesStatistics(program, op);
        }));
    m_panel->setChoices(m_document.document().choices);
    showPins();
    showAnswer();
    for (const std::string& note : m_document.document().notes)
        m_strip->post({{}, MessageKind::Warn, tr("Opened with a difference."), fileText(note), {}});
}

PlannerPage::~PlannerPage()
{
    // Going, it writes what is pending, and may still report that this fails.
    m_document.disconnect(this);
    // The children outlive the members; going, they would still report here.
    for (QObject* child :
         {static_cast<QObject*>(m_rightDock), static_cast<QObject*>(m_frontierDock),
          static_cast<QObject*>(m_planDock), static_cast<QObject*>(m_timeline)})
        child->disconnect(this);
    m_timeline->setSelection(nullptr);
}

void PlannerPage::connectDocument()
{
    connect(&m_document, &DocumentController::plannedChanged, this, &PlannerPage::showPlanned);
    connect(&m_document, &DocumentController::answerChanged, this, &PlannerPage::showAnswer);
    connect(&m_document, &DocumentController::runsChanged, this, &PlannerPage::showRuns);
    connect(&m_document, &DocumentController::overlayChanged, this, [this] {
        layRuns();
        showMeasured();
        showMeasuredPage();
        offerMeasuredPlan();
        Q_EMIT stateChanged();
    });
    connect(&m_document, &DocumentController::choicesChanged, this, [this] {
        for (const char* id : {"size", "plan"}) // of the previous settings
            m_strip->withdraw(QString::fromLatin1(id));
        m_panel->setChoices(m_document.document().choices);
        showPins();
        m_timeline->setCapacityMarks(capacityMarksOf(m_document.document().choices));
    });
    connect(&m_document, &DocumentController::planningChanged, this, [this] {
        showStandings();
        m_timeline->setSubtitle(subtitle());
        if (m_document.isOutdated())
            showAnswer();
        Q_EMIT stateChanged();
    });
    connect(&m_document, &DocumentController::planningProgressed, this, [this] {
        showStandings();
        m_timeline->setSubtitle(subtitle());
        Q_EMIT stateChanged();
    });
    connect(&m_document, &DocumentController::titleChanged, this, &PlannerPage::stateChanged);
    connect(&m_document, &DocumentController::failed, this,
            [this](const QString& id, const QString& sentence) {
                const QString first =
                    id == QStringLiteral("save")   ? tr("The session could not be saved.")
                    : id == QStringLiteral("size") ? tr("The model can't be resized to this value.")
                                                   : tr("Planning failed.");
                m_strip->post({id, MessageKind::Danger, first, sentence, {}});
            });
    connect(&m_document, &DocumentController::sessionSaved, this,
            [this] { m_strip->withdraw(QStringLiteral("save")); });
}

void PlannerPage::connectViews()
{
    connect(m_timeline, &BudgetTimelineView::budgetDragged, &m_document,
            &DocumentController::previewBudget);
    connect(m_timeline, &BudgetTimelineView::budgetCommitted, &m_document,
            [this](base::Bytes budget) { m_document.commitBudget(budget); });
    connect(m_timeline, &BudgetTimelineView::budgetDragCancelled, &m_document,
            &DocumentController::cancelPreview);
    connect(m_timeline, &BudgetTimelineView::budgetRejected, this, [this](const QString& reason) {
        m_strip->post({QStringLiteral("typed"),
                       MessageKind::Warn,
                       tr("The typed budget could not be read."),
                       reason,
                       {}});
    });
    connect(m_timeline, &BudgetTimelineView::visibleRangeChanged, this, [this] { storeView(); });
    connect(m_timeline, &BudgetTimelineView::pinsChanged, this, [this] { storeView(); });
    connect(m_twins, &TableTwins::stepChosen, m_timeline, &BudgetTimelineView::showStep);
    connect(m_twins, &TableTwins::budgetChosen, &m_document, &DocumentController::commitBudget);
    connect(m_timeline, &BudgetTimelineView::lowerBoundClicked, this,
            [this] { m_planDock->showPage(m_plan); });
    connect(m_frontier, &FrontierView::budgetDragged, &m_document,
            &DocumentController::previewBudget);
    connect(m_frontier, &FrontierView::budgetCommitted, &m_document,
            &DocumentController::commitBudget);
    connect(m_frontier, &FrontierView::budgetDragCancelled, &m_document,
            &DocumentController::cancelPreview);
    connect(m_panel, &BudgetPanel::budgetCommitted, &m_document, &DocumentController::commitBudget);
    connect(&m_panel->memoryLines(), &MemoryLines::expandableChosen, this, [this] { storeView(); });
    connect(m_panel, &BudgetPanel::choicesChanged, &m_document, &DocumentController::commitChoices);
    connect(m_runs, &RunPage::runChosen, this, &PlannerPage::goBackTo);
    connect(m_runs, &RunPage::runRenamed, &m_document,
            [this](qint64 key, const QString& name) { m_document.renameRun(key, name); });
    connect(m_runs, &RunPage::runRemoved, &m_document,
            [this](qint64 key) { m_document.removeRun(key); });
    connect(m_plan, &PlanPage::stepChosen, this,
            [this](int step) { m_selection.setStep(static_cast<std::size_t>(std::max(step, 0))); });
    connect(m_measured, &MeasuredPage::rowChosen, this, &PlannerPage::goToMeasured);
    connect(m_measured, &MeasuredPage::removeRequested, this,
            [this] { m_document.setOverlay(nullptr); });
    connect(m_live, &LivePage::stepChosen, this,
            [this](int step) { m_selection.setStep(static_cast<std::size_t>(std::max(step, 0))); });
    connect(m_accesses, &AccessPage::opChosen, this, [this](graph::OpId op) {
        m_selection.setStep(m_shown->evaluation().schedule->stepOf(op, false));
    });
    connect(m_problems, &ProblemPage::placeChosen, this, [this](const Problem& problem) {
        m_selection.setStep(
            m_shown->evaluation().schedule->stepOf(*problem.op, problem.recomputed));
    });
    connect(m_strip, &MessageStrip::posted, this, [this](const Message& message) {
        // A budget without a plan has its place where the bound is reached.
        std::optional<graph::OpId> op;
        if (message.id == kBudgetMessage)
            op = m_document.planned()->peakBound.op;
        m_log.note(*m_document.program(), message, op);
        showProblems();
    });
    connect(m_strip, &MessageStrip::moreClicked, this,
            [this] { m_planDock->showPage(m_problems); });
    connect(&m_selection, &Selection::stepChanged, this, [this] {
        m_live->setStep(m_selection.step());
        Q_EMIT stateChanged();
    });
    for (PagesDock* dock : {m_rightDock, m_frontierDock, m_planDock}) {
        connect(dock, &PagesDock::pageChanged, this, [this] { storeView(); });
        connect(dock, &QDockWidget::visibilityChanged, this, [this] { storeView(); });
        connect(dock, &QDockWidget::dockLocationChanged, this, [this] {
            m_isLaidByHand = true; // moved, or as a session has it
            storeView();
        });
    }
}

bool PlannerPage::isWaiting() const
{
    return !m_document.isPlanned() && m_document.isPlanning() && !m_document.outcome().best;
}

void PlannerPage::showPlanned()
{
    const workspace::Planned& planned = *m_document.planned();
    const plan::VerifiedPlan& unplanned = *planned.unplanned;
    const std::vector<graph::Op>& ops = m_document.program()->ops;
    m_isMeasured = std::any_of(ops.begin(), ops.end(),
                               [](const graph::Op& op) { return op.measured.has_value(); });
    const bool hasSome = m_document.isPlanning() && !m_document.isOutdated()
                         && planned.frontier->points().size() > 1;
    if (m_document.isPlanned() || hasSome) {
        m_frontier->setFrontier(planned.frontier, unplanned.evaluation().stepTime,
                                planned.peakBound.bytes);
        m_timeline->setSnapTargets(snapTargetsOf(*planned.frontier));
        m_timeline->setSmallestFeasible(shownCeiling(planned.smallestPeak));
    }
    m_timeline->setCapacityMarks(capacityMarksOf(m_document.document().choices));
    showStandings();
    layRuns();
    showMeasuredPage();
    offerMeasuredPlan();
    Q_EMIT stateChanged();
}

void PlannerPage::showAnswer()
{
    const base::Bytes budget = m_document.budget();
    const solve::Outcome& outcome = m_document.outcome();
    const workspace::Planned& planned = *m_document.planned();
    showTimeline();
    if (!m_document.document().budget) {
        m_panel->showUnplanned(planned.unplanned);
    } else {
        m_frontier->setBudget(budget);
        m_frontier->setCurrent(outcome.best);
        m_panel->setBudget(budget);
        if (isWaiting())
            m_panel->showWaiting(planned.unplanned);
        else if (m_document.isOutdated())
            m_panel->showOutdated(planned, outcome.best, m_document.isPlanning());
        else if (m_document.isDragging() || !m_document.isRefined())
            m_panel->showPlan(planned, outcome.best);
        else
            m_panel->showAnswer(planned, outcome);
    }
    showPlanners();
    showPlanTable();
    // A strip would move the layout under the hand that drags.
    if (m_document.isDragging()) {
        m_restTimer.start(); // again
    } else {
        m_restTimer.stop();
        showAtRest();
        showStrip();
    }
    Q_EMIT stateChanged();
}

void PlannerPage::showTimeline()
{
    const workspace::Planned& planned = *m_document.planned();
    const plan::VerifiedPlanPtr& best = m_document.outcome().best;
    const bool infeasible = !best && !isWaiting();
    m_shown = isWaiting() ? planned.unplanned : m_document.shownPlan();
    const plan::Evaluation& evaluation = m_shown->evaluation();
    m_twins->show(m_shown, planned.frontier, planned.unplanned->evaluation().stepTime);
    if (m_drawn != m_shown->evaluationPtr() || m_against != planned.unplanned->evaluationPtr()) {
        m_drawn = m_shown->evaluationPtr();
        m_against = planned.unplanned->evaluationPtr();
        TimelineSet set = timelinesOf(*m_shown, *planned.unplanned);
        m_unplannedStepAt = set.unplannedStepAt;
        m_timeline->setTimelines(std::move(set));
        const graph::Program& program = *m_shown->problem().program;
        m_timeline->setPeakNames(opPlace(program, evaluation.peakOp),
                                 opPlace(program, m_against->peakOp));
        m_timeline->setLowerBound(lowerBoundOf(planned, *m_shown));
        m_timeline->setHoverProvider(
            [shown = m_shown](std::size_t step) { return hoverContentOf(*shown, step); });
    }
    m_live->setPlan(m_shown, m_document.isDragging());
    plan::Problem asked = planned.unplanned->problem();
    asked.budget = m_document.document().budget ? m_document.budget() : asked.budget;
    m_accesses->setProblem(asked);
    if (!m_timeline->isDragging())
        m_timeline->setBudget(m_document.document().budget
                                  ? std::optional<base::Bytes>{m_document.budget()}
                                  : std::nullopt);
    m_timeline->setBudgetState(infeasible ? BudgetState::Infeasible : BudgetState::Feasible);
    m_timeline->setPlanPale(infeasible);
    m_timeline->setStale(!m_document.isPlanned() && m_document.isPlanning());
    m_timeline->setReadout(readoutOf(planned, best, m_document.budget()));
    showMeasured();
    m_timeline->setSubtitle(subtitle());
}

/// What of it doesn't fit goes from the end.
QStringList PlannerPage::subtitle() const
{
    if (m_document.planningFor() > kPatience)
        return {tr("planning…")};
    if (!m_shown)
        return {};
    if (!m_document.outcome().best && !isWaiting())
        return {tr("smallest plan known"), tr("shown pale")};
    const QString time = timeText(m_shown->evaluation().stepTime);
    const plan::Plan& plan = m_shown->plan();
    const graph::ProgramPtr& step = m_shown->problem().program;
    const QString size = // the fields show it, too: said where it isn't as recorded
        step == m_document.document().graph.program ? QString{} : sizeText(*step);
    QStringList facts{plan.recomputesNothing() ? tr("unplanned, %1").arg(time)
                                               : tr("planned, %1").arg(time)};
    if (!size.isEmpty())
        facts << size;
    if (!plan.recomputesNothing())
        facts << runtimeText(plan);
    return facts;
}

void PlannerPage::showPlanTable()
{
    const solve::Outcome& outcome = m_document.outcome();
    m_plan->setHeld(m_document.isDragging());
    if (isWaiting() || !m_document.document().budget)
        m_plan->showNothing(tr("The table appears with the first plan."));
    else if (outcome.best)
        m_plan->showPlan(outcome.best);
    else
        m_plan->showInfeasible(m_document.program(), outcome, m_document.budget(),
                               m_document.planned()->smallestPeak);
    m_planDock->setCounts(outcome.best ? m_plan->summary() : QString{});
}

void PlannerPage::showAtRest()
{
    const solve::Outcome& outcome = m_document.outcome();
    const bool hasSteps = outcome.best && m_document.isPlanned() && m_document.document().budget;
    m_panel->nextSteps().setSteps(hasSteps
                                      ? nextStepsOf(*m_document.planned()->frontier, *outcome.best)
                                      : std::vector<NextStep>{});
    showPins();
    showProblems();
}

void PlannerPage::showStrip()
{
    const QString id = kBudgetMessage;
    if (m_document.outcome().best || isWaiting() || m_document.isOutdated()
        || !m_document.document().budget) {
        m_strip->withdraw(id);
        m_strip->setProperty("budget", QString{});
        return;
    }
    const workspace::Planned& planned = *m_document.planned();
    // The same message twice would undo a Dismiss; a new budget is a new message.
    const auto text = bytesText(m_document.budget());
    if (m_strip->property("budget").toString() == text && m_document.isRefined())
        return;
    m_strip->setProperty("budget", text);
    Message message = infeasibleMessage(planned, m_document.budget());
    const base::Bytes rounded = shownCeiling(planned.smallestPeak);
    message.actions.push_back({tr("Set budget to %1").arg(bytesText(rounded)),
                               [this, rounded] { m_document.commitBudget(rounded); }});
    m_strip->post(std::move(message));
}

void PlannerPage::showProblems()
{
    m_problems->setProblems(m_log.problemsOf(*m_shown));
    // Remarks are no problems: a file in order shows no number.
    const int count = m_problems->model()->rowCount() - m_problems->model()->remarkCount();
    m_planDock->setPageTitle(m_problems, count > 0 ? tr("Problems %1").arg(count) : tr("Problems"));
}

void PlannerPage::showRuns()
{
    std::vector<RunRow> rows;
    for (const workspace::Run& run : m_document.document().runs)
        rows.push_back({run.key, fileText(run.name), fileText(run.planner), fileText(run.status),
                        run.budget, run.peak, run.stepTime, runSize(run)});
    m_runs->setRuns(std::move(rows));
}

QString PlannerPage::runSize(const workspace::Run& run) const
{
    const std::optional<graph::Vary>& vary = m_document.document().graph.program->vary;
    if (!vary)
        return {};
    workspace::Sizes sizes = run.sizes;
    for (const graph::Axis& axis : vary->axes)
        sizes.emplace(axis.name, axis.size); // where the run says nothing
    return sizesText(sizes);
}

void PlannerPage::goBackTo(qint64 key)
{
    const std::vector<workspace::Run>& runs = m_document.document().runs;
    const auto run = std::find_if(runs.begin(), runs.end(),
                                  [key](const workspace::Run& other) { return other.key == key; });
    if (run == runs.end())
        return;
    workspace::Choices choices = m_document.document().choices;
    choices.sizes = run->sizes;
    const base::Bytes budget = run->budget;
    m_document.commitChoices(choices);
    m_document.commitBudget(budget);
}

StatusText PlannerPage::status() const
{
    if (isWaiting() || !m_document.document().budget)
        return {m_document.isPlanning() ? tr("Showing the step without a plan") : tr("No plan yet"),
                QStringLiteral("info")};
    if (m_document.isOutdated())
        return m_document.isPlanning()
                   ? StatusText{tr("Planning: showing the plan for the previous settings"),
                                QStringLiteral("info")}
                   : StatusText{tr("Showing the plan for the previous settings"),
                                QStringLiteral("warn")};
    const solve::Outcome& outcome = m_document.outcome();
    if (!m_document.isPlanned() && !m_document.isPlanning() && outcome.best
        && outcome.frontier->points().size() > 1)
        return {tr("Stopped: the best plan so far is kept"), QStringLiteral("info")};
    if (outcome.best)
        return {outcome.best->plan().recomputesNothing() ? tr("Everything fits")
                                                         : tr("Plan verified"),
                QStringLiteral("verified")};
    return {outcome.status == solve::Status::Infeasible ? tr("Budget below the lower bound")
                                                        : tr("No plan for this budget"),
            QStringLiteral("error"), true};
}

QString PlannerPage::jobText() const
{
    return m_document.isPlanning()
               ? tr("Planning: %1").arg(percentText(m_document.perMille() / 1000.0))
               : QString{};
}

QString PlannerPage::cursorText() const
{
    const std::optional<std::size_t> step = m_selection.step();
    if (!step || !m_drawn || *step >= m_drawn->timeline->stepCount())
        return {};
    return timeText(m_drawn->timeline->timeAt(*step)) + QStringLiteral(" · ")
           + bytesText(m_drawn->timeline->totalAt(*step), Rounding::Up); // as the card has it
}

QString PlannerPage::factsText() const
{
    const workspace::PlanDocument& document = m_document.document();
    const graph::Program& program = *m_document.program();
    const QString device = QString::fromStdString(document.choices.device.name);
    return tr("%1 ops · %2 tensors · %3")
        .arg(countText(program.ops.size()), countText(program.tensors.size()),
             m_isMeasured ? tr("measured times") : tr("%1 times, estimated").arg(device));
}

} // namespace plimsoll::ui
