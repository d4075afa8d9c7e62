// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/solve_remat.h"

#include "app/cli/numbers.h"
#include "app/cli/solve/small_file.h"
#include "app/cli/verbs.h"
#include "app/cli/watch.h"
#include "core/base/format.h"
#include "core/solve/remat/search/remat_file.h"

#include <fmt/format.h>

#include <cmath>

namespace plimsoll::cli {

namespace {

/// Percent over the plain order's time; 0 if that takes no time.
double increasePercent(double time, double base)
{
    return base > 0 ? 100 * (time / base - 1) : 0;
}

/// A plan's executions as nodes of the file.
ordered_json sequenceJson(const solve::RematFile& file, const solve::RematPlan& plan)
{
    ordered_json sequence = ordered_json::array();
    auto row = plan.recomputeSteps.begin();
    for (std::uint32_t op = 0; op < file.nodes.size(); ++op) {
        if (row != plan.recomputeSteps.end() && row->before == op) {
            for (const std::uint32_t again : row->ops)
                sequence.push_back(file.nodes[again]);
            ++row;
        }
        sequence.push_back(file.nodes[op]);
    }
    return sequence;
}

class SolveRemat : public Verb
{
public:
    explicit SolveRemat(CLI::App& solve)
        : Verb{solve, "remat", "Recompute values of any graph, in its order, within a budget"}
    {
        command()
            .add_option("FILE", m_file, "JSON with nodes (or time and size), edges and order")
            ->required();
        CLI::Option* budget = command()
                                  .add_option("--budget", m_budget, "In the file's size unit")
                                  ->transform(wholeNumber(0, kMostBudget));
        command()
            .add_option(
                "--budget-ratio", m_ratio,
                "Budget as a share of the peak without recomputation, rounded down, such as 0.5")
            ->check(share())
            ->excludes(budget);
        command()
            .add_option("--time-limit", m_timeLimit,
                        "Seconds after which the search stops with the best plan so far")
            ->check(seconds());
        close("Example: plimsoll-cli solve remat graph.json --budget-ratio 0.7 --json");
    }

    [[nodiscard]] Answer run() override
    {
        if (!m_budget && !m_ratio)
            throw VerbError(base::ErrorKind::Usage, "Give --budget or --budget-ratio. See --help.");
        const Stopwatch clock;
        const solve::RematFile file =
            readSmall<solve::RematFile>(m_file, readers::FileKind::Problem, solve::readRemat);
        const solve::RematFigures plain = orThrow(solve::simulate(file.problem, {}));
        const std::int64_t budget = m_budget.value_or(static_cast<std::int64_t>(
            std::floor(m_ratio.value_or(1) * static_cast<double>(plain.peak))));
        Watch watch{common().quiet ? std::string{} : "Solving", m_timeLimit};
        const solve::RematAnswer solved = orThrow(solve::solveRemat(
            file.problem, budget, watch.context(), [&](const solve::RematAnswer& known) {
                watch.tell(known.best
                               ? fmt::format("time {} so far, at least {}, {} without a plan",
                                             known.best->figures.time, known.timeBound, plain.time)
                               : fmt::format("no plan so far, time at least {}, {} without a plan",
                                             known.timeBound, plain.time));
            }));
        Answer answer;
        answer.json = answerJson(file, solved, budget);
        answer.json["seconds"] = clock.seconds();
        answer.text = answerText(solved, budget);
        if (!solved.best) {
            answer.exit = Exit::NoPlan;
            answer.error = noPlanText(file, solved, budget);
        }
        return answer;
    }

private:
    [[nodiscard]] static ordered_json
    answerJson(const solve::RematFile& file, const solve::RematAnswer& answer, std::int64_t budget)
    {
        const double base = answer.base.time;
        const bool isBounded = answer.status != solve::Status::Infeasible;
        ordered_json json = {{"status", solve::statusName(answer.status)}};
        const ordered_json none;
        json["time"] = answer.best ? number(answer.best->figures.time) : none;
        json["base_time"] = number(base);
        json["increase_percent"] =
            answer.best ? number(increasePercent(answer.best->figures.time, base)) : none;
        json["peak"] = answer.best ? ordered_json(answer.best->figures.peak) : none;
        json["base_peak"] = answer.base.peak;
        json["budget"] = budget;
        json["time_bound"] = isBounded ? number(answer.timeBound) : none;
        json["increase_percent_bound"] =
            isBounded ? number(increasePercent(answer.timeBound, base)) : none;
        json["sequence"] =
            answer.best ? sequenceJson(file, answer.best->plan) : ordered_json::array();
        json["stopped"] = answer.stopped;
        json["lower_bound_peak"] = answer.workingSet.bytes;
        json["smallest_known_budget"] = answer.smallestPeak;
        return json;
    }

    [[nodiscard]] static std::string answerText(const solve::RematAnswer& answer,
                                                std::int64_t budget)
    {
        std::string text = fmt::format("{}{}\n", solve::statusName(answer.status),
                                       answer.stopped ? ", stopped early" : "");
        if (!answer.best)
            return text;
        const solve::RematFigures& best = answer.best->figures;
        text += fmt::format("  time    {} (+{:.3f} %, at least +{:.3f} %; unplanned {})\n",
                            best.time, increasePercent(best.time, answer.base.time),
                            increasePercent(answer.timeBound, answer.base.time), answer.base.time);
        text +=
            fmt::format("  peak    {} of {} (unplanned {})\n", best.peak, budget, answer.base.peak);
        return text;
    }

    [[nodiscard]] static std::string
    noPlanText(const solve::RematFile& file, const solve::RematAnswer& answer, std::int64_t budget)
    {
        const std::string known = fmt::format("the smallest budget with a plan is {} ({} more)",
                                              answer.smallestPeak, answer.smallestPeak - budget);
        if (answer.status != solve::Status::Infeasible)
            return fmt::format("{} within {}: {}; none can be below {}.",
                               answer.stopped
                                   ? "The search was stopped early; no plan was found yet"
                                   : "No plan was found",
                               budget, known, answer.workingSet.bytes);
        if (answer.workingSet.bytes <= budget)
            return fmt::format("No plan exists within {}: {}.", budget, known);
        const std::uint32_t node = file.nodes[answer.workingSet.op];
        const std::string name = file.names.empty() || file.names[node].empty()
                                     ? std::string{}
                                     : fmt::format(" ({})", base::printable(file.names[node], 60));
        return fmt::format("No plan exists within {}: node {}{} alone needs {}, {} more; {}.",
                           budget, node, name, answer.workingSet.bytes,
                           answer.workingSet.bytes - budget, known);
    }

    std::string m_file;
    std::optional<std::int64_t> m_budget;
    std::optional<double> m_ratio;
    std::optional<double> m_timeLimit;
};

} // namespace

std::unique_ptr<Verb> solveRematVerb(CLI::App& solve)
{
    return std::make_unique<SolveRemat>(solve);
}

} // namespace plimsoll::cli
