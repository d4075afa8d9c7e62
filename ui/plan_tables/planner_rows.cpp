// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/planner_rows.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace plimsoll::ui {

namespace {

using plan::PlannerState;
using workspace::PlannerSummary;
using workspace::SummaryAt;

QString statusText(solve::Status status)
{
    switch (status) {
    case solve::Status::Optimal: return QStringLiteral("optimal");
    case solve::Status::Feasible: return QStringLiteral("feasible");
    default: return QStringLiteral("none");
    }
}

struct StateTexts
{
    QString whole;
    QString brief;
};

/// In whole milliseconds below a second: the column is narrow, and cut off it would lose its unit.
QString briefTime(base::Nanoseconds took)
{
    constexpr std::int64_t kMillisecond = 1'000'000;
    const std::int64_t milliseconds = (took.count() + kMillisecond / 2) / kMillisecond;
    return milliseconds < 1000
               ? QStringLiteral("%1\u00a0ms").arg(std::max<std::int64_t>(milliseconds, 1))
               : ui::timeText(took);
}

/// One or two words and, once it is over, how long it took. In brief the time stands for plans that
/// the figures beside it tell of.
StateTexts stateTexts(const PlannerSummary& standing, const SummaryAt& at, bool hasBudget)
{
    const plan::PlannerProgress& report = standing.report;
    const auto alone = [](const QString& words) { return StateTexts{words, words}; };
    const auto after = [&report](const QString& words, bool isTold = false) {
        const QString time = ui::timeText(report.took);
        return report.took.count() > 0 ? StateTexts{words + QStringLiteral(", ") + time,
                                                    isTold ? briefTime(report.took) : words}
                                       : StateTexts{words, words};
    };
    switch (report.state) {
    case PlannerState::NotRun: return alone(QStringLiteral("not run"));
    case PlannerState::Unfit: return alone(QStringLiteral("not fit"));
    case PlannerState::Waiting: return alone(QStringLiteral("waiting"));
    case PlannerState::Running: return alone(QStringLiteral("%1\u00a0%").arg(report.perMille / 10));
    case PlannerState::Stopped: return after(QStringLiteral("stopped"));
    case PlannerState::Refused: return alone(QStringLiteral("refused"));
    case PlannerState::Over: break;
    }
    if (!hasBudget)
        return after(QStringLiteral("done"));
    return after(statusText(at.status), at.status == solve::Status::Feasible);
}

/// Who it is, and why it has no plans where it has none.
QString tipText(const PlannerSummary& standing)
{
    QStringList sentences;
    if (const auto planner = solve::findPlanner(standing.report.planner))
        sentences << QString::fromStdString((*planner)->descriptor().sentence);
    if (!standing.report.reason.empty())
        sentences << fileText(standing.report.reason);
    if (standing.report.took.count() > 0)
        sentences << QStringLiteral("It searched for %1.").arg(ui::timeText(standing.report.took));
    if (!standing.isChosen)
        sentences << QStringLiteral("A click plans with this one.");
    return sentences.join(u'\n');
}

} // namespace

std::vector<PlannerRow> plannerRows(const std::vector<PlannerSummary>& standings)
{
    std::vector<PlannerRow> rows;
    rows.reserve(standings.size());
    for (const PlannerSummary& standing : standings) {
        PlannerRow row;
        row.planner = QString::fromStdString(standing.report.planner);
        if (standing.report.state == PlannerState::Running)
            row.perMille = standing.report.perMille;
        row.isChosen = standing.isChosen;
        row.tip = tipText(standing);
        rows.push_back(std::move(row));
    }
    return rows;
}

void showAt(std::vector<PlannerRow>& rows, const std::vector<PlannerSummary>& standings,
            const PlannersAt& asked)
{
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const PlannerSummary& standing = standings[i];
        const SummaryAt at = asked.budget
                                 ? workspace::summaryAt(standing, *asked.budget, asked.bounds)
                                 : SummaryAt{};
        StateTexts state = stateTexts(standing, at, asked.budget.has_value());
        rows[i].state = std::move(state.whole);
        rows[i].shortState = std::move(state.brief);
        rows[i].isUsed = standing.report.planner == asked.maker;
        rows[i].peak.reset();
        rows[i].slower.reset();
        if (at.best)
            rows[i].peak = at.best->peak;
        if (at.best && standing.unplanned.count() > 0)
            rows[i].slower = static_cast<double>(at.best->stepTime.count())
                                 / static_cast<double>(standing.unplanned.count())
                             - 1.0;
    }
}

} // namespace plimsoll::ui
