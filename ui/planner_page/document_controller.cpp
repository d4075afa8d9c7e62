// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/document_controller.h"

#include "core/workspace/kept_plans.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/document_page/change_command.h"
#include "ui/document_page/session_keeper.h"
#include "ui/models/program_texts.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/planned_so_far.h"

#include <QDateTime>

#include <algorithm>
#include <chrono>
#include <utility>

namespace plimsoll::ui {

namespace {
constexpr std::chrono::milliseconds kRefineDelay{80};
constexpr std::size_t kKnownPlans = 6;
/// The interval between updates with partial results, each of which costs some frames.
constexpr std::chrono::milliseconds kSoFarPeriod{300};
} // namespace

DocumentController::DocumentController(workspace::PlanDocument& document, SessionKeeper& keeper,
                                       QObject* parent)
    : QObject{parent}
    , m_document{document}
    , m_keeper{keeper}
    , m_runs{document, keeper}
    , m_planned{std::move(m_document.first)}
    , m_soFar{std::make_shared<PlannedSoFar>()}
{
    connect(&m_runs, &DocumentRuns::edited, this, &DocumentController::changed);
    m_refineTimer.setSingleShot(true);
    m_refineTimer.setInterval(kRefineDelay);
    connect(&m_refineTimer, &QTimer::timeout, this, &DocumentController::refine);
    m_soFarTimer.setInterval(kSoFarPeriod);
    connect(&m_soFarTimer, &QTimer::timeout, this, &DocumentController::takeSoFar);
    for (const JobRunnerBase* jobs : std::initializer_list<JobRunnerBase*>{&m_planner, &m_sizer})
        connect(jobs, &JobRunnerBase::runningChanged, this, [this] {
            const bool running = isPlanning();
            m_planningSince = running ? QDateTime::currentMSecsSinceEpoch() : 0;
            m_perMille = 0;
            Q_EMIT planningChanged(running);
        });
    connect(&m_planner, &JobRunnerBase::progressed, this, [this](int perMille) {
        m_perMille = perMille;
        Q_EMIT planningProgressed(perMille);
    });
    for (const JobRunnerBase* jobs : m_jobs)
        connect(jobs, &JobRunnerBase::idle, this, &DocumentController::notifyIdle);
    connect(&m_chooser, &PlanChooser::tableChanged, this, [this] {
        Q_EMIT plannedChanged();
        answer();
    });
    connect(&m_pricer, &PinPricer::pricesChanged, this, &DocumentController::pinPricesChanged);
    m_chooser.setPlans(m_planned);
    m_isDeferred = runsUnplanned();
    m_complete = m_isDeferred;
    if (m_isDeferred)
        m_unplanned.push_back(m_planned);
    answer();
    if (!m_isDeferred)
        planNow();
}

DocumentController::~DocumentController()
{
    stopJobs(); // workers must not outlive their receiver
}

qint64 DocumentController::planningFor() const
{
    return m_planningSince == 0 ? 0 : QDateTime::currentMSecsSinceEpoch() - m_planningSince;
}

base::Bytes DocumentController::budget() const
{
    return m_preview.value_or(m_document.budget);
}

plan::VerifiedPlanPtr DocumentController::shownPlan() const
{
    if (m_outcome.best)
        return m_outcome.best;
    const auto& points = m_planned->frontier->points();
    return points.empty() ? m_planned->unplanned : points.front().plan;
}

QString DocumentController::title() const
{
    const QString name = fileText(m_document.title());
    if (m_document.choices.sizes.empty())
        return name;
    return name + QStringLiteral(" · ") + sizesText(m_document.choices.sizes);
}

void DocumentController::previewBudget(base::Bytes budget)
{
    m_preview = budget;
    answer();
}

void DocumentController::cancelPreview()
{
    if (!m_preview)
        return;
    m_preview.reset();
    answer();
}

void DocumentController::commitBudget(base::Bytes budget)
{
    m_preview.reset();
    const base::Bytes before = this->budget();
    if (budget == before) {
        answer();
        return;
    }
    m_undo.push(new ChangeCommand{tr("Budget %1 → %2").arg(bytesText(before), bytesText(budget)),
                                  [this, before] { applyBudget(before); },
                                  [this, budget] { applyBudget(budget); }});
}

void DocumentController::commitChoices(const workspace::Choices& choices)
{
    m_wanted.reset(); // the latest choice wins
    if (choices == m_document.choices)
        return;
    if (choices.sizes != m_document.choices.sizes)
        trySizes(choices);
    else
        pushChoices(choices);
}

void DocumentController::pushChoices(const workspace::Choices& choices)
{
    // Once it is known for which GPU to plan, its memory is the budget.
    const bool isAnswer = m_document.followsDevice() && choices.device != m_document.choices.device;
    const auto apply = [this, isAnswer](const workspace::Choices& wanted, base::Bytes budget) {
        if (isAnswer) {
            applyBudget(budget);
            m_isDeferred = true; // as for a file that is opened for that GPU
        }
        applyChoices(wanted);
    };
    m_document.isDeviceGuessed = m_document.isDeviceGuessed && !isAnswer;
    m_undo.push(new ChangeCommand{
        changeText(m_document.choices, choices),
        [apply, before = m_document.choices, budget = m_document.budget] { apply(before, budget); },
        [apply, choices] { apply(choices, choices.device.memory); }});
}

void DocumentController::trySizes(const workspace::Choices& choices)
{
    m_wanted = choices;
    m_sizer.start(
        [recorded = m_document.graph.program, sizes = choices.sizes](const base::JobContext& job) {
            return workspace::programAt(recorded, sizes, job)
                .map([](const graph::ProgramPtr& /*there*/) { return true; });
        },
        [this, choices](const base::Result<bool>& there) {
            if (m_wanted != choices)
                return;
            m_wanted.reset();
            if (there) {
                pushChoices(choices);
                return;
            }
            Q_EMIT choicesChanged(); // reset controls to the choices in effect
            Q_EMIT failed(QStringLiteral("size"), QString::fromStdString(there.error().message));
        });
}

void DocumentController::applyBudget(base::Bytes budget)
{
    m_preview.reset();
    m_document.budget = budget;
    m_document.isBudgetSuggested = false;
    answer();
    m_runs.keepSettings();
    changed();
}

void DocumentController::applyChoices(const workspace::Choices& choices)
{
    m_wanted.reset();
    m_document.choices = choices;
    m_runs.keepSettings();
    changed();
    Q_EMIT choicesChanged();
    planIfNeeded();
    if (!m_complete)
        Q_EMIT answerChanged(); // what is shown is outdated now
}

/// While nothing needed to be planned, it is looked first whether it does with the new choices.
void DocumentController::planIfNeeded()
{
    const auto known =
        std::ranges::find(m_unplanned, m_document.choices, &workspace::Planned::choices);
    if (known != m_unplanned.end() && budget() >= (*known)->unplannedNeeds) {
        m_planner.stop();
        takeUnplanned(*known);
    } else {
        plan(m_isDeferred && m_document.choices.pins.empty() ? std::optional{budget()}
                                                             : std::nullopt);
    }
}

void DocumentController::takeUnplanned(workspace::PlannedPtr unplanned)
{
    m_soFarTimer.stop();
    m_isDeferred = true;
    takePlanned(std::move(unplanned));
}

void DocumentController::plan(std::optional<base::Bytes> unlessWithin)
{
    m_complete = false;
    m_isDeferred = false;
    m_refusal.clear();
    m_soFar = std::make_shared<PlannedSoFar>();
    const auto known = std::ranges::find(m_known, m_document.choices, &workspace::Planned::choices);
    if (known != m_known.end()) {
        m_planner.stop();
        takePlanned(*known);
        return;
    }
    m_soFarTimer.start();
    m_planner.start(
        [recorded = m_document.graph.program, choices = m_document.choices, soFar = m_soFar,
         kept = m_document.kept, hash = m_document.graph.contentHash,
         unlessWithin](const base::JobContext& job) {
            if (unlessWithin) {
                base::Result<workspace::Planned> step =
                    workspace::unplannedStep(recorded, choices, job);
                if (step && step->unplannedNeeds <= *unlessWithin)
                    return base::Result<workspace::PlannedPtr>{
                        std::make_shared<const workspace::Planned>(*std::move(step))};
            }
            if (workspace::PlannedPtr planned =
                    kept ? workspace::plannedFrom(*kept, hash, recorded, choices, job) : nullptr)
                return base::Result<workspace::PlannedPtr>{std::move(planned)};
            return workspace::planGraph(
                recorded, choices, job,
                [&soFar](workspace::PlannedPtr planned) { soFar->put(std::move(planned)); });
        },
        [this, unlessWithin](base::Result<workspace::PlannedPtr> planned) {
            m_soFarTimer.stop();
            if (!planned) {
                if (planned.error().kind != base::ErrorKind::Cancelled) {
                    m_refusal = base::told(planned.error());
                    Q_EMIT failed(QStringLiteral("plan"), QString::fromStdString(m_refusal));
                }
                Q_EMIT answerChanged();
                return;
            }
            if ((*planned)->choices != m_document.choices)
                return;
            if (unlessWithin && (*planned)->took.count() == 0) {
                m_unplanned.push_back(*planned);
                takeUnplanned(*std::move(planned));
                return;
            }
            m_known.insert(m_known.begin(), *planned);
            if (m_known.size() > kKnownPlans)
                m_known.pop_back();
            takePlanned(*std::move(planned));
        });
}

void DocumentController::takePlanned(workspace::PlannedPtr planned)
{
    m_planned = std::move(planned);
    m_soFar = std::make_shared<PlannedSoFar>(); // partial results have plans that this one hasn't
    m_complete = true;
    if (std::exchange(m_document.isBudgetSuggested, false)
        && m_document.budget < m_planned->smallestPeak)
        m_document.budget = workspace::suggestedBudget(*m_planned);
    m_chooser.setPlans(m_planned);
    if (m_planned->took.count() > 0)
        m_document.planned = m_planned;
    if (m_undo.count() > 0)
        m_runs.keepPlans();
    Q_EMIT plannedChanged();
    answer();
    m_pricer.start(m_document.graph.program, m_planned, allocator());
}

std::vector<workspace::PlannerSummary> DocumentController::plannerSummaries() const
{
    return workspace::plannerSummaries(
        m_document.choices, {m_planner.isRunning(), m_perMille, m_soFar->latest(), m_refusal},
        *m_planned, m_known);
}

/// Shows the best partial result that has a plan for the budget. During a drag, only if nothing
/// else can be shown, so that the picture doesn't change under the user's hand.
void DocumentController::takeSoFar()
{
    if (m_complete || (m_preview && m_outcome.best && !isOutdated()))
        return;
    workspace::PlannedPtr planned = m_soFar->takeNew();
    if (!planned || planned->choices != m_document.choices || planned->frontier->points().size() < 2
        || !workspace::planAt(*planned, budget()))
        return;
    m_planned = std::move(planned);
    m_chooser.setPlans(m_planned);
    Q_EMIT plannedChanged();
    answer();
}

void DocumentController::stopPlanning()
{
    m_sizer.stop();
    m_planner.stop();
    if (std::exchange(m_wanted, std::nullopt))
        Q_EMIT choicesChanged();
}

/// Whether the first picture is all there is to know: the step runs without a plan.
bool DocumentController::runsUnplanned() const
{
    return budget() >= m_planned->unplannedNeeds && m_document.choices.pins.empty();
}

void DocumentController::answer()
{
    if (m_isDeferred && !runsUnplanned())
        planNow();
    const base::Bytes at = budget();
    m_outcome = {};
    m_outcome.frontier = m_planned->frontier;
    m_outcome.peakBound = m_planned->peakBound;
    m_choice = m_chooser.at(at);
    m_outcome.best = m_choice.plan;
    if (m_outcome.best)
        m_outcome.status = solve::Status::Feasible;
    else
        m_outcome.status =
            at < m_planned->peakBound.bytes ? solve::Status::Infeasible : solve::Status::NotFound;
    m_refined = false;
    m_refineTimer.start();
    Q_EMIT answerChanged();
}

void DocumentController::refine()
{
    const base::Bytes at = budget();
    m_refiner.start(
        [planned = m_planned, at, settings = m_chooser.settings(),
         table = m_chooser.table()](const base::JobContext& job) {
            return workspace::answerAt(*planned, at, settings, job, table);
        },
        [this, at, planned = m_planned,
         settings = m_chooser.settings()](base::Result<workspace::Answer> answer) {
            if (!answer || at != budget() || planned != m_planned
                || settings != m_chooser.settings())
                return;
            m_outcome = std::move(answer->outcome);
            m_choice = std::move(answer->choice);
            m_chooser.learn(at, m_choice);
            m_refined = true;
            m_pricer.setChosen(m_choice.plan, at);
            recordRun();
            Q_EMIT answerChanged();
        });
}

void DocumentController::setAllocator(const allocator::AllocatorSettings& settings)
{
    if (settings == m_chooser.settings())
        return;
    m_chooser.setSettings(settings);
    Q_EMIT plannedChanged();
    answer();
    if (m_pricer.isFor(m_planned))
        m_pricer.start(m_document.graph.program, m_planned, settings);
}

void DocumentController::recordRun()
{
    if (!m_preview && m_complete)
        m_runs.add(workspace::runOf(m_outcome, budget(), m_document.choices));
}

void DocumentController::setOverlay(workspace::OverlayPtr overlay)
{
    if (overlay == m_document.overlay)
        return;
    m_document.overlay = std::move(overlay);
    m_keeper.put("measurement", [overlay = m_document.overlay](session::SessionStore& store,
                                                               session::DocumentId id) {
        return session::saveMeasurement(store, id, workspace::savedMeasurement(overlay));
    });
    changed();
    Q_EMIT overlayChanged();
}

void DocumentController::changed()
{
    m_document.isChanged = true;
    Q_EMIT titleChanged();
}

void DocumentController::stopJobs()
{
    m_refineTimer.stop();
    m_wanted.reset();
    for (JobRunnerBase* jobs : m_jobs)
        jobs->stop();
}

bool DocumentController::isIdle() const
{
    return std::ranges::all_of(m_jobs, &JobRunnerBase::isIdle);
}

void DocumentController::notifyIdle()
{
    if (isIdle())
        Q_EMIT becameIdle();
}

} // namespace plimsoll::ui
