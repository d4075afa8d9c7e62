// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/solve_chain.h"

#include "core/base/try.h"
#include "core/solve/chain/rotor/chain_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::solve {

using base::ErrorKind;
using base::failure;
using base::JobContext;
using base::Result;

namespace {

Result<Simulation> checked(const Chain& chain, const Sequence& sequence)
{
    return simulate(chain, sequence).map_error([](const base::Error& error) {
        return base::Error{ErrorKind::Internal,
                           "The chain solver made a sequence that can't run: " + error.message};
    });
}

/// The peak of the schedule for the smallest budget that the table serves.
Result<std::optional<std::int64_t>> smallestPeak(const Chain& chain, const ChainTable& table)
{
    const std::vector<ChainFrontierPoint> points = table.frontier();
    if (points.empty())
        return std::nullopt;
    ASSIGN_OR_RETURN(const Sequence sequence,
                     table.sequenceAtSlots(table.slotsFor(points.front().budget)));
    return checked(chain, sequence).map([](const Simulation& run) {
        return std::optional{run.peak};
    });
}

/// The smallest budget known to work, whatever slots and budget the caller asked for: found with a
/// table up to keeping everything, then with a finer one up to that result.
Result<std::optional<std::int64_t>> smallestKnown(const Chain& chain, const ChainQuery& query,
                                                  std::int64_t whole, const JobContext& job)
{
    RotorOptions options = query.options;
    options.slots.reset();
    options.finest = true;
    options.recurrence = Recurrence::Corrected;
    std::optional<std::int64_t> best;
    for (std::int64_t budget = whole;;) {
        ASSIGN_OR_RETURN(const ChainTablePtr table, buildRotorTable(chain, budget, options, job));
        ASSIGN_OR_RETURN(std::optional<std::int64_t> peak, smallestPeak(chain, *table));
        const bool finer = peak && (!best || *peak < *best);
        if (finer)
            best = peak;
        if (!finer || table->exact() || budget < whole)
            return best.value_or(whole);
        budget = *best;
    }
}

/// Keeps the points that no other point beats in both makespan and budget, by ascending budget.
void keepBest(std::vector<ChainTradeOff>& points)
{
    std::ranges::sort(points, {}, [](const ChainTradeOff& point) {
        return std::pair{point.budget, point.makespan};
    });
    std::vector<ChainTradeOff> kept;
    for (const ChainTradeOff& point : points)
        if (kept.empty() || point.makespan * kEqualTimes < kept.back().makespan)
            kept.push_back(point);
    points = std::move(kept);
}

Result<void> addTradeOffs(const Chain& chain, const ChainTable& table, bool byPeak,
                          std::vector<ChainTradeOff>& points, const JobContext& job)
{
    for (const ChainFrontierPoint& point : table.frontier()) {
        if (job.stopRequested())
            return base::cancelled();
        ASSIGN_OR_RETURN(const auto sequence, table.sequenceAtSlots(table.slotsFor(point.budget)));
        ASSIGN_OR_RETURN(const Simulation run, checked(chain, sequence));
        points.push_back({byPeak ? run.peak : point.budget, run.makespan, run.peak});
    }
    return {};
}

/// The frontier of the existing table if the caller fixed its slots or its recurrence, else of a
/// table that extends up to keeping everything.
Result<void> addFrontier(const Chain& chain, const ChainQuery& query, const ChainTable& atHand,
                         const Simulation& whole, ChainAnswer& answer, const JobContext& job)
{
    const bool own = !query.options.slots && query.options.recurrence == Recurrence::Corrected;
    std::vector<ChainTradeOff> points;
    const auto addTable = [&](TableBuilder build, std::int64_t budget) {
        return build(chain, budget, query.options, job).and_then([&](const ChainTablePtr& table) {
            return addTradeOffs(chain, *table, own, points, job);
        });
    };
    RETURN_IF_ERROR(addTradeOffs(chain, atHand, own, points, job));
    if (own)
        RETURN_IF_ERROR(addTable(buildRotorTable, whole.peak));
    if (query.nonPersistent)
        RETURN_IF_ERROR(addTable(buildNonPersistentTable, own ? whole.peak : query.budget));
    if (own) {
        points.push_back({whole.peak, whole.makespan, whole.peak});
        if (!answer.operations.empty())
            points.push_back({answer.peak, answer.makespan, answer.peak});
    }
    keepBest(points);
    answer.frontier = std::move(points);
    return {};
}

Result<void> addSchedule(const Chain& chain, const ChainQuery& query, Sequence sequence,
                         ChainAnswer& answer)
{
    ASSIGN_OR_RETURN(const Simulation run, checked(chain, sequence));
    if (run.peak > query.budget && query.options.recurrence == Recurrence::Corrected)
        return failure(
            ErrorKind::Internal,
            fmt::format("The chain solver's schedule needs {} of {}.", run.peak, query.budget));
    answer.makespan = run.makespan;
    answer.peak = run.peak;
    if (run.peak <= query.budget)
        answer.status =
            run.makespan <= answer.baseMakespan * kEqualTimes ? Status::Optimal : Status::Feasible;
    answer.labels = dropsAnything(sequence) ? Labels{} : annotate(sequence, chain.stages());
    answer.regions = regionTree(answer.labels);
    answer.operations = std::move(sequence);
    return {};
}

/// Uses a non-persistent schedule where it is faster than the best one so far.
Result<void> addNonPersistent(const Chain& chain, const ChainQuery& query, ChainAnswer& answer,
                              const JobContext& job)
{
    ASSIGN_OR_RETURN(const ChainTablePtr table,
                     buildNonPersistentTable(chain, query.budget, query.options, job));
    Result<Sequence> sequence = table->sequence(query.budget);
    if (!sequence)
        return sequence.error().kind == ErrorKind::NotFound ? Result<void>{}
                                                            : tl::unexpected{sequence.error()};
    ASSIGN_OR_RETURN(const Simulation run, checked(chain, *sequence));
    if (!answer.operations.empty() && run.makespan * kEqualTimes >= answer.makespan)
        return {};
    return addSchedule(chain, query, *std::move(sequence), answer);
}

Result<void> checkQuery(const ChainQuery& query)
{
    if (query.budget < 0)
        return failure(ErrorKind::Usage,
                       fmt::format("A budget of {} is negative; use at least 0.", query.budget));
    if (query.options.slots && *query.options.slots < 1)
        return failure(
            ErrorKind::Usage,
            fmt::format("{} slots are too few for a table; use at least 1.", *query.options.slots));
    if (query.nonPersistent && query.options.recurrence == Recurrence::Peer)
        return failure(ErrorKind::Usage, "Non-persistent schedules are searched with the corrected "
                                         "recurrence: leave --recurrence peer out.");
    return {};
}

/// The number of slots at which a table of that many stages still fills almost instantly.
int coarseSlots(std::size_t stages)
{
    constexpr double kSteps = 2e9;
    constexpr double kMost = 500;
    const double cells = std::pow(static_cast<double>(stages) + 1, 3) / 6;
    return static_cast<int>(std::min(kSteps / cells, kMost));
}

/// The best known answer if filling the table was stopped: a schedule from a coarse table, else
/// keeping everything.
Result<ChainAnswer> withoutTable(const Chain& chain, const ChainQuery& query,
                                 const Simulation& whole, ChainAnswer answer)
{
    answer.stopped = true;
    answer.unit = 1;
    answer.smallestKnownBudget = whole.peak;
    Sequence found = whole.peak <= query.budget ? keepEverything(chain) : Sequence{};
    RotorOptions coarse = query.options;
    coarse.slots =
        static_cast<int>(std::min<std::int64_t>(coarseSlots(chain.stages()), query.budget));
    if (found.empty() && *coarse.slots > 0 && answer.status != Status::Infeasible) {
        ASSIGN_OR_RETURN(const auto table, buildRotorTable(chain, query.budget, coarse, {}));
        answer.unit = table->unit();
        Result<Sequence> sequence = table->sequence(query.budget);
        if (!sequence && sequence.error().kind != ErrorKind::NotFound)
            return tl::unexpected{sequence.error()};
        found = std::move(sequence).value_or(Sequence{});
    }
    if (found.empty())
        return answer;
    return addSchedule(chain, query, std::move(found), answer).map([&] {
        answer.smallestKnownBudget = std::min(answer.peak, whole.peak);
        return answer;
    });
}

/// Whether the slots may be so coarse that they hide a schedule that fits.
bool mayHide(const ChainQuery& query, const ChainAnswer& answer, std::int64_t smallest)
{
    if (query.options.recurrence != Recurrence::Corrected)
        return false;
    if (query.options.slots)
        return smallest <= query.budget;
    return !query.options.finest && !answer.exact && !answer.stopped
           && answer.status != Status::Infeasible;
}

ChainQuery finest(ChainQuery query)
{
    query.options.slots.reset();
    query.options.finest = true;
    return query;
}

} // namespace

Result<ChainAnswer> solveChain(const Chain& given, const ChainQuery& query, const JobContext& job)
{
    RETURN_IF_ERROR(validate(given));
    RETURN_IF_ERROR(checkQuery(query));
    const Chain chain = withLeftGradients(normalised(given));
    ASSIGN_OR_RETURN(const Simulation whole, checked(chain, keepEverything(chain)));
    ChainAnswer answer;
    answer.baseMakespan = whole.makespan;
    answer.lowerBoundPeak = peakLowerBound(chain);
    const bool possible = query.budget >= answer.lowerBoundPeak;
    answer.status = possible ? Status::NotFound : Status::Infeasible;

    // Below the bound the table only serves the frontier of the whole range.
    RotorOptions options = query.options;
    if (!possible && options.slots && query.budget < *options.slots)
        options.slots.reset();
    const Result<ChainTablePtr> table = buildRotorTable(chain, query.budget, options, job);
    if (!table && table.error().kind == ErrorKind::Cancelled)
        return withoutTable(chain, query, whole, std::move(answer));
    if (!table)
        return tl::unexpected{table.error()};
    answer.unit = (*table)->unit();
    answer.exact = (*table)->exact();
    Result<void> ok;
    if (Result<Sequence> sequence = (*table)->sequence(query.budget); sequence)
        ok = addSchedule(chain, query, std::move(*sequence), answer);
    else if (sequence.error().kind != ErrorKind::NotFound)
        return tl::unexpected{sequence.error()};
    if (ok && query.nonPersistent && possible)
        ok = addNonPersistent(chain, query, answer, job);
    if (ok && query.frontier)
        ok = addFrontier(chain, query, **table, whole, answer, job);
    answer.stopped = !ok && ok.error().kind == ErrorKind::Cancelled;
    if (!ok && !answer.stopped)
        return tl::unexpected{ok.error()};
    Result<std::optional<std::int64_t>> smallest =
        answer.operations.empty() ? smallestKnown(chain, query, whole.peak, job)
                                  : smallestPeak(chain, **table);
    if (!smallest && smallest.error().kind == ErrorKind::Cancelled) {
        answer.stopped = true;
        smallest = std::optional{whole.peak};
    }
    if (!smallest)
        return tl::unexpected{smallest.error()};
    if (answer.operations.empty() && mayHide(query, answer, smallest->value_or(INT64_MAX)))
        return solveChain(chain, finest(query), job);
    answer.smallestKnownBudget = *smallest;
    if (!answer.operations.empty())
        answer.smallestKnownBudget = std::min(smallest->value_or(answer.peak), answer.peak);
    return answer;
}

} // namespace plimsoll::solve
