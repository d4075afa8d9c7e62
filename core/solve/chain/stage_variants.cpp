// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/stage_variants.h"

#include "core/device/op_times.h"
#include "core/solve/regions/savable.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace plimsoll::solve {

namespace {

using graph::OpId;
using graph::OpIndex;
using graph::StorageId;

/// Results that a variant keeps together: those of one op, or of a random op and all random ops
/// after it, which would draw different numbers if it didn't run.
struct Results
{
    std::vector<OpId> ops;
    std::int64_t bytes = 0; ///< beyond what the stage hands on
    double time = 0;        ///< nanoseconds to recompute them
};

class VariantFinder
{
public:
    VariantFinder(const plan::Problem& problem, LinearizedStep& step)
        : m_problem{problem}
        , m_step{step}
        , m_isKeepable{keepableOps(problem)}
        , m_times{plan::opTimes(*problem.step(), problem.device)}
        , m_lastSaver(step.stages.size(), graph::kBeforeStep)
    {
        const graph::Program& program = *problem.step();
        for (const graph::Saved& saved : program.saved) {
            const auto at = static_cast<OpIndex>(saved.op.index());
            const auto next = std::ranges::upper_bound(m_step.stages, at, {}, &Stage::first);
            if (next == m_step.stages.begin())
                continue;
            const auto stage = static_cast<std::size_t>(next - m_step.stages.begin() - 1);
            if (at <= m_step.stages[stage].last)
                m_lastSaver[stage] = std::max(m_lastSaver[stage], at);
        }
    }

    [[nodiscard]] SavedByVariant run()
    {
        Chain& chain = m_step.chain;
        chain.variants.resize(chain.stages());
        chain.variantsOnce = true;
        SavedByVariant kept(chain.stages());
        for (std::size_t stage = 0; stage < chain.stages(); ++stage)
            if (chain.regions.mayCheckpoint(stage, stage))
                addVariants(stage, kept[stage]);
        return kept;
    }

private:
    [[nodiscard]] std::vector<StorageId> handedOnBy(std::size_t stage) const
    {
        std::vector<StorageId> values;
        if (stage + 1 < m_step.stages.size())
            values = m_step.stages[stage + 1].crossing;
        std::ranges::sort(values);
        return values;
    }

    [[nodiscard]] Results resultsOf(OpId op, const std::vector<StorageId>& handedOn) const
    {
        const graph::Program& program = *m_problem.step();
        Results results{{op}, 0, static_cast<double>(m_times[op.index()].count())};
        for (const graph::TensorId tensor : program.op(op).outputs)
            if (const StorageId storage = program.tensor(tensor).storage;
                !std::ranges::binary_search(handedOn, storage))
                results.bytes +=
                    graph::rounded(program.storage(storage).bytes, m_problem.rounding).count();
        return results;
    }

    /// Best time per byte first.
    [[nodiscard]] std::vector<Results> candidates(std::size_t stage) const
    {
        const std::vector<StorageId> handedOn = handedOnBy(stage);
        std::vector<Results> found;
        Results drawn; // of all random ops from here on
        bool mayDraw = true;
        for (OpIndex at = m_step.stages[stage].last; at >= m_step.stages[stage].first; --at) {
            const OpId op{static_cast<std::size_t>(at)};
            const bool isRandom = m_problem.step()->op(op).isRandom;
            const bool mayKeep = m_isKeepable[op.index()];
            mayDraw = mayDraw && (!isRandom || mayKeep);
            if (!(isRandom ? mayDraw : mayKeep && m_times[op.index()].count() > 0))
                continue;
            Results results = resultsOf(op, handedOn);
            if (isRandom) {
                drawn.ops.push_back(op);
                drawn.bytes += results.bytes;
                drawn.time += results.time;
                results = drawn;
            }
            if (at <= m_lastSaver[stage])
                found.push_back(std::move(results));
        }
        std::ranges::stable_sort(found, [](const Results& a, const Results& b) {
            return a.time * static_cast<double>(b.bytes) > b.time * static_cast<double>(a.bytes);
        });
        return found;
    }

    void addVariants(std::size_t stage, std::vector<std::vector<OpId>>& kept)
    {
        Chain& chain = m_step.chain;
        const StageVariant everything = chain.variant(stage, 0);
        const std::vector<StorageId> handedOn = handedOnBy(stage);
        double again = 0;
        for (OpIndex at = m_step.stages[stage].first; at <= m_lastSaver[stage]; ++at)
            again += static_cast<double>(m_times[static_cast<std::size_t>(at)].count());
        std::vector<StageVariant> variants;
        std::vector<std::vector<OpId>> sets;
        std::vector<OpId> ops;
        std::int64_t bytes = chain.x[stage + 1];
        for (const Results& results : candidates(stage)) {
            for (const OpId op : results.ops) {
                if (std::ranges::find(ops, op) != ops.end())
                    continue;
                const Results own = resultsOf(op, handedOn);
                ops.push_back(op);
                bytes += own.bytes;
                if (static_cast<OpIndex>(op.index()) <= m_lastSaver[stage])
                    again -= own.time;
            }
            if (bytes >= everything.xbar)
                break;
            StageVariant variant = everything;
            variant.xbar = bytes;
            variant.btime += again;
            // The whole stage is in memory while its backward runs.
            variant.btmp = std::max(everything.ftmp, everything.btmp) + (everything.xbar - bytes);
            variants.push_back(variant);
            std::ranges::sort(sets.emplace_back(ops));
        }
        for (std::size_t count = 1; count <= variants.size(); ++count)
            if (count * kMaxVariants / variants.size()
                > (count - 1) * kMaxVariants / variants.size()) {
                chain.variants[stage].push_back(variants[count - 1]);
                kept.push_back(std::move(sets[count - 1]));
            }
    }

    const plan::Problem& m_problem;
    LinearizedStep& m_step;
    std::vector<bool> m_isKeepable; ///< by op
    std::vector<base::Nanoseconds> m_times;
    std::vector<OpIndex> m_lastSaver; ///< by stage: last op that saves; recomputation ends there
};

} // namespace

SavedByVariant addStageVariants(const plan::Problem& problem, LinearizedStep& step)
{
    return VariantFinder{problem, step}.run();
}

} // namespace plimsoll::solve
