// SPDX-License-Identifier: Apache-2.0
// The timeline in the centre of a planner page, with its menu.
#include "core/evaluate/live.h"
#include "core/evaluate/module_figures.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/menus/mnemonics.h"
#include "ui/models/pin_globs.h"
#include "ui/models/plan_names.h"
#include "ui/models/program_texts.h"
#include "ui/plan_tables/pin_menu.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonObject>
#include <QMenu>

#include <utility>

namespace plimsoll::ui {

namespace {

constexpr qint64 kPatience = 2000; ///< ms, then the subtitle says that it is planning

/// Keeps the selected range at its ops when another plan runs them at other steps.
class FollowedRange
{
public:
    explicit FollowedRange(Selection& selection) : m_selection{selection} {}

    /// The range in `next`, if it is one in `drawn`, which may be null.
    [[nodiscard]] std::optional<StepRange> in(const plan::VerifiedPlan& next,
                                              const plan::VerifiedPlanPtr& drawn);
    void show(std::optional<StepRange> range)
    {
        m_shown = range;
        m_selection.setRange(range);
    }

private:
    Selection& m_selection;
    plan::VerifiedPlanPtr m_plan;      ///< in which the user chose it
    std::optional<StepRange> m_chosen; ///< in that plan
    std::optional<StepRange> m_shown;  ///< in the drawn one
};

/// The timeline and its set of curves.
struct TimelinePart
{
    void update(const PlannerState& state, Changes what);
    void showAnswer(const PlannerState& state);
    void showCurves(const PlannerState& state);
    void showMeasured(const PlannerState& state) const;
    void markModule(std::optional<std::size_t> module);

    BudgetTimelineView* timeline;
    Selection* selection;
    FollowedRange range;
    graph::ProgramPtr modulesOf = nullptr; ///< of `modules`
    graph::ModuleTree modules = {};
    plan::VerifiedPlanPtr drawnPlan = nullptr;
    plan::EvaluationPtr drawn = nullptr;
    plan::EvaluationPtr against = nullptr; ///< the unplanned step it is drawn against
    std::shared_ptr<const std::vector<std::uint32_t>> unplannedStepAt =
        nullptr; ///< as in TimelineSet
};

std::optional<StepRange> FollowedRange::in(const plan::VerifiedPlan& next,
                                           const plan::VerifiedPlanPtr& drawn)
{
    const std::optional<StepRange> range = m_selection.range();
    if (range != m_shown || !m_plan) { // by the user
        m_chosen = range;
        m_plan = drawn;
    }
    if (!m_chosen || !m_plan || m_plan->problem().step() != next.problem().step())
        return std::nullopt;
    const plan::Schedule& from = *m_plan->evaluation().schedule;
    const auto find = [&](std::size_t step) {
        const plan::Step& at = from.steps[step];
        return next.evaluation().schedule->stepOf(at.op, at.region >= 0);
    };
    if (next.evaluationPtr() == m_plan->evaluationPtr())
        return m_chosen;
    const auto [begin, end] = std::minmax({find(m_chosen->begin), find(m_chosen->end)});
    return StepRange{begin, end};
}

/// How the basis differs: a measured step has no reserve, and its allocator rounds differently.
QString basisText(const plan::Problem& shown, graph::Rounding rounding)
{
    if (shown.parallel)
        return QObject::tr("of a single process");
    if (shown.reserve.count() > 0)
        return shown.rounding == rounding ? QObject::tr("without the reserve")
                                          : QObject::tr("without reserve and rounding");
    if (shown.rounding == rounding)
        return {};
    return rounding == graph::Rounding::Exact ? QObject::tr("without rounding")
                                              : QObject::tr("with rounding");
}

/// `shown` is the problem of the plan's numbers. `stepAt` as in MeasuredSet; if given, the levels
/// are labelled as those of the unplanned step.
MeasuredSet measuredSetOf(const workspace::MeasuredRun& run, const plan::Problem& shown,
                          std::shared_ptr<const std::vector<std::uint32_t>> stepAt)
{
    MeasuredSet set;
    const bool isOther = stepAt != nullptr;
    set.basis = basisText(shown, run.rounding);
    if (run.live) {
        set.live = run.live;
        set.predicted = run.predicted->timeline;
        set.stepAt = std::move(stepAt);
    }
    if (run.run.allocatorPeak)
        set.levels.push_back({*run.run.allocatorPeak,
                              isOther ? QObject::tr("allocator peak measured without the plan")
                                      : QObject::tr("allocator peak measured")});
    if (run.run.reservedPeak)
        set.levels.push_back(
            {*run.run.reservedPeak, isOther ? QObject::tr("reserved, measured without the plan")
                                            : QObject::tr("reserved, measured")});
    return set;
}

/// Parts that don't fit are dropped from the end.
QStringList subtitle(const PlannerState& state)
{
    if (state.planningFor > kPatience)
        return {PlannerPage::tr("planning…")};
    if (!state.outcome.best && !state.isWaiting)
        return {PlannerPage::tr("smallest plan known"), PlannerPage::tr("shown pale")};
    const QString time = timeText(state.shown->evaluation().stepTime);
    const plan::Plan& plan = state.shown->plan();
    const graph::ProgramPtr& step = state.shown->problem().step();
    const compare::StepTimesPtr times = state.planned.choices.times();
    const QString size = // the form shows it, too, so only say it if it differs from the recording
        step == state.document.graph.program || (times && state.planned.choices.sizes.empty())
            ? QString{}
            : sizeText(*step);
    QStringList facts{plan.recomputesNothing() ? PlannerPage::tr("unplanned, %1").arg(time)
                                               : PlannerPage::tr("planned, %1").arg(time)};
    if (times)
        facts << PlannerPage::tr("times from %1").arg(fileText(times->file));
    if (!size.isEmpty())
        facts << size;
    if (!plan.recomputesNothing())
        facts << runtimeText(plan);
    return facts;
}

void TimelinePart::update(const PlannerState& state, Changes what)
{
    if ((what & Change::Planned) && state.hasFrontier()) {
        timeline->setSnapTargets(snapTargetsOf(state.byBudget));
        if (const auto plans = state.planned.frontier->candidates(); !plans.empty())
            timeline->setLongest(plans.front()->evaluation().timeline); // of the slowest
        const std::optional<base::Bytes> least = state.leastBudget();
        timeline->setSmallestFeasible(least ? std::optional{shownCeiling(*least)} : std::nullopt);
    }
    if (what & (Change::Planned | Change::Choices))
        timeline->setCapacityMarks(capacityMarksOf(state.document.choices));
    if (what & Change::Answer)
        showAnswer(state);
    if (what & (Change::Answer | Change::Overlay))
        showMeasured(state);
    if (what & (Change::Answer | Change::Overlay | Change::Progress))
        timeline->setSubtitle(subtitle(state));
}

void TimelinePart::showAnswer(const PlannerState& state)
{
    const plan::VerifiedPlanPtr& best = state.outcome.best;
    const bool infeasible = !best && !state.isWaiting;
    if (drawn != state.shown->evaluationPtr()
        || against != state.planned.unplanned->evaluationPtr())
        showCurves(state);
    if (!state.isDragging) // undo, for example, takes the line out of the hand
        timeline->endDragAt(state.budget);
    if (!timeline->isDragging())
        timeline->setBudget(state.budget);
    timeline->setBudgetState(infeasible ? BudgetState::Infeasible : BudgetState::Feasible);
    timeline->setPlanPale(infeasible);
    timeline->setStale(!state.isPlanned && state.isPlanning);
    timeline->setReadout(readoutOf(state.planned, best, state.budget, state.leastBudget()));
}

void TimelinePart::showCurves(const PlannerState& state)
{
    const plan::VerifiedPlanPtr& shown = state.shown;
    const std::optional<StepRange> kept = range.in(*shown, drawnPlan);
    drawnPlan = shown;
    drawn = shown->evaluationPtr();
    against = state.planned.unplanned->evaluationPtr();
    TimelineSet set = timelinesOf(*shown, *state.planned.unplanned);
    unplannedStepAt = set.unplannedStepAt;
    timeline->setTimelines(std::move(set));
    range.show(kept);
    const graph::Program& program = *shown->problem().step();
    timeline->setPeakNames(opPlace(program, drawn->peakOp), opPlace(program, against->peakOp));
    timeline->setLowerBound(lowerBoundOf(state.planned, *shown));
    timeline->setHoverProvider([shown](std::size_t step) { return hoverContentOf(*shown, step); });
    markModule(selection->module());
}

/// Where the selected module runs.
void TimelinePart::markModule(std::optional<std::size_t> module)
{
    std::vector<StepRange> marked;
    if (module && drawnPlan) {
        if (modulesOf != drawnPlan->problem().step()) {
            modulesOf = drawnPlan->problem().step();
            modules = graph::moduleTree(*modulesOf);
        }
        if (*module < modules.ofModule.size())
            for (const plan::StepRun& run :
                 plan::stepsOfModule(*modulesOf, modules, modules.ofModule[*module],
                                     *drawnPlan->evaluation().schedule))
                marked.push_back({run.first, run.last});
    }
    timeline->setMarked(std::move(marked));
}

void TimelinePart::showMeasured(const PlannerState& state) const
{
    const workspace::MeasuredRunPtr own = state.runOfShown();
    const plan::Problem& shown = state.shown->problem();
    // If the shown plan wasn't measured, show the measurement of the unplanned step.
    timeline->setMeasured(
        !state.laid.unplanned ? std::nullopt
        : own                 ? std::optional{measuredSetOf(*own, shown, nullptr)}
              : std::optional{measuredSetOf(*state.laid.unplanned, shown, unplannedStepAt)});
}

/// The largest value of the class under the pointer; none above the stack.
std::optional<plan::Live> valueAt(const plan::VerifiedPlan& shown, const TimelineSpot& spot)
{
    if (spot.layer)
        for (const plan::Live& live : plan::liveAt(shown.evaluation(), spot.step))
            if (static_cast<std::size_t>(live.category) == *spot.layer)
                return live;
    return std::nullopt;
}

QString sourceOf(const graph::Program& program, graph::OpId op)
{
    const std::int32_t source = program.op(op).source;
    return source < 0 ? QString{} : fileText(program.sources[static_cast<std::size_t>(source)]);
}

/// Name, bytes and source of what is under the pointer: of the value, else of the op and all bytes.
QString copiedText(const plan::VerifiedPlan& shown, const TimelineSpot& spot,
                   const std::optional<plan::Live>& value)
{
    const graph::Program& program = *shown.problem().step();
    const graph::OpId op = shown.evaluation().schedule->steps[spot.step].op;
    if (!value)
        return QStringList{opPlace(program, op),
                           exactBytesText(shown.evaluation().timeline->totalAt(spot.step)),
                           sourceOf(program, op)}
            .join(u'\t');
    return QStringList{
        value->storage ? storageTitle(program, *value->storage) : PlannerPage::tr("Reserve"),
        exactBytesText(value->bytes), value->maker ? sourceOf(program, *value->maker) : QString{}}
        .join(u'\t');
}

void addZooms(QMenu& menu, BudgetTimelineView& timeline, const std::optional<plan::Live>& value)
{
    menu.addAction(PlannerPage::tr("Zoom to &Range"), &timeline, &BudgetTimelineView::zoomToRange)
        ->setEnabled(timeline.range().has_value());
    const auto zoom = [&timeline, value] { timeline.showSteps(value->since, value->until); };
    menu.addAction(PlannerPage::tr("Zoom to &Value"), &timeline, zoom)
        ->setEnabled(value.has_value());
    menu.addAction(PlannerPage::tr("&Go to Peak"), &timeline, &BudgetTimelineView::goToPeak);
}

/// The commands for a place of the plot.
void openMenu(PlannerPage& page, BudgetTimelineView& timeline, const TimelineSpot& spot,
              const QPoint& at)
{
    const plan::VerifiedPlanPtr shown = page.state().shown;
    if (spot.step >= shown->evaluation().schedule->steps.size())
        return;
    const graph::Program& program = *shown->problem().step();
    const std::optional<plan::Live> value = valueAt(*shown, spot);
    auto* menu = new QMenu{&timeline};
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const base::Bytes budget = timeline.snapped(spot.bytes);
    menu->addAction(PlannerPage::tr("Set &Budget Here: %1").arg(bytesText(budget)), &timeline,
                    [&timeline, budget] { timeline.commitBudget(budget); })
        ->setEnabled(timeline.budget().has_value());
    menu->addSeparator();
    if (value && value->maker)
        addPinActions(*menu, program, {opGlob(program, *value->maker)},
                      [&page](const QString& pin) { Q_EMIT page.pinWanted(pin); });
    menu->addAction(icon(QStringLiteral("pin")), PlannerPage::tr("&Pin Card"), &timeline,
                    [&timeline, step = spot.step] { timeline.pinStep(step); });
    QString name = value && value->storage ? storageTitle(program, *value->storage)
                   : value                 ? PlannerPage::tr("Reserve")
                           : opTitle(program, shown->evaluation().schedule->steps[spot.step].op);
    name.replace(QChar{u'&'}, QStringLiteral("&&"));
    menu->addAction(
        PlannerPage::tr("&Copy: %1").arg(name), &timeline,
        [text = copiedText(*shown, spot, value)] { QGuiApplication::clipboard()->setText(text); });
    menu->addSeparator();
    addZooms(*menu, timeline, value);
    addMnemonics(*menu);
    menu->popup(at);
}

void store(const BudgetTimelineView& timeline, QJsonObject& view)
{
    const VisibleRange range = timeline.visibleRange();
    QJsonArray pins;
    for (const std::size_t pin : timeline.pinnedSteps())
        pins.append(static_cast<qint64>(pin));
    view.insert(QStringLiteral("begin"), range.begin);
    view.insert(QStringLiteral("end"), range.end);
    view.insert(QStringLiteral("pins"), pins);
    if (const std::optional<ByteRange> bytes = timeline.byteZoom()) {
        view.insert(QStringLiteral("lowestByte"), static_cast<qint64>(bytes->bottom.count()));
        view.insert(QStringLiteral("highestByte"), static_cast<qint64>(bytes->top.count()));
    }
}

void restore(BudgetTimelineView& timeline, const QJsonObject& view)
{
    const VisibleRange range{view.value(QStringLiteral("begin")).toDouble(0.0),
                             view.value(QStringLiteral("end")).toDouble(1.0)};
    if (range.begin >= 0 && range.begin < range.end && range.end <= 1)
        timeline.setVisibleRange(range);
    const ByteRange bytes{base::Bytes{view.value(QStringLiteral("lowestByte")).toInteger(0)},
                          base::Bytes{view.value(QStringLiteral("highestByte")).toInteger(0)}};
    if (bytes.bottom.count() >= 0 && bytes.bottom < bytes.top)
        timeline.setByteZoom(bytes);
    std::vector<std::size_t> pins;
    const QJsonArray stored = view.value(QStringLiteral("pins")).toArray();
    for (const auto& pin : stored)
        if (pin.toInt(-1) >= 0)
            pins.push_back(static_cast<std::size_t>(pin.toInt()));
    timeline.setPinnedSteps(pins);
}

} // namespace

PlannerView makeTimelineView(PlannerPage& page)
{
    auto* timeline = new BudgetTimelineView{&page};
    timeline->setTitle(PlannerPage::tr("Memory over the step"));
    timeline->setSelection(&page.selection());
    DocumentController* document = &page.document();
    QObject::connect(timeline, &BudgetTimelineView::budgetDragged, document,
                     &DocumentController::previewBudget);
    QObject::connect(timeline, &BudgetTimelineView::budgetCommitted, document,
                     &DocumentController::commitBudget);
    QObject::connect(timeline, &BudgetTimelineView::budgetDragCancelled, document,
                     &DocumentController::cancelPreview);
    QObject::connect(
        timeline, &BudgetTimelineView::budgetRejected, &page, [&page](const QString& why) {
            const QString first = PlannerPage::tr("The typed budget could not be read.");
            page.strip().post({QStringLiteral("typed"), MessageKind::Warn, first, why, {}});
        });
    QObject::connect(&document->undoStack(), &QUndoStack::indexChanged, &page,
                     [&page] { page.strip().withdraw(QStringLiteral("typed")); });
    QObject::connect(timeline, &BudgetTimelineView::visibleRangeChanged, &page,
                     &PlannerPage::storeView);
    QObject::connect(timeline, &BudgetTimelineView::byteZoomChanged, &page,
                     &PlannerPage::storeView);
    QObject::connect(timeline, &BudgetTimelineView::pinsChanged, &page, &PlannerPage::storeView);
    QObject::connect(timeline, &BudgetTimelineView::lowerBoundClicked, &page,
                     [&page] { page.showView(QStringLiteral("plan")); });
    QObject::connect(timeline, &BudgetTimelineView::menuRequested, &page,
                     [&page, timeline](const TimelineSpot& spot, const QPoint& at) {
                         openMenu(page, *timeline, spot, at);
                     });
    QObject::connect(&page, &PlannerPage::stepWanted, timeline, &BudgetTimelineView::showStep);
    const auto part = std::make_shared<TimelinePart>(
        TimelinePart{timeline, &page.selection(), FollowedRange{page.selection()}});
    QObject::connect(&page.selection(), &Selection::moduleChanged, timeline,
                     [part] { part->markModule(part->selection->module()); });
    return {
        .widget = timeline,
        .update = [part](const PlannerState& state, Changes what) { part->update(state, what); },
        .goBack = [timeline] { return timeline->goBack(); },
        .store = [timeline](QJsonObject& view) { store(*timeline, view); },
        .restore = [timeline](const QJsonObject& view) { restore(*timeline, view); }};
}

} // namespace plimsoll::ui
