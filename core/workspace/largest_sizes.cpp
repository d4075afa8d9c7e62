// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/largest_sizes.h"

#include "core/base/limits.h"
#include "core/base/try.h"
#include "core/graph/resize.h"

#include <algorithm>
#include <utility>

namespace plimsoll::workspace {

namespace {

using base::ErrorKind;
using base::Result;

SizeTrial refused(std::int64_t size, const base::Error& error)
{
    return {.size = size, .status = SizeStatus::Refused, .refusal = error.message};
}

/// Whether the error is about the size or the planner, so that other sizes may still be tried.
bool isRefusal(const base::Error& error)
{
    return error.kind == ErrorKind::Usage || error.kind == ErrorKind::CheckFailed;
}

/// Sizes that an axis can have, by their place: the smallest recorded one is at 0.
class Places
{
public:
    explicit Places(const graph::Axis& axis) : m_lowest{axis.recorded.front()}, m_step{axis.step} {}

    [[nodiscard]] std::int64_t size(std::int64_t place) const { return m_lowest + place * m_step; }
    [[nodiscard]] std::int64_t of(std::int64_t size) const { return (size - m_lowest) / m_step; }
    [[nodiscard]] std::int64_t last() const { return of(base::kHuge - 1); }
    /// Of twice the size, but at least the next one.
    [[nodiscard]] std::int64_t doubled(std::int64_t place) const
    {
        return std::min(std::max(of(2 * size(place)), place + 1), last());
    }

private:
    std::int64_t m_lowest;
    std::int64_t m_step;
};

/// Null: there is none.
const graph::Axis* findAxis(const graph::Program& program, const std::string& name)
{
    if (!program.vary)
        return nullptr;
    const auto axis = std::ranges::find(program.vary->axes, name, &graph::Axis::name);
    return axis == program.vary->axes.end() ? nullptr : &*axis;
}

class Search
{
public:
    Search(const graph::ProgramPtr& recorded, base::Bytes budget,
           const allocator::AllocatorSettings& settings, const base::JobContext& job)
        : m_recorded{recorded}, m_budget{budget}, m_settings{settings}, m_job{.stop = job.stop}
    {
    }

    /// Tells of the row after each trial.
    template <typename Tell>
    [[nodiscard]] Result<void> run(LargestSize& row, const SizeQuestion& question,
                                   const Tell& tell) const;

private:
    [[nodiscard]] Result<SizeTrial> attempt(const SizeQuestion& question, std::int64_t size) const;
    [[nodiscard]] Result<SizeTrial> planned(const graph::ProgramPtr& program,
                                            const Choices& choices, std::int64_t size) const;

    const graph::ProgramPtr& m_recorded;
    base::Bytes m_budget;
    const allocator::AllocatorSettings& m_settings;
    base::JobContext m_job; ///< without progress, which each planning would begin again
};

Result<SizeTrial> Search::planned(const graph::ProgramPtr& program, const Choices& choices,
                                  std::int64_t size) const
{
    ASSIGN_OR_RETURN(const solve::Planner* planner, solve::findPlanner(choices.planner));
    ASSIGN_OR_RETURN(const plan::Problem problem, makeProblem(program, choices, m_budget));
    const plan::Runtime runtime = solve::runtimeOf(planner->descriptor(), choices.options);
    if (m_budget < plan::peakLowerBound(problem, runtime).bytes)
        return SizeTrial{.size = size, .status = SizeStatus::Infeasible};
    ASSIGN_OR_RETURN(const PlannedPtr found, planGraph(program, choices, m_job));
    ASSIGN_OR_RETURN(Answer answer, answerAt(*found, m_budget, m_settings, m_job));
    if (!answer.choice.plan)
        return SizeTrial{.size = size, .status = SizeStatus::NotFound};
    SizeTrial trial{.size = size, .status = SizeStatus::Runs};
    if (answer.choice.verdict)
        trial.run = answer.choice.verdict->status;
    if (trial.run == run::RunStatus::Fails)
        return SizeTrial{.size = size, .status = SizeStatus::Fails};
    trial.unplanned = found->unplanned;
    trial.plan = std::move(answer.choice.plan);
    return trial;
}

Result<SizeTrial> Search::attempt(const SizeQuestion& question, std::int64_t size) const
{
    Choices choices = question.choices;
    choices.sizes[question.axis] = size;
    choices.profiled = {}; // of one size
    Result<SizeTrial> trial =
        programAt(m_recorded, std::exchange(choices.sizes, {}), m_job)
            .and_then([&](const graph::ProgramPtr& at) { return planned(at, choices, size); });
    if (!trial && isRefusal(trial.error()))
        return refused(size, trial.error());
    return trial;
}

template <typename Tell>
Result<void> Search::run(LargestSize& row, const SizeQuestion& question, const Tell& tell) const
{
    const graph::Axis* axis = findAxis(*m_recorded, question.axis);
    const auto chosen = question.choices.sizes.find(question.axis);
    const std::int64_t first = chosen != question.choices.sizes.end() ? chosen->second
                               : axis != nullptr                      ? axis->size
                                                                      : 1;
    RETURN_IF_ERROR(graph::checkSize(*m_recorded, {question.axis, first}));
    const Places places{*axis};
    std::int64_t runs = -1;
    std::int64_t doesNot = places.last() + 1;
    for (std::int64_t place = places.of(first); !row.isOver;) {
        ASSIGN_OR_RETURN(SizeTrial trial, attempt(question, places.size(place)));
        const bool isRunning = trial.status == SizeStatus::Runs;
        (isRunning ? runs : doesNot) = place;
        (isRunning ? row.largest : row.next) = std::move(trial);
        row.isOver = doesNot - runs <= 1;
        tell(row);
        place = row.next ? runs + (doesNot - runs) / 2 : places.doubled(runs);
    }
    return {};
}

} // namespace

std::string_view sizeStatusName(SizeStatus status)
{
    switch (status) {
    case SizeStatus::Runs: return "runs";
    case SizeStatus::Fails: return "fails";
    case SizeStatus::NotFound: return "not_found";
    case SizeStatus::Infeasible: return "infeasible";
    case SizeStatus::Refused: break;
    }
    return "refused";
}

Result<std::vector<LargestSize>>
largestSizes(const graph::ProgramPtr& recorded, const std::vector<SizeQuestion>& questions,
             base::Bytes budget, const allocator::AllocatorSettings& settings,
             const base::JobContext& job, const LargestSizeListener& listener)
{
    const Search search{recorded, budget, settings, job};
    std::vector<LargestSize> rows(questions.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        job.report(row, rows.size());
        const auto tell = [&](const LargestSize& known) {
            if (listener)
                listener(row, known);
        };
        const Result<void> searched = search.run(rows[row], questions[row], tell);
        if (!searched && searched.error().kind == ErrorKind::Cancelled)
            return rows;
        RETURN_IF_ERROR(searched);
    }
    return rows;
}

std::vector<Choices> choicesByPlanner(const Choices& choices)
{
    std::vector<Choices> all{choices};
    if (choices.planner != solve::kDefaultPlanner)
        return all;
    const Result<const solve::Planner*> asked = solve::findPlanner(choices.planner);
    const auto add = [&](const solve::Planner& planner, const solve::Options& options) {
        all.push_back(choices);
        all.back().planner = planner.descriptor().id;
        all.back().options = options;
    };
    const std::vector<solve::AutoPart>& parts = solve::autoParts();
    for (const solve::FitPlanner& fit :
         solve::fitPlanners(parts, (*asked)->descriptor(), choices.options).fit)
        add(*fit.planner, fit.options);
    add(**solve::findPlanner("none"), {});
    return all;
}

std::string plannerCall(const Choices& choices)
{
    const Result<const solve::Planner*> planner = solve::findPlanner(choices.planner);
    if (!planner)
        return choices.planner;
    const solve::PlannerDescriptor& descriptor = (*planner)->descriptor();
    return solve::callText(descriptor, solve::callOf(descriptor, choices.options).options);
}

} // namespace plimsoll::workspace
