// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/solve_chain.h"

#include "app/cli/numbers.h"
#include "app/cli/solve/small_file.h"
#include "app/cli/verbs.h"
#include "app/cli/watch.h"
#include "core/solve/chain/rotor/chain_file.h"

#include <fmt/format.h>

namespace plimsoll::cli {

namespace {

constexpr int kMostSlots = 1000000;

ordered_json labelsJson(const solve::Labels& labels)
{
    ordered_json rows = ordered_json::array();
    for (const solve::StageLabel& label : labels) {
        ordered_json row;
        for (const std::optional<int>& level : label)
            row.push_back(orNull(level));
        rows.push_back(std::move(row));
    }
    return rows;
}

ordered_json regionsJson(const std::vector<solve::Region>& regions)
{
    ordered_json rows = ordered_json::array();
    for (const solve::Region& region : regions)
        rows.push_back({{"label", region.label},
                        {"first", region.first},
                        {"last", region.last},
                        {"nested", regionsJson(region.nested)}});
    return rows;
}

ordered_json frontierJson(const std::vector<solve::ChainTradeOff>& points)
{
    ordered_json rows = ordered_json::array();
    for (const solve::ChainTradeOff& point : points)
        rows.push_back(
            {{"budget", point.budget}, {"makespan", number(point.makespan)}, {"peak", point.peak}});
    return rows;
}

bool hasSchedule(const solve::ChainAnswer& answer)
{
    return answer.status == solve::Status::Optimal || answer.status == solve::Status::Feasible;
}

ordered_json answerJson(const solve::ChainAnswer& answer, std::int64_t budget)
{
    const bool solved = hasSchedule(answer);
    ordered_json json = {{"status", solve::statusName(answer.status)}};
    json["makespan"] = solved ? number(answer.makespan) : ordered_json{};
    json["base_makespan"] = number(answer.baseMakespan);
    json["peak"] = solved ? ordered_json(answer.peak) : ordered_json{};
    json["unit"] = answer.unit;
    json["operations"] = solve::sequenceText(answer.operations);
    json["labels"] = labelsJson(answer.labels);
    json["regions"] = regionsJson(answer.regions);
    json["frontier"] = frontierJson(answer.frontier);
    json["budget"] = budget;
    json["exact"] = answer.exact;
    json["stopped"] = answer.stopped;
    json["lower_bound_peak"] = answer.lowerBoundPeak;
    json["smallest_known_budget"] = orNull(answer.smallestKnownBudget);
    return json;
}

std::string answerText(const solve::ChainAnswer& answer)
{
    std::string text = fmt::format("{}{}\n", solve::statusName(answer.status),
                                   answer.stopped ? ", stopped early" : "");
    if (hasSchedule(answer))
        text += fmt::format("  makespan    {} (unplanned {})\n  peak        {}\n  operations  {}\n",
                            answer.makespan, answer.baseMakespan, answer.peak,
                            solve::sequenceText(answer.operations));
    for (const solve::ChainTradeOff& point : answer.frontier)
        text += fmt::format("  at {:<12} makespan {:<12} peak {}\n", point.budget, point.makespan,
                            point.peak);
    return text;
}

class SolveChain : public Verb
{
public:
    explicit SolveChain(CLI::App& solve)
        : Verb{solve, "chain", "Schedule a chain of stages within a budget"}
    {
        command()
            .add_option("FILE", m_file,
                        "JSON with ftime, btime, x, xbar, ftmp, btmp; optionally ntime, ntmp and "
                        "ways (stage variants)")
            ->required();
        command()
            .add_option("--budget", m_budget, "In the file's size unit, x[0] included")
            ->transform(wholeNumber(0, kMostBudget))
            ->required();
        command()
            .add_option("--slots", m_slots, "Round sizes up to budget/SLOTS")
            ->transform(wholeNumber(1, kMostSlots));
        command()
            .add_option("--recurrence", m_recurrence, "corrected or peer")
            ->capture_default_str()
            ->check(CLI::IsMember({"corrected", "peer"}));
        command().add_flag(
            "--nonpersistent", m_nonPersistent,
            "Also consider schedules that drop a stage's input (drop_i) and recompute it while "
            "what the stage saved is kept; checkpoint regions can't express them");
        command().add_flag("--frontier", m_frontier, "Also print the whole trade-off");
        command().add_option("--time-limit", m_timeLimit, "Seconds")->check(seconds());
        close("Example: plimsoll-cli solve chain chain.json --budget 24 --frontier --json");
    }

    [[nodiscard]] Answer run() override
    {
        const Stopwatch clock;
        const solve::Chain chain =
            readSmall<solve::Chain>(m_file, readers::FileKind::Problem, solve::readChain);
        solve::ChainQuery query;
        query.budget = m_budget;
        query.options.slots = m_slots;
        query.options.threads = 0;
        query.options.recurrence =
            m_recurrence == "peer" ? solve::Recurrence::Peer : solve::Recurrence::Corrected;
        query.frontier = m_frontier;
        query.nonPersistent = m_nonPersistent;
        Watch watch{common().quiet ? std::string{} : "Solving", m_timeLimit};
        solve::ChainAnswer solved = orThrow(solve::solveChain(chain, query, watch.context()));
        Answer answer;
        answer.json = answerJson(solved, m_budget);
        answer.json["seconds"] = clock.seconds();
        answer.text = answerText(solved);
        if (!hasSchedule(solved)) {
            answer.exit = Exit::NoPlan;
            answer.error = noScheduleText(solved);
        }
        return answer;
    }

private:
    [[nodiscard]] std::string noScheduleText(const solve::ChainAnswer& answer) const
    {
        return fmt::format(
            "{} within {}; {}, none can be below {}.",
            answer.status == solve::Status::Infeasible ? "No schedule exists"
            : answer.stopped ? "The search was stopped early; no schedule was found yet"
                             : "No schedule was found",
            m_budget,
            answer.smallestKnownBudget ? fmt::format("the smallest budget with a schedule is {}",
                                                     *answer.smallestKnownBudget)
                                       : "no budget with a schedule is known",
            answer.lowerBoundPeak);
    }

    std::string m_file;
    std::int64_t m_budget = 0;
    std::optional<int> m_slots;
    std::string m_recurrence = "corrected";
    std::optional<double> m_timeLimit;
    bool m_frontier = false;
    bool m_nonPersistent = false;
};

} // namespace

std::unique_ptr<Verb> solveChainVerb(CLI::App& solve)
{
    return std::make_unique<SolveChain>(solve);
}

} // namespace plimsoll::cli
