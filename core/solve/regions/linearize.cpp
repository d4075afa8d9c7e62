// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/linearize.h"

#include "core/base/try.h"
#include "core/device/op_times.h"
#include "core/lower/checkpoint/model_code.h"
#include "core/solve/regions/region_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace plimsoll::solve {

namespace {

using graph::OpIndex;
using graph::StorageId;

/// Replays the recorded step stage by stage.
class Linearizer
{
public:
    Linearizer(const plan::Problem& problem, Residuals residuals, std::size_t mostStages)
        : m_problem{problem}
        , m_program{*problem.step()}
        , m_residuals{residuals}
        , m_mostStages{mostStages}
        , m_times{plan::opTimes(m_program, problem.device)}
        , m_forwardOps{static_cast<OpIndex>(m_program.forwardCount())}
    {
    }

    LinearizedStep run(const RegionSpace& space, CutRule cuts) &&
    {
        cut(cuts);
        valuesAndTimes();
        lastSaves();
        savedSets();
        forwardTemporaries(space.granularity());
        backwardTemporaries();
        fixedBytes();
        regions(space);
        return std::move(m_step);
    }

private:
    void cut(CutRule rule)
    {
        const Cuts cuts{m_program, rule, m_mostStages};
        const std::vector<OpIndex>& positions = cuts.positions();
        m_stageOf.assign(static_cast<std::size_t>(m_forwardOps), 0);
        for (std::size_t i = 0; i < positions.size(); ++i) {
            const OpIndex end = i + 1 < positions.size() ? positions[i + 1] : m_forwardOps;
            m_step.stages.push_back({positions[i], end - 1, moduleAround(positions[i], end - 1),
                                     cuts.crossing(positions[i]), std::nullopt});
            for (OpIndex op = positions[i]; op < end; ++op)
                m_stageOf[static_cast<std::size_t>(op)] = i;
        }
    }

    void valuesAndTimes()
    {
        const std::size_t count = m_step.stages.size();
        Chain& chain = m_step.chain;
        chain.ftime.assign(count, 0);
        chain.btime.assign(count + 1, 0);
        chain.x.assign(count + 1, 0);
        for (const StorageId input : m_step.stages.front().crossing)
            chain.x[0] += bytesOf(input);
        for (std::size_t stage = 0; stage < count; ++stage)
            for (const StorageId value : handedOn(stage))
                chain.x[stage + 1] += bytesOf(value);
        std::size_t stage = count - 1; // backward begins with the last stage
        for (std::size_t at = 0; at < m_program.ops.size(); ++at) {
            const graph::Op& op = m_program.ops[at];
            const auto time = static_cast<double>(m_times[at].count());
            if (at < m_stageOf.size()) {
                chain.ftime[m_stageOf[at]] += time;
            } else if (op.phase == graph::Phase::Backward) {
                if (op.forwardOp && op.forwardOp->index() < m_stageOf.size())
                    stage = m_stageOf[op.forwardOp->index()];
                chain.btime[stage] += time;
            }
        }
    }

    void lastSaves()
    {
        std::vector<double> before(m_stageOf.size() + 1,
                                   0.0); // by op: time of earlier ops in its stage
        for (std::size_t op = 0; op < m_stageOf.size(); ++op) {
            const bool isFirst = op == 0 || m_stageOf[op - 1] != m_stageOf[op];
            before[op + 1] =
                (isFirst ? 0.0 : before[op]) + static_cast<double>(m_times[op].count());
        }
        for (const graph::Saved& saved : m_program.saved) {
            const std::size_t op = saved.op.index();
            if (op >= m_stageOf.size())
                continue;
            Stage& stage = m_step.stages[m_stageOf[op]];
            const auto own = static_cast<double>(m_times[op].count());
            stage.lastSave = std::max(stage.lastSave.value_or(0.0),
                                      before[op + 1] - (saved.afterKernel ? 0.0 : own));
        }
        for (std::size_t stage = 0; stage < m_step.stages.size(); ++stage)
            m_step.chain.ftail.push_back(m_step.chain.ftime[stage]
                                         - m_step.stages[stage].lastSave.value_or(0.0));
    }

    /// Computes xbar: what the stage's saved tensors hold for backward, plus its output.
    void savedSets()
    {
        const std::size_t count = m_step.stages.size();
        std::vector<std::vector<StorageId>> kept(count);
        for (const graph::Saved& saved : m_program.saved) {
            const StorageId storage = m_program.tensor(saved.tensor).storage;
            if (!saved.unpack || saved.op.index() >= m_stageOf.size())
                continue;
            const std::size_t stage = m_stageOf[saved.op.index()];
            if (m_program.storage(storage).alloc >= m_step.stages[stage].first)
                kept[stage].push_back(storage);
        }
        m_step.chain.xbar.assign(count + 1, m_step.chain.x[0]);
        for (std::size_t stage = 0; stage < count; ++stage) {
            for (const StorageId value : handedOn(stage))
                kept[stage].push_back(value);
            std::sort(kept[stage].begin(), kept[stage].end());
            kept[stage].erase(std::unique(kept[stage].begin(), kept[stage].end()),
                              kept[stage].end());
            std::int64_t bytes = 0;
            for (const StorageId storage : kept[stage])
                bytes += bytesOf(storage);
            m_step.chain.xbar[stage + 1] = bytes;
        }
    }

    /// Computes ftmp: what is alive inside a stage beyond its output (when run without saving) or
    /// beyond what it keeps (when run with saving).
    void forwardTemporaries(plan::Granularity granularity)
    {
        const std::size_t count = m_step.stages.size();
        m_step.chain.ftmp.assign(count, 0);
        std::vector<std::vector<std::int64_t>> live(
            2, std::vector<std::int64_t>(static_cast<std::size_t>(m_forwardOps) + 1, 0));
        const std::vector<OpIndex> held = granularity == plan::Granularity::Op
                                              ? plan::ModelCode{m_program}.holds()
                                              : plan::recordedPythonHolds(m_program);
        const std::vector<OpIndex> saved = savedUntil();
        for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
            const graph::Storage& storage = m_program.storages[index];
            if (storage.alloc < 0 || storage.alloc >= m_forwardOps)
                continue;
            const std::int64_t bytes = graph::rounded(storage.bytes, m_problem.rounding).count();
            const OpIndex end =
                m_step.stages[m_stageOf[static_cast<std::size_t>(storage.alloc)]].last;
            for (const bool saving : {false, true}) {
                std::vector<std::int64_t>& delta = live[saving ? 1 : 0];
                delta[static_cast<std::size_t>(storage.alloc)] += bytes;
                delta[static_cast<std::size_t>(
                          std::min(saving ? std::max(held[index], saved[index]) : held[index], end))
                      + 1] -= bytes;
            }
        }
        for (std::vector<std::int64_t>& delta : live)
            for (std::size_t op = 1; op < delta.size(); ++op)
                delta[op] += delta[op - 1];
        for (std::size_t op = 0; op < m_stageOf.size(); ++op) {
            const std::size_t stage = m_stageOf[op];
            const std::int64_t beyond = std::max(live[0][op] - m_step.chain.x[stage + 1],
                                                 live[1][op] - m_step.chain.xbar[stage + 1]);
            m_step.chain.ftmp[stage] = std::max(m_step.chain.ftmp[stage], beyond);
        }
    }

    /// Computes btmp: what backward has made and not yet freed during a stage's ops, beyond the
    /// gradient of the stage's output.
    void backwardTemporaries()
    {
        const std::size_t count = m_step.stages.size();
        m_step.chain.btmp.assign(count + 1, 0);
        const auto ops = static_cast<OpIndex>(m_program.ops.size());
        std::vector<std::int64_t> live(m_program.ops.size() + 1, 0);
        for (const graph::Storage& storage : m_program.storages) {
            if (storage.alloc < m_forwardOps
                || storage.storageClass == graph::StorageClass::Gradient)
                continue;
            const std::int64_t bytes = graph::rounded(storage.bytes, m_problem.rounding).count();
            live[static_cast<std::size_t>(storage.alloc)] += bytes;
            if (storage.free < ops)
                live[static_cast<std::size_t>(storage.free) + 1] -= bytes;
        }
        std::size_t stage = count - 1;
        std::int64_t alive = 0;
        for (std::size_t at = 0; at < m_program.ops.size(); ++at) {
            alive += live[at];
            const graph::Op& op = m_program.ops[at];
            if (op.phase != graph::Phase::Backward)
                continue;
            if (op.forwardOp && op.forwardOp->index() < m_stageOf.size())
                stage = m_stageOf[op.forwardOp->index()];
            m_step.chain.btmp[stage] =
                std::max(m_step.chain.btmp[stage], alive - m_step.chain.x[stage + 1]);
        }
    }

    /// By storage: the last op index at which a node releases it.
    [[nodiscard]] std::vector<OpIndex> savedUntil() const
    {
        std::vector<OpIndex> until(m_program.storages.size(), graph::kBeforeStep);
        for (const graph::Saved& saved : m_program.saved) {
            OpIndex& opIndex = until[m_program.tensor(saved.tensor).storage.index()];
            opIndex = std::max(opIndex, saved.released);
        }
        return until;
    }

    void fixedBytes()
    {
        std::int64_t fixed = m_problem.reserve.count();
        for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
            const graph::Storage& storage = m_program.storages[index];
            const bool lasting = storage.alloc < 0 && storage.free == graph::kNever;
            if (lasting || storage.storageClass == graph::StorageClass::Gradient)
                fixed += bytesOf(StorageId{index});
        }
        m_step.fixed = base::Bytes{fixed - m_step.chain.x[0]};
    }

    void regions(const RegionSpace& space)
    {
        const std::size_t count = m_step.stages.size();
        m_step.chain.regions = RegionMask{count, false};
        for (std::size_t first = 0; first < count; ++first) {
            const std::vector<OpIndex> ends = space.endsFrom(m_step.stages[first].first);
            for (std::size_t last = first; last < count; ++last)
                if (std::binary_search(ends.begin(), ends.end(), m_step.stages[last].last))
                    m_step.chain.regions.set(first, last, true);
        }
    }

    [[nodiscard]] std::int64_t bytesOf(StorageId storage) const
    {
        return graph::rounded(m_program.storage(storage).bytes, m_problem.rounding).count();
    }

    [[nodiscard]] std::string moduleAround(OpIndex first, OpIndex last) const
    {
        std::string path;
        for (const graph::Call& call :
             m_program.calls) // parents come first: the last match is the innermost
            if (call.first <= first && call.last >= last)
                path = m_program.module(call.module).path;
        return path;
    }

    /// The values in stage i's output that are charged to it.
    [[nodiscard]] std::vector<StorageId> handedOn(std::size_t stage) const
    {
        const std::vector<Stage>& stages = m_step.stages;
        if (stage + 1 >= stages.size())
            return {};
        std::vector<StorageId> values = stages[stage + 1].crossing;
        if (m_residuals == Residuals::FirstCut)
            std::erase_if(values, [&](StorageId value) {
                return m_program.storage(value).alloc < stages[stage].first;
            });
        return values;
    }

    const plan::Problem& m_problem;
    const graph::Program& m_program;
    Residuals m_residuals;
    std::size_t m_mostStages;
    std::vector<base::Nanoseconds> m_times;
    OpIndex m_forwardOps = 0;
    std::vector<std::size_t> m_stageOf; ///< by forward or loss op
    LinearizedStep m_step;
};

} // namespace

base::Result<LinearizedStep> linearize(const plan::Problem& problem, const RegionSpace& space,
                                       Residuals residuals, std::size_t mostStages,
                                       std::optional<CutRule> cuts)
{
    if (problem.step()->forwardCount() == 0)
        return base::failure(base::ErrorKind::File,
                             "The graph has no forward ops: there is nothing to plan.");
    if (const std::int64_t count = problem.step()->header.microSteps; count > 1)
        return base::failure(
            base::ErrorKind::Usage,
            fmt::format("The graph has {} micro-steps, which can't be planned together: plan a "
                        "trace with micro_steps=1 and apply the plan, which then runs in each.",
                        count));
    RETURN_IF_ERROR(takesRegions(*problem.step()));
    return Linearizer{problem, residuals, mostStages}.run(
        space, cuts.value_or(cutRuleOf(space.granularity())));
}

} // namespace plimsoll::solve
