// SPDX-License-Identifier: Apache-2.0
#include "core/lower/lower.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace plimsoll::plan {

namespace {

using graph::OpId;
using graph::OpIndex;
using graph::Program;
using graph::StorageClass;
using graph::StorageId;

constexpr std::int32_t kToTheEnd = INT32_MAX;

/// Builds the schedule of one plan; the rules and their names are those of STEP_RUNTIME.md.
class StepLowering
{
public:
    StepLowering(const Program& program, const RecomputeSchedule& plan)
        : m_program{program}
        , m_plan{plan}
        , m_runnerOps{static_cast<OpIndex>(program.countBeforeOptimizer())}
        , m_madeBy(program.ops.size())
        , m_newest(program.storages.size())
    {
    }

    Schedule run() &&
    {
        beginLives();
        m_schedule.stepOfOp.assign(m_program.ops.size(), -1);
        auto row = m_plan.recomputeSteps.begin();
        for (OpIndex op = 0; op < static_cast<OpIndex>(m_program.ops.size()); ++op) {
            if (row != m_plan.recomputeSteps.end() && row->before == op) {
                const auto number = static_cast<std::int32_t>(row - m_plan.recomputeSteps.begin());
                for (const OpId listed : row->ops)
                    if (hasRun(listed))
                        execute(listed, number);
                    else
                        executeOwn(listed);
                ++row;
            }
            if (!hasRun(graph::opAt(op)))
                executeOwn(graph::opAt(op));
        }
        endRecordedLives();
        for (const StorageId outcome : outcomes())
            if (isManaged(outcome))
                newest(outcome).free = kToTheEnd;
        return std::move(m_schedule);
    }

private:
    void beginLives()
    {
        for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
            const StorageId storage{index};
            m_newest[index] = index;
            m_schedule.instances.push_back({storage, -1, kToTheEnd, -1});
            if (const OpIndex alloc = m_program.storage(storage).alloc; alloc >= 0)
                m_madeBy[static_cast<std::size_t>(alloc)].push_back(storage);
        }
    }

    /// Executes one step: instances that it makes begin, those that it uses live until then.
    void execute(OpId op, std::int32_t row)
    {
        const auto step = static_cast<std::int32_t>(m_schedule.steps.size());
        m_schedule.steps.push_back({op, row});
        for (const StorageId made : m_madeBy[op.index()]) {
            if (row >= 0) {
                m_newest[made.index()] = m_schedule.instances.size();
                m_schedule.instances.push_back({made, step, step, row});
            } else {
                newest(made).alloc = newest(made).free = step;
            }
        }
        const graph::Op& executed = m_program.op(op);
        for (const std::vector<graph::TensorId>* tensors :
             {&executed.reads, &executed.writes, &executed.outputs})
            for (const graph::TensorId tensor : *tensors)
                if (const StorageId storage = m_program.tensor(tensor).storage; isManaged(storage))
                    newest(storage).free = step;
    }

    void executeOwn(OpId op)
    {
        m_schedule.stepOfOp[op.index()] = static_cast<std::int32_t>(m_schedule.steps.size());
        execute(op, -1);
    }
    [[nodiscard]] bool hasRun(OpId op) const { return m_schedule.stepOfOp[op.index()] >= 0; }

    /// Storages that the optimizer allocates live as recorded.
    void endRecordedLives()
    {
        for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
            const graph::Storage& storage = m_program.storages[index];
            if (storage.alloc >= m_runnerOps)
                m_schedule.instances[index].free =
                    storage.free == graph::kNever ? kToTheEnd : m_schedule.ownStep(storage.free);
        }
    }

    /// The storages still live when the step ends: gradients, and the loss, which the first op of
    /// backward reads (not counting recomputations in a step that is already rewritten). The runner
    /// returns nothing else that the recorded step returned.
    [[nodiscard]] std::vector<StorageId> outcomes() const
    {
        std::vector<StorageId> kept;
        for (const graph::Parameter& parameter : m_program.parameters)
            if (parameter.gradient)
                kept.push_back(*parameter.gradient);
        std::size_t backward = m_program.forwardCount();
        while (backward < static_cast<std::size_t>(m_runnerOps)
               && m_program.ops[backward].isRepetition)
            ++backward;
        std::vector<StorageId> returned;
        for (std::size_t index = 0; index < m_program.storages.size(); ++index)
            if (m_program.storages[index].storageClass == StorageClass::Output)
                returned.emplace_back(index);
        const std::size_t before = kept.size();
        if (backward < static_cast<std::size_t>(m_runnerOps)) {
            const std::vector<Place> places = this->places();
            std::set<Place> starts;
            for (const graph::TensorId tensor : m_program.ops[backward].reads)
                starts.insert(places[m_program.tensor(tensor).storage.index()]);
            std::ranges::copy_if(returned, std::back_inserter(kept), [&](StorageId storage) {
                return starts.contains(places[storage.index()]);
            });
        }
        if (kept.size() == before)
            kept.insert(kept.end(), returned.begin(), returned.end());
        return kept;
    }

    /// An op that isn't a recomputation, and the index among the storages that it makes.
    using Place = std::pair<std::size_t, std::size_t>;

    /// The place where each storage was first made: in an already rewritten step, the loss may be a
    /// later copy of the storage from which backward starts.
    [[nodiscard]] std::vector<Place> places() const
    {
        std::vector<Place> places(m_program.storages.size());
        for (std::size_t storage = 0; storage < places.size(); ++storage)
            places[storage] = {m_program.ops.size(), storage}; // older than the step: unique
        std::vector<std::size_t> recorded(
            m_program.ops.size()); // by op: the recorded op that it repeats
        for (std::size_t op = 0; op < recorded.size(); ++op) {
            const graph::Op& row = m_program.ops[op];
            recorded[op] =
                row.isRepetition && row.recomputeOf ? recorded[row.recomputeOf->index()] : op;
            for (std::size_t number = 0; number < m_madeBy[op].size(); ++number)
                places[m_madeBy[op][number].index()] = {recorded[op], number};
        }
        return places;
    }

    /// Whether the runner decides when a storage is freed.
    [[nodiscard]] bool isManaged(StorageId storage) const
    {
        const OpIndex alloc = m_program.storage(storage).alloc;
        return alloc >= 0 && alloc < m_runnerOps;
    }
    [[nodiscard]] Instance& newest(StorageId storage)
    {
        return m_schedule.instances[m_newest[storage.index()]];
    }

    const Program& m_program;
    const RecomputeSchedule& m_plan;
    OpIndex m_runnerOps;                          ///< ops of forward, loss and backward
    std::vector<std::vector<StorageId>> m_madeBy; ///< by op
    std::vector<std::size_t> m_newest;            ///< by storage: index of its newest instance
    Schedule m_schedule;
};

} // namespace

Schedule lower(const Program& program, const RecomputeSchedule& plan)
{
    return StepLowering{program, plan}.run();
}

} // namespace plimsoll::plan
