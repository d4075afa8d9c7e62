// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/program_problem.h"

#include "core/device/op_times.h"
#include "core/solve/regions/recompute_closure.h"
#include "core/solve/remat/capuchin/capuchin_step.h"

#include <algorithm>
#include <set>
#include <utility>

namespace plimsoll::solve {

using graph::OpIndex;
using graph::Program;
using graph::StorageId;

namespace {

/// Builds one problem.
class Adapter
{
public:
    explicit Adapter(const plan::Problem& problem)
        : m_source{problem}
        , m_program{*problem.step()}
        , m_closure{m_program}
        , m_ops{m_program.countBeforeOptimizer()}
        , m_valueOf(m_program.storages.size(), kNoValue)
    {
    }

    RematProblem run() &&
    {
        const plan::EvaluationPtr plain =
            plan::evaluate(m_source, plan::keepEverything(plan::Runtime::CompiledStep));
        addValues(*plain->schedule);
        addOps();
        addFloors(*plain);
        return std::move(m_made);
    }

private:
    static constexpr std::uint32_t kNoValue = UINT32_MAX;

    /// The schedule's first instances are the storages as recorded; without recomputations its
    /// steps are the ops.
    void addValues(const plan::Schedule& schedule)
    {
        for (std::size_t index = 0; index < m_valueOf.size(); ++index)
            if (m_closure.isManaged(StorageId{index})) {
                m_valueOf[index] = static_cast<std::uint32_t>(m_made.values.size());
                m_made.values.push_back(
                    {graph::rounded(m_program.storages[index].bytes, m_source.rounding).count(),
                     schedule.instances[index].free >= static_cast<std::int32_t>(m_ops)});
            }
    }

    void addOps()
    {
        const std::vector<base::Nanoseconds> times = plan::opTimes(m_program, m_source.device);
        std::vector<OpIndex> lastWrite(m_program.storages.size(), graph::kBeforeStep);
        for (std::size_t op = 0; op < m_ops; ++op)
            for (const graph::TensorId tensor : m_program.ops[op].writes)
                lastWrite[m_program.tensor(tensor).storage.index()] = static_cast<OpIndex>(op);
        m_made.ops.resize(m_ops);
        for (std::size_t index = 0; index < m_ops; ++index) {
            RematOp& op = m_made.ops[index];
            const auto moment = static_cast<OpIndex>(index);
            op.time = static_cast<double>(times[index].count());
            op.mayRepeat = m_closure.isRepeatable(graph::OpId{index});
            std::set<StorageId> written;
            for (const graph::TensorId tensor : m_program.ops[index].writes)
                written.insert(m_program.tensor(tensor).storage);
            for (const StorageId storage : m_closure.touchedBy(graph::OpId{index})) {
                const std::uint32_t value = m_valueOf[storage.index()];
                if (value == kNoValue)
                    op.mayRepeat = op.mayRepeat && lastWrite[storage.index()] <= moment;
                else if (written.contains(storage) && m_program.storage(storage).alloc != moment)
                    op.overwrites.push_back(value);
                else if (m_program.storage(storage).alloc != moment)
                    op.reads.push_back(value);
            }
        }
        for (std::size_t index = 0; index < m_valueOf.size(); ++index)
            if (m_valueOf[index] != kNoValue)
                m_made.ops[static_cast<std::size_t>(m_program.storages[index].alloc)]
                    .makes.push_back(m_valueOf[index]);
        for (const plan::Pin& pin : m_source.pins)
            if (pin.kind == plan::PinKind::Keep)
                for (const StorageId storage : pin.storages)
                    m_made.ops[static_cast<std::size_t>(m_program.storage(storage).alloc)]
                        .mayRepeat = false;
    }

    void addFloors(const plan::Evaluation& plain)
    {
        std::vector<std::int64_t> change(m_ops + 1, 0);
        for (std::size_t index = 0; index < m_valueOf.size(); ++index) {
            if (m_valueOf[index] == kNoValue)
                continue;
            const plan::Instance& life = plain.schedule->instances[index];
            const std::int64_t size = m_made.values[m_valueOf[index]].size;
            change[static_cast<std::size_t>(life.alloc)] += size;
            if (life.free < static_cast<std::int32_t>(m_ops))
                change[static_cast<std::size_t>(life.free) + 1] -= size;
        }
        std::int64_t live = 0;
        for (std::size_t op = 0; op < m_ops; ++op) {
            live += change[op];
            m_made.floor.push_back(plain.timeline->totalAt(op).count() - live);
        }
    }

    const plan::Problem& m_source;
    const Program& m_program;
    RecomputeClosure m_closure;
    std::size_t m_ops;                    ///< that the runner runs
    std::vector<std::uint32_t> m_valueOf; ///< by storage
    RematProblem m_made;
};

} // namespace

RematProblem problemOf(const plan::Problem& problem)
{
    return Adapter{problem}.run();
}

plan::Plan stepPlanOf(const RematPlan& plan)
{
    plan::RecomputeSchedule made;
    for (const RematRecomputeStep& row : plan.recomputeSteps) {
        plan::RecomputeStep& again = made.recomputeSteps.emplace_back();
        again.before = static_cast<OpIndex>(row.before);
        for (const std::uint32_t op : row.ops)
            again.ops.emplace_back(op);
    }
    return {{}, {}, std::move(made)};
}

RematPlan rematPlanOf(const plan::Plan& plan)
{
    RematPlan made;
    for (const plan::RecomputeStep& row : plan.recomputeSteps()) {
        RematRecomputeStep& again = made.recomputeSteps.emplace_back();
        again.before = static_cast<std::uint32_t>(row.before);
        for (const graph::OpId op : row.ops)
            again.ops.push_back(static_cast<std::uint32_t>(op.index()));
    }
    return made;
}

RepeatedProblem::RepeatedProblem(const RematProblem& problem, std::vector<RematRecomputeStep> rows)
{
    m_problem.values = problem.values;
    for (std::uint32_t value = 0; value < problem.values.size(); ++value)
        m_valueOf.push_back(value);
    auto row = rows.begin();
    for (std::uint32_t op = 0; op < problem.ops.size(); ++op) {
        for (; row != rows.end() && row->before == op; ++row)
            for (const std::uint32_t again : row->ops)
                addOp(problem, again, op, true);
        addOp(problem, op, op, false);
    }
}

void RepeatedProblem::addOp(const RematProblem& from, std::uint32_t op, std::uint32_t stands,
                            bool isRecomputed)
{
    RematOp made = from.ops[op];
    for (std::uint32_t& value : made.makes) {
        if (isRecomputed) { // the current instance ends with its last use
            const std::uint32_t before = m_valueOf[value];
            m_valueOf[value] = static_cast<std::uint32_t>(m_problem.values.size());
            m_problem.values.push_back(m_problem.values[before]);
            m_problem.values[before].isKept = false;
        }
        value = m_valueOf[value];
    }
    for (std::vector<std::uint32_t>* used : {&made.reads, &made.overwrites})
        for (std::uint32_t& value : *used)
            value = m_valueOf[value];
    m_problem.ops.push_back(std::move(made));
    if (!from.floor.empty())
        m_problem.floor.push_back(from.floor[stands]);
    m_opOf.push_back(op);
    m_standsAt.push_back(stands);
}

RematPlan RepeatedProblem::original(const RematPlan& plan) const
{
    RematPlan made;
    const auto add = [&made](std::uint32_t before, std::uint32_t op) {
        if (made.recomputeSteps.empty() || made.recomputeSteps.back().before != before)
            made.recomputeSteps.push_back({before, {}});
        made.recomputeSteps.back().ops.push_back(op);
    };
    auto row = plan.recomputeSteps.begin();
    for (std::uint32_t op = 0; op < m_opOf.size(); ++op) {
        for (; row != plan.recomputeSteps.end() && row->before == op; ++row)
            for (const std::uint32_t again : row->ops)
                add(m_standsAt[op], m_opOf[again]);
        if (m_opOf[op] != m_standsAt[op])
            add(m_standsAt[op], m_opOf[op]);
    }
    for (RematRecomputeStep& again : made.recomputeSteps) {
        std::ranges::sort(again.ops);
        again.ops.erase(std::unique(again.ops.begin(), again.ops.end()), again.ops.end());
    }
    return made;
}

RematPlan RepeatedProblem::repeated(const RematPlan& plan) const
{
    RematPlan made;
    std::vector<std::uint32_t> newest(m_opOf.size()); // by the original's op: latest execution
    auto row = plan.recomputeSteps.begin();
    for (std::uint32_t index = 0; index < m_opOf.size(); ++index) {
        const std::uint32_t op = m_opOf[index];
        newest[op] = index;
        if (op != m_standsAt[index] || row == plan.recomputeSteps.end() || row->before != op)
            continue;
        RematRecomputeStep again{index, {}};
        for (const std::uint32_t other : row->ops)
            if (m_standsAt[newest[other]] != op)
                again.ops.push_back(newest[other]);
        std::ranges::sort(again.ops);
        if (!again.ops.empty())
            made.recomputeSteps.push_back(std::move(again));
        ++row;
    }
    return made;
}

std::optional<std::vector<RematRecomputeStep>> rowsOfPins(const plan::Problem& problem)
{
    std::vector<std::uint32_t> pinned;
    for (const plan::Pin& pin : problem.pins)
        if (pin.kind == plan::PinKind::Recompute)
            for (const StorageId storage : pin.storages)
                pinned.push_back(static_cast<std::uint32_t>(storage.index()));
    std::ranges::sort(pinned);
    pinned.erase(std::unique(pinned.begin(), pinned.end()), pinned.end());
    if (pinned.empty())
        return std::vector<RematRecomputeStep>{};
    const CapuchinStep step{problem};
    for (const std::uint32_t value : pinned)
        if (!step.graph().values[value].isCandidate)
            return std::nullopt;
    std::optional<std::vector<plan::RecomputeStep>> rows = step.rows(pinned);
    if (!rows)
        return std::nullopt;
    return rematPlanOf({{}, {}, plan::RecomputeSchedule{*std::move(rows)}}).recomputeSteps;
}

} // namespace plimsoll::solve
