// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/plan_texts.h"

#include "core/device/known_devices.h"
#include "core/evaluate/plan_diff.h"
#include "core/run/next_plans.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <QObject>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::ui {

namespace {

void addDecision(HoverContent& content, const plan::VerifiedPlan& shown, const plan::Step& step)
{
    const std::vector<plan::Recomputed>& rows = shown.evaluation().recomputed;
    base::Bytes saved;
    base::Nanoseconds cost;
    for (const plan::Recomputed& row : rows)
        if (row.op == step.op) {
            saved += row.spared;
            cost += row.time;
        }
    if (saved.count() == 0 && step.region < 0)
        return;
    content.noteIcon = QStringLiteral("recompute");
    content.noteRole = Role::DecisionRecompute;
    content.note =
        saved.count() == 0
            ? QObject::tr("recomputed in backward")
            : QObject::tr("saves %1, costs %2").arg(shortBytesText(saved), timeText(cost));
}

QString valuesText(int count)
{
    return count == 1 ? QObject::tr("1 value") : QObject::tr("%1 values").arg(count);
}

/// "recompute 5 values more (1.20 GiB), keep 2 values more (20.0 MiB)".
QString changesText(const plan::CheaperPlan& way)
{
    int recomputed = 0;
    int kept = 0;
    base::Bytes recomputedBytes;
    base::Bytes keptBytes;
    for (const plan::DecisionChange& flip : way.changes) {
        if (flip.decision == plan::Decision::Recompute) {
            ++recomputed;
            recomputedBytes += flip.value.bytes;
        } else if (flip.decision == plan::Decision::Keep) {
            ++kept;
            keptBytes += flip.value.bytes;
        }
    }
    QStringList parts;
    if (recomputed > 0)
        parts << QObject::tr("recompute %1 more (%2)")
                     .arg(valuesText(recomputed), bytesText(recomputedBytes));
    if (kept > 0)
        parts << QObject::tr("keep %1 more (%2)").arg(valuesText(kept), bytesText(keptBytes));
    if (parts.isEmpty())
        parts << QObject::tr("recompute other values more often");
    return parts.join(QStringLiteral(", "));
}

/// "Recompute 5 values more (1.20 GiB): 24.9 ms for each GiB, by rotor."
QString howText(const plan::CheaperPlan& way)
{
    QString text = changesText(way);
    text.front() = text.front().toUpper();
    const base::Nanoseconds rate{std::llround(way.nanosecondsPerGibibyte())};
    return QObject::tr("%1: %2 for each GiB, by %3.")
        .arg(text, timeText(rate), fileText(way.to.provenance->madeBy().planner));
}

} // namespace

QString differenceText(const plan::VerifiedPlan& larger, const plan::FrontierPoint& point)
{
    return QObject::tr("Compared with the next larger plan: %1.")
        .arg(changesText(plan::cheaperPlan(larger, point)));
}

TimelineSet timelinesOf(const plan::VerifiedPlan& shown, const plan::VerifiedPlan& unplanned)
{
    TimelineSet set;
    set.planned = shown.evaluation().timeline;
    set.unplanned = unplanned.evaluation().timeline;
    if (shown.plan().recomputesNothing())
        return set;
    const std::vector<std::int32_t>& own = unplanned.evaluation().schedule->stepOfOp;
    auto steps = std::make_shared<std::vector<std::uint32_t>>();
    steps->reserve(shown.evaluation().schedule->steps.size());
    std::uint32_t last = 0;
    for (const plan::Step& step : shown.evaluation().schedule->steps) {
        if (step.region < 0)
            last = static_cast<std::uint32_t>(std::max(own[step.op.index()], 0));
        steps->push_back(last);
    }
    set.unplannedStepAt = std::move(steps);
    return set;
}

HoverContent hoverContentOf(const plan::VerifiedPlan& shown, std::size_t step)
{
    HoverContent content;
    const plan::Schedule& schedule = *shown.evaluation().schedule;
    if (schedule.steps.empty())
        return content;
    const std::size_t shownStep = std::min(step, schedule.steps.size() - 1);
    const plan::Step& at = schedule.steps[shownStep];
    const graph::Program& program = *shown.problem().step();
    const graph::Op& op = program.op(at.op);
    content.title = opTitle(program, at.op);
    if (at.region >= 0)
        content.title = QObject::tr("%1, recomputed").arg(content.title);
    const QString path = fileText(program.modulePath(op));
    const QString phase = phaseText(schedule.phaseAt(program, shownStep));
    content.where = path.isEmpty() ? phase : path + QStringLiteral(" · ") + phase;
    if (op.source >= 0) {
        const std::string& source = program.sources[static_cast<std::size_t>(op.source)];
        content.source = fileText(std::string_view{source}.substr(source.rfind('/') + 1));
    }
    addDecision(content, shown, at);
    return content;
}

std::vector<CapacityMark> capacityMarksOf(const workspace::Choices& choices)
{
    std::vector<CapacityMark> marks;
    for (const plan::Device& device : plan::builtInDevices()) {
        const bool chosen = device.id == choices.device.id;
        marks.push_back({device.memory, shortDeviceName(device), chosen});
    }
    std::ranges::stable_partition(marks, [](const CapacityMark& mark) { return mark.chosen; });
    return marks;
}

std::vector<SnapTarget> snapTargetsOf(const run::PlansByBudget& plans)
{
    std::vector<SnapTarget> targets;
    for (const run::PlanFrom& from : plans)
        targets.push_back({shownCeiling(from.budget), {}});
    return targets;
}

LowerBound lowerBoundOf(const workspace::Planned& planned, const plan::VerifiedPlan& shown)
{
    const plan::PeakBound& bound = planned.peakBound;
    LowerBound result{bound.bytes, opPlace(*shown.problem().step(), bound.op), std::nullopt};
    const std::vector<std::int32_t>& steps = shown.evaluation().schedule->stepOfOp;
    if (bound.op.index() < steps.size() && steps[bound.op.index()] >= 0)
        result.step = static_cast<std::size_t>(steps[bound.op.index()]);
    return result;
}

std::vector<ReadoutRow> readoutOf(const workspace::Planned& planned,
                                  const plan::VerifiedPlanPtr& plan, base::Bytes budget,
                                  std::optional<base::Bytes> leastBudget)
{
    if (!plan)
        return leastBudget
                   ? std::vector<ReadoutRow>{{QObject::tr("Short of the smallest by"),
                                              bytesText(*leastBudget - budget, Rounding::Up)}}
                   : std::vector<ReadoutRow>{};
    const plan::Evaluation& now = plan->evaluation();
    const plan::Evaluation& before = planned.unplanned->evaluation();
    const base::Nanoseconds more = now.stepTime - before.stepTime;
    QString time = timeDifferenceText(more);
    if (more.count() != 0 && before.stepTime.count() > 0)
        time += QStringLiteral(" (%1)").arg(
            percentDifferenceText(slowDown(now.stepTime, before.stepTime)));
    return {{QObject::tr("Below unplanned peak"), bytesDifferenceText(now.peak - before.peak)},
            {QObject::tr("Step time"), time}};
}

std::vector<NextStep> nextStepsOf(const run::PlansByBudget& plans,
                                  const plan::VerifiedPlan& present)
{
    std::vector<NextStep> steps;
    // A budget that reads the same may have a faster plan.
    for (const run::NextPlan& next : run::nextPlans(plans, present, NextSteps::kRows, shownCeiling))
        steps.push_back({next.budget, next.budget - present.problem().budget, next.way.extraTime,
                         howText(next.way)});
    return steps;
}

namespace {

/// A budget, the bytes needed and the bytes missing, rounded so that the shown numbers add up.
struct ShortfallTexts
{
    QString budget;
    QString needed;
    QString missing;
};

/// The number of bytes in a unit used to show sizes.
double unitBytes(const QString& unit)
{
    const qsizetype power = QStringLiteral("BKMGT").indexOf(unit.front());
    return std::pow(1024.0, static_cast<double>(power));
}

ShortfallTexts shortfallTexts(base::Bytes budget, base::Bytes needed)
{
    const base::Bytes missing = needed - budget;
    const FigureText has = bytesFigure(budget);
    const FigureText needs = bytesFigure(needed, Rounding::Up);
    ShortfallTexts texts{bytesText(budget), bytesText(needed, Rounding::Up),
                         bytesText(missing, Rounding::Up)};
    if (bytesFigure(missing, Rounding::Up).unit != needs.unit) {
        // Two equal numbers with a shortfall between them would look contradictory.
        if (texts.budget == texts.needed) {
            texts.budget = exactBytesText(budget);
            texts.needed = exactBytesText(needed);
        }
        return texts;
    }
    // With one unit, readers subtract the shown numbers.
    const qsizetype decimals = needs.figure.size() - needs.figure.indexOf(u'.') - 1;
    const double shown = needs.figure.toDouble();
    double rest = shown - has.figure.toDouble();
    if (has.unit != needs.unit) {
        const double unit = unitBytes(needs.unit);
        const double factor = std::pow(10.0, static_cast<double>(decimals));
        rest = std::ceil((shown - static_cast<double>(budget.count()) / unit) * factor) / factor;
    }
    texts.missing =
        QString::number(rest, 'f', static_cast<int>(decimals)) + QChar{u'\u00a0'} + needs.unit;
    return texts;
}

} // namespace

Message infeasibleMessage(const workspace::Planned& planned, base::Bytes budget,
                          std::optional<base::Bytes> leastBudget)
{
    const plan::PeakBound& bound = planned.peakBound;
    const graph::Program& program = *planned.unplanned->problem().step();
    Message message;
    message.id = QStringLiteral("budget");
    const bool excluded = budget < bound.bytes;
    const ShortfallTexts texts =
        shortfallTexts(budget, excluded ? bound.bytes : leastBudget.value_or(budget));
    message.first = excluded ? QObject::tr("No plan fits %1.").arg(texts.budget)
                             : QObject::tr("No plan for %1 was found.").arg(texts.budget);
    // The smallest budget at which a plan runs is shown on the strip's button. What is missing
    // comes first: there may be no room for the rest.
    if (excluded)
        message.rest = QObject::tr("%1 short: at least %2 must be live at once at %3.")
                           .arg(texts.missing, texts.needed, opPlace(program, bound.op));
    else
        message.rest =
            (leastBudget
                 ? QObject::tr("With %1 more a plan runs without flushes. ").arg(texts.missing)
                 : QString{})
            + QObject::tr("There may be one: that there is none is proved below %1 only.")
                  .arg(bytesText(bound.bytes, Rounding::Up));
    return message;
}

QString changeText(const workspace::Choices& before, const workspace::Choices& after)
{
    if (before.sizes != after.sizes)
        return QObject::tr("Change Size");
    if (before.profiled == after.profiled)
        return QObject::tr("Change Settings");
    return after.profiled.times ? QObject::tr("Use Measured Times")
                                : QObject::tr("Use Modelled Times");
}

} // namespace plimsoll::ui
