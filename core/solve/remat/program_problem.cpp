// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/program_problem.h"

#include "core/device/op_times.h"
#include "core/solve/regions/recompute_closure.h"

#include <algorithm>
#include <set>

namespace plimsoll::solve {

namespace {

using graph::OpIndex;
using graph::Program;
using graph::StorageId;

/// Fills in one problem.
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

    void addValues(const plan::Schedule& schedule);
    void addOps();
    void addFloors(const plan::Evaluation& plain);

    const plan::Problem& m_source;
    const Program& m_program;
    RecomputeClosure m_closure;
    std::size_t m_ops;                    ///< that the runner runs
    std::vector<std::uint32_t> m_valueOf; ///< by storage
    RematProblem m_made;
};

/// The schedule's first instances are the storages' own lives; without repetitions its steps are
/// the ops.
void Adapter::addValues(const plan::Schedule& schedule)
{
    for (std::size_t index = 0; index < m_valueOf.size(); ++index)
        if (m_closure.isManaged(StorageId{index})) {
            m_valueOf[index] = static_cast<std::uint32_t>(m_made.values.size());
            m_made.values.push_back(
                {graph::rounded(m_program.storages[index].bytes, m_source.rounding).count(),
                 schedule.instances[index].free >= static_cast<std::int32_t>(m_ops)});
        }
}

void Adapter::addOps()
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
            m_made.ops[static_cast<std::size_t>(m_program.storages[index].alloc)].makes.push_back(
                m_valueOf[index]);
    for (const plan::Pin& pin : m_source.pins)
        if (pin.kind == plan::PinKind::Keep)
            for (const StorageId storage : pin.storages)
                m_made.ops[static_cast<std::size_t>(m_program.storage(storage).alloc)].mayRepeat =
                    false;
}

void Adapter::addFloors(const plan::Evaluation& plain)
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

} // namespace plimsoll::solve
