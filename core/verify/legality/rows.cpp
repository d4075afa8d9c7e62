// SPDX-License-Identifier: Apache-2.0
#include "core/verify/code.h"
#include "core/verify/faults.h"
#include "core/verify/legality/legality.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::plan::verifying {

namespace {

using graph::OpId;
using graph::OpIndex;
using graph::Program;
using graph::StorageId;

/// The engine's node that stores a gradient in `.grad`.
constexpr std::string_view kStoresGradient = "AccumulateGrad";

std::optional<std::string> whyNotAgain(const Program& program, OpId id)
{
    const graph::Op& op = program.op(id);
    if (op.isCollective)
        return "which is a collective: the other processes don't recompute it";
    if (op.node >= 0 && program.nodes[static_cast<std::size_t>(op.node)] == kStoresGradient)
        return "which stores a gradient: it would be added twice where there is one already";
    if (leavesStatistics(program, op))
        return std::nullopt;
    for (const graph::TensorId tensor : op.writes)
        if (const StorageId storage = program.tensor(tensor).storage;
            program.storage(storage).alloc < 0)
            return fmt::format("which writes {}, memory that is older than the step",
                               nameOf(program, storage));
    return std::nullopt;
}

/// Checks the rows of a plan in order and tracks which ops have run.
class RecomputeRows
{
public:
    RecomputeRows(const Program& program, std::vector<Fault>& faults)
        : m_program{program}
        , m_faults{program, faults}
        , m_end{static_cast<OpIndex>(program.countBeforeOptimizer())}
        , m_hasRun(program.ops.size(), false)
    {
    }

    void check(const std::vector<RecomputeStep>& rows)
    {
        OpIndex last = graph::kBeforeStep;
        for (const RecomputeStep& row : rows) {
            if (row.before <= last || row.before >= m_end) {
                add("Ops are recomputed before op {}, which must be an op of forward, loss or "
                    "backward after op {}.",
                    row.before, last);
                continue;
            }
            for (OpIndex op = std::max(last, 0); op < row.before; ++op)
                runOwn(graph::opAt(op));
            last = row.before;
            if (m_hasRun[graph::opAt(last).index()])
                add("{} has already run ahead of its place, so nothing can run right before it "
                    "there.",
                    graph::opAt(last));
            for (std::size_t i = 0; i < row.ops.size(); ++i)
                checkOp(row, i);
        }
        for (OpIndex op = std::max(last, 0); op < m_end; ++op)
            runOwn(graph::opAt(op));
    }

private:
    void checkOp(const RecomputeStep& row, std::size_t i)
    {
        const OpId op = row.ops[i];
        if (op.index() >= static_cast<std::size_t>(m_end)
            || op.index() == static_cast<std::size_t>(row.before))
            add("Op {} is recomputed before op {}, but hasn't run by then.", op.index(),
                row.before);
        else if (i > 0 && row.ops[i - 1] >= op)
            add("{} is recomputed before op {} after op {}: recomputed ops must keep their order.",
                op, row.before, row.ops[i - 1].index());
        else if (!m_hasRun[op.index()])
            checkAhead(op, row.before);
        else if (const std::optional<std::string> reason = whyNotAgain(m_program, op))
            add("{} is recomputed before op {}, {}.", op, row.before, *reason);
    }

    /// Checks an op whose own execution is in a row, ahead of its recorded place.
    void checkAhead(OpId op, OpIndex before)
    {
        const auto backward = static_cast<OpIndex>(m_program.forwardCount());
        const bool changesPhase =
            before <= backward && static_cast<OpIndex>(op.index()) >= backward;
        if (changesPhase)
            add("{} would run before op {}: backward begins with its first op.", op, before);
        runOwn(op);
    }

    void runOwn(OpId op)
    {
        if (m_hasRun[op.index()])
            return;
        m_hasRun[op.index()] = true;
        const graph::Op& row = m_program.op(op);
        if (!row.isRandom && !row.isCollective)
            return;
        if (m_newestOrdered && *m_newestOrdered > op)
            add("{} runs after {}: ops that draw random numbers, and collectives, must keep their "
                "order.",
                op, *m_newestOrdered);
        m_newestOrdered = op;
    }

    template <typename... Values>
    void add(Sentence<Values...> sentence, const Values&... values)
    {
        m_faults.add<Values...>(FaultKind::IllegalRepeat, sentence, values...);
    }

    const Program& m_program;
    FaultList m_faults;
    OpIndex m_end; ///< first op of the optimizer
    std::vector<bool> m_hasRun;
    std::optional<OpId> m_newestOrdered; ///< that draws random numbers, or a collective
};

} // namespace

std::vector<Fault> repeatFaults(const Program& program, const RecomputeSchedule& plan)
{
    std::vector<Fault> faults;
    if (program.countBeforeOptimizer() == program.forwardCount())
        faults.push_back({FaultKind::IllegalRepeat,
                          "The graph has no backward, but runtime \"step\" executes training steps "
                          "only."});
    RecomputeRows{program, faults}.check(plan.recomputeSteps);
    return faults;
}

} // namespace plimsoll::plan::verifying
