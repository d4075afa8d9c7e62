// SPDX-License-Identifier: Apache-2.0
#include "core/verify/faults.h"
#include "core/verify/replay/heap.h"
#include "core/verify/replay/replay.h"
#include "core/verify/replay/watch.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace plimsoll::plan::verifying {

namespace {

using graph::OpId;
using graph::OpIndex;
using graph::Program;
using graph::StorageId;

struct Execution
{
    OpId op;
    bool isRecomputed = false;
};

/// A storage that an execution uses: how often it had been written when the op ran in the
/// recording, and how often the op writes it. An execution has one entry per storage.
struct Touch
{
    StorageId storage;
    int version = 0;
    int writes = 0; ///< 0 or 1: an op is one write, however many of its tensors it goes to
};

/// Simulates a step: which instances are alive, and how often each was written.
class StepReplay
{
public:
    StepReplay(const Problem& problem, const RecomputeSchedule& plan, Verification& seen)
        : m_program{*problem.step()}
        , m_faults{m_program, seen.faults}
        , m_optimizer{static_cast<OpIndex>(m_program.countBeforeOptimizer())}
        , m_heap{m_program, problem.rounding}
        , m_watch{problem, seen}
        , m_makes(m_program.ops.size())
        , m_optimizerFrees(m_program.ops.size())
        , m_touches(m_program.ops.size())
        , m_writes(m_program.storages.size(), 0)
        , m_now(m_program.storages.size(), kNoInstance)
        , m_isWrong(m_program.storages.size(), false)
    {
        for (std::size_t i = 0; i < m_program.storages.size(); ++i) {
            const graph::Storage& storage = m_program.storages[i];
            if (storage.alloc >= 0)
                m_makes[static_cast<std::size_t>(storage.alloc)].emplace_back(i);
            if (storage.alloc >= m_optimizer && storage.free != graph::kNever)
                m_optimizerFrees[static_cast<std::size_t>(storage.free)].emplace_back(i);
        }
        line(plan);
        recordVersions();
        countUses();
    }

    void run()
    {
        begin();
        for (const Execution& execution : m_line)
            execute(execution);
        checkOutcomes();
    }

private:
    void line(const RecomputeSchedule& plan)
    {
        std::map<OpIndex, const std::vector<OpId>*> rows;
        for (const RecomputeStep& again : plan.recomputeSteps)
            rows[again.before] = &again.ops;
        std::vector<bool> hasRun(m_program.ops.size(), false);
        for (std::size_t op = 0; op < m_program.ops.size(); ++op) {
            if (const auto row = rows.find(static_cast<OpIndex>(op)); row != rows.end())
                for (const OpId listed : *row->second) {
                    m_line.push_back({listed, hasRun[listed.index()]});
                    hasRun[listed.index()] = true;
                }
            if (!hasRun[op])
                m_line.push_back({OpId{op}, false});
            hasRun[op] = true;
        }
    }

    /// Replays the recording and counts writes, to know the version that every op found.
    void recordVersions()
    {
        for (std::size_t op = 0; op < m_program.ops.size(); ++op) {
            const graph::Op& row = m_program.ops[op];
            std::map<StorageId, Touch> touched;
            const auto add = [&](const std::vector<graph::TensorId>& tensors, int writes) {
                for (const graph::TensorId tensor : tensors) {
                    const StorageId storage = m_program.tensor(tensor).storage;
                    Touch& touch = touched[storage];
                    touch = {storage, m_writes[storage.index()], std::max(touch.writes, writes)};
                }
            };
            add(row.reads, 0);
            add(row.outputs, 0);
            add(row.writes, 1);
            for (const auto& [storage, touch] : touched) {
                m_touches[op].push_back(touch);
                m_writes[storage.index()] += touch.writes;
            }
        }
    }

    /// Counts the uses of each instance, except its making. The receiver of the step's results
    /// counts as one use.
    void countUses()
    {
        std::vector<InstanceId> newest(m_program.storages.size(), kNoInstance);
        const auto make = [&](StorageId storage) {
            newest[storage.index()] = static_cast<InstanceId>(m_uses.size());
            m_uses.push_back(0);
        };
        for (std::size_t i = 0; i < m_program.storages.size(); ++i)
            if (m_program.storages[i].alloc < 0)
                make(StorageId{i});
        for (const Execution& execution : m_line) {
            for (const StorageId made : m_makes[execution.op.index()])
                make(made);
            for (const Touch& touch : touches(execution))
                if (const InstanceId used = newest[touch.storage.index()]; used != kNoInstance)
                    ++m_uses[static_cast<std::size_t>(used)];
        }
        for (const StorageId storage : outcomes())
            if (const InstanceId kept = newest[storage.index()]; kept != kNoInstance)
                ++m_uses[static_cast<std::size_t>(kept)];
    }

    void begin()
    {
        for (std::size_t i = 0; i < m_program.storages.size(); ++i)
            if (m_program.storages[i].alloc < 0) // its one holder is outside the step
                m_now[i] = m_heap.create(StorageId{i}, true);
    }

    void execute(const Execution& execution)
    {
        const std::size_t op = execution.op.index();
        const std::vector<StorageId>& makes = m_makes[op];
        for (const StorageId made : makes) {
            const InstanceId id = m_heap.create(made, !execution.isRecomputed);
            const int uses = isByRunner(made) ? m_uses[static_cast<std::size_t>(id)] : 0;
            for (int use = 0; use < uses; ++use)
                m_heap.acquire(id);
            m_now[made.index()] = id;
            m_isWrong[made.index()] = false;
        }
        const std::vector<Touch> touched = touches(execution);
        for (const Touch& touch : touched)
            if (std::ranges::find(makes, touch.storage) == makes.end())
                checkVersion(execution, touch);
        m_watch.step(static_cast<OpIndex>(op), execution.isRecomputed, m_heap);
        for (const Touch& touch : touched) {
            const InstanceId used = m_now[touch.storage.index()];
            if (touch.writes > 0)
                m_heap.write(used);
            if (isByRunner(touch.storage))
                m_heap.release(used);
        }
        for (const StorageId made : makes)
            if (isByRunner(made))
                m_heap.release(m_now[made.index()]);
        if (!execution.isRecomputed)
            for (const StorageId storage : m_optimizerFrees[op])
                m_heap.release(m_now[storage.index()]);
    }

    void checkVersion(const Execution& execution, const Touch& touch)
    {
        const std::size_t storage = touch.storage.index();
        const InstanceId found = m_now[storage];
        if (m_isWrong[storage])
            return;
        m_isWrong[storage] = true;
        if (!m_heap.isAlive(found)) {
            m_faults.add(found == kNoInstance ? FaultKind::UseBeforeCompute
                                              : FaultKind::UseAfterFree,
                         "{} reads {}, which isn't there.", describe(execution), touch.storage);
        } else if (const int version = m_heap.version(found); version > touch.version) {
            m_faults.add(FaultKind::OverwrittenInput,
                         "{} reads {}, which was overwritten since it was recorded: what computed "
                         "it must be recomputed first.",
                         describe(execution), touch.storage);
        } else if (version < touch.version) {
            m_faults.add(FaultKind::UseBeforeCompute,
                         "{} reads {}, which was recomputed without {}, which then wrote it.",
                         describe(execution), touch.storage, writer(touch.storage, version));
        } else {
            m_isWrong[storage] = false;
        }
    }

    /// The caller receives the newest instances of the loss and the gradients.
    void checkOutcomes()
    {
        for (const StorageId storage : outcomes())
            if (const InstanceId kept = m_now[storage.index()];
                isByRunner(storage) && m_heap.isAlive(kept)
                && m_heap.version(kept) != m_writes[storage.index()])
                m_faults.add(
                    FaultKind::UseBeforeCompute,
                    "The step ends with {}, which was recomputed without {}, which then wrote it.",
                    storage, writer(storage, m_heap.version(kept)));
    }

    /// The recorded op that found a storage in `version` and wrote it.
    [[nodiscard]] OpId writer(StorageId storage, int version) const
    {
        for (std::size_t op = 0; op < m_touches.size(); ++op)
            for (const Touch& touch : m_touches[op])
                if (touch.storage == storage && touch.writes > 0 && touch.version == version)
                    return OpId{op};
        return {};
    }

    /// A recomputation doesn't touch the statistics that the op would update.
    [[nodiscard]] std::vector<Touch> touches(const Execution& execution) const
    {
        std::vector<Touch> touched = m_touches[execution.op.index()];
        if (execution.isRecomputed)
            std::erase_if(touched, [&](const Touch& touch) {
                return touch.writes > 0 && m_program.storage(touch.storage).alloc < 0;
            });
        return touched;
    }

    /// Gradients and the values from which backward starts; if unknown, everything returned.
    [[nodiscard]] std::vector<StorageId> outcomes() const
    {
        const std::vector<bool> isStart = startOfBackward();
        std::vector<StorageId> returned;
        std::vector<StorageId> found;
        for (std::size_t i = 0; i < m_program.storages.size(); ++i)
            if (m_program.storages[i].storageClass == graph::StorageClass::Output) {
                returned.emplace_back(i);
                if (isStart[i])
                    found.emplace_back(i);
            }
        if (found.empty())
            found = std::move(returned);
        for (const graph::Parameter& parameter : m_program.parameters)
            if (parameter.gradient)
                found.push_back(*parameter.gradient);
        return found;
    }

    /// Storages that correspond to those that backward's first op reads: these storages themselves,
    /// the ones that they recompute in a rewritten step, and other copies of those.
    [[nodiscard]] std::vector<bool> startOfBackward() const
    {
        std::vector<bool> isStart(m_program.storages.size(), false);
        const auto first = std::ranges::find_if(m_program.ops, [](const graph::Op& op) {
            return op.phase == graph::Phase::Backward && !op.isRepetition;
        });
        if (first == m_program.ops.end())
            return isStart;
        for (const graph::TensorId tensor : first->reads)
            isStart[m_program.tensor(tensor).storage.index()] = true;
        const auto share = [&](std::size_t from, std::size_t to) {
            for (std::size_t i = 0; i < std::min(m_makes[from].size(), m_makes[to].size()); ++i)
                if (isStart[m_makes[from][i].index()])
                    isStart[m_makes[to][i].index()] = true;
        };
        // Recomputations follow the ops that they repeat: go back to those, then on to all copies.
        for (std::size_t op = m_makes.size(); op-- > 0;)
            if (const graph::Op& again = m_program.ops[op]; again.isRepetition && again.recomputeOf)
                share(op, again.recomputeOf->index());
        for (std::size_t op = 0; op < m_makes.size(); ++op)
            if (const graph::Op& again = m_program.ops[op]; again.isRepetition && again.recomputeOf)
                share(again.recomputeOf->index(), op);
        return isStart;
    }

    [[nodiscard]] bool isByRunner(StorageId storage) const
    {
        const OpIndex alloc = m_program.storage(storage).alloc;
        return alloc >= 0 && alloc < m_optimizer;
    }
    [[nodiscard]] std::string describe(const Execution& execution) const
    {
        return (execution.isRecomputed ? "The recomputation of " : "")
               + nameOf(m_program, execution.op);
    }

    const Program& m_program;
    FaultList m_faults;
    OpIndex m_optimizer; ///< first op of the optimizer
    Heap m_heap;
    Watch m_watch;
    std::vector<Execution> m_line;                        ///< all executions in order
    std::vector<std::vector<StorageId>> m_makes;          ///< by op
    std::vector<std::vector<StorageId>> m_optimizerFrees; ///< by op
    std::vector<std::vector<Touch>> m_touches;            ///< by op, as recorded
    std::vector<int> m_writes;                            ///< by storage: in the whole recording
    std::vector<int> m_uses;                              ///< by instance, in order of creation
    std::vector<InstanceId> m_now;                        ///< by storage: its newest instance
    std::vector<bool> m_isWrong; ///< by storage: a wrong version was reported; until recomputed
};

} // namespace

void replayStep(const Problem& problem, const RecomputeSchedule& plan, Verification& seen)
{
    StepReplay{problem, plan, seen}.run();
}

} // namespace plimsoll::plan::verifying
