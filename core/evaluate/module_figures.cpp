// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/module_figures.h"

#include "core/evaluate/live.h"

#include <algorithm>
#include <utility>

namespace plimsoll::plan {

namespace {

/// What becomes of the values that a module and those inside it make.
struct Values
{
    bool isKept = false;
    bool isInnerKept = false; ///< one that the module doesn't return
    bool isRecomputed = false;

    [[nodiscard]] ModuleDecision decision() const
    {
        if (!isRecomputed)
            return isKept ? ModuleDecision::Keep : ModuleDecision::None;
        return isInnerKept ? ModuleDecision::Part : ModuleDecision::Recompute;
    }
};

class Adder
{
public:
    Adder(const graph::Program& program, const graph::ModuleTree& tree,
          const Evaluation& evaluation)
        : m_tree{tree}
        , m_evaluation{evaluation}
        , m_figures(tree.nodes.size() + 1)
        , m_values(tree.nodes.size() + 1)
    {
        if (evaluation.timeline->stepCount() == 0)
            return;
        findResults(program);
        addPeak();
        addKept(program);
        addRecomputed(program);
        addTimes(program);
    }

    [[nodiscard]] std::vector<ModuleFigures> sums() &&
    {
        for (std::size_t node = m_tree.nodes.size(); node-- > 0;)
            if (const std::int32_t parent = m_tree.nodes[node].parent; parent >= 0)
                m_figures[static_cast<std::size_t>(parent)] += m_figures[node];
        for (std::size_t node = 0; node < m_figures.size(); ++node)
            m_figures[node].decision = m_values[node].decision();
        return std::move(m_figures);
    }

private:
    using Result = std::pair<graph::StorageId, std::int32_t>; ///< and the node that returns it

    void findResults(const graph::Program& program);
    void addPeak();
    void addKept(const graph::Program& program);
    void addRecomputed(const graph::Program& program);
    void addTimes(const graph::Program& program);
    [[nodiscard]] std::size_t slotOf(std::int32_t node) const
    {
        return node < 0 ? m_tree.nodes.size() : static_cast<std::size_t>(node);
    }
    [[nodiscard]] std::int32_t nodeOf(graph::StorageId storage) const
    {
        return m_tree.ofStorage[storage.index()];
    }
    void tellKept(graph::StorageId storage);
    void tellRecomputed(graph::StorageId storage);

    const graph::ModuleTree& m_tree;
    const Evaluation& m_evaluation;
    std::vector<ModuleFigures> m_figures;
    std::vector<Values> m_values;
    std::vector<Result> m_results; ///< sorted
};

void Adder::findResults(const graph::Program& program)
{
    for (const graph::Call& call : program.calls)
        if (const std::int32_t node = m_tree.ofModule[call.module.index()]; node >= 0)
            for (const graph::TensorId output : call.outputs)
                m_results.emplace_back(program.tensor(output).storage, node);
    std::ranges::sort(m_results);
}

void Adder::addPeak()
{
    for (const Live& live : liveAt(m_evaluation, m_evaluation.peakStep))
        if (live.storage)
            m_figures[slotOf(nodeOf(*live.storage))].atPeak += live.bytes;
}

/// What forward made and still is in memory at the step behind it, as evaluate() decides what a
/// plan spares.
void Adder::addKept(const graph::Program& program)
{
    const auto forward = program.forwardCount();
    if (forward == 0)
        return;
    const std::vector<std::int32_t>& steps = m_evaluation.schedule->stepOfOp;
    const auto end = static_cast<std::size_t>(
        *std::max_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(forward)));
    if (end + 1 >= m_evaluation.timeline->stepCount())
        return;
    for (const Live& live : liveAt(m_evaluation, end + 1)) {
        if (!live.storage || !live.maker || live.since > end)
            continue;
        m_figures[slotOf(nodeOf(*live.storage))].saved += live.bytes;
        tellKept(*live.storage);
    }
}

void Adder::addRecomputed(const graph::Program& program)
{
    for (const Recomputed& value : m_evaluation.recomputed) {
        const std::int32_t maker = m_tree.ofOp(program.op(value.op));
        m_figures[slotOf(maker)].recomputeTime += value.time;
        m_figures[slotOf(maker)].recomputed += value.bytes;
        if (value.bytes.count() > 0)
            tellRecomputed(value.storage);
    }
}

void Adder::addTimes(const graph::Program& program)
{
    const std::vector<Step>& steps = m_evaluation.schedule->steps;
    const timeline::Timeline& timeline = *m_evaluation.timeline;
    for (std::size_t step = 0; step < steps.size(); ++step)
        m_figures[slotOf(m_tree.ofOp(program.op(steps[step].op)))].time +=
            timeline.timeAt(step + 1) - timeline.timeAt(step);
}

void Adder::tellKept(graph::StorageId storage)
{
    std::int32_t node = nodeOf(storage);
    if (node < 0) {
        m_values.back().isKept = true;
        m_values.back().isInnerKept = true;
    }
    for (; node >= 0; node = m_tree.nodes[static_cast<std::size_t>(node)].parent) {
        Values& values = m_values[static_cast<std::size_t>(node)];
        values.isKept = true;
        if (!std::ranges::binary_search(m_results, Result{storage, node}))
            values.isInnerKept = true;
    }
}

void Adder::tellRecomputed(graph::StorageId storage)
{
    std::int32_t node = nodeOf(storage);
    if (node < 0)
        m_values.back().isRecomputed = true;
    for (; node >= 0; node = m_tree.nodes[static_cast<std::size_t>(node)].parent)
        m_values[static_cast<std::size_t>(node)].isRecomputed = true;
}

} // namespace

ModuleFigures& ModuleFigures::operator+=(const ModuleFigures& other)
{
    atPeak += other.atPeak;
    saved += other.saved;
    recomputed += other.recomputed;
    time += other.time;
    recomputeTime += other.recomputeTime;
    return *this;
}

std::vector<ModuleFigures> moduleFigures(const graph::Program& program,
                                         const graph::ModuleTree& tree,
                                         const Evaluation& evaluation)
{
    return Adder{program, tree, evaluation}.sums();
}

std::vector<StepRun> stepsOfModule(const graph::Program& program, const graph::ModuleTree& tree,
                                   std::int32_t node, const Schedule& schedule)
{
    std::vector<bool> isInside(tree.nodes.size());
    for (std::size_t i = 0; i < isInside.size(); ++i) {
        const std::int32_t parent = tree.nodes[i].parent;
        isInside[i] = static_cast<std::int32_t>(i) == node
                      || (parent >= 0 && isInside[static_cast<std::size_t>(parent)]);
    }
    std::vector<StepRun> runs;
    for (std::size_t step = 0; step < schedule.steps.size(); ++step) {
        const std::int32_t of = tree.ofOp(program.op(schedule.steps[step].op));
        if (of < 0 || !isInside[static_cast<std::size_t>(of)])
            continue;
        if (!runs.empty() && runs.back().last + 1 == step)
            runs.back().last = step;
        else
            runs.push_back({step, step});
    }
    return runs;
}

} // namespace plimsoll::plan
