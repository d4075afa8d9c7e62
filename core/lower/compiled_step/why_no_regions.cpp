// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace plimsoll::plan {

namespace {

using graph::OpId;
using graph::OpIndex;

constexpr std::size_t kNameLength = 80; ///< of an op in a sentence

bool isForward(const graph::Op& op)
{
    return op.phase == graph::Phase::Forward || op.phase == graph::Phase::Loss;
}

/// Searches a schedule for the first thing that regions can't express.
class Search
{
public:
    Search(const graph::Program& program, const Plan& plan, const Schedule& schedule)
        : m_program{program}
        , m_plan{plan}
        , m_schedule{schedule}
        , m_rowsOf(program.ops.size())
        , m_maker(program.storages.size(), 0)
    {
        for (std::size_t row = 0; row < plan.recomputeSteps().size(); ++row)
            for (const OpId op : plan.recomputeSteps()[row].ops)
                m_rowsOf[op.index()].push_back(row);
    }

    std::optional<std::string> reason()
    {
        std::size_t inOrder = 0; // number of ops that ran in their recorded place
        for (std::size_t step = 0; step < m_schedule.steps.size(); ++step) {
            const Step& executed = m_schedule.steps[step];
            if (executed.region < 0 && executed.op.index() != inOrder++)
                return fmt::format(
                    "{} runs ahead of its place, before {}: regions keep the recorded order.",
                    name(executed.op), number(inOrder - 1));
            if (executed.region >= 0)
                if (std::optional<std::string> found = ofRepetition(step))
                    return found;
            for (const graph::TensorId made : m_program.op(executed.op).outputs)
                if (isMadeBy(made, executed.op))
                    m_maker[m_program.tensor(made).storage.index()] = step;
        }
        return std::nullopt;
    }

private:
    std::optional<std::string> ofRepetition(std::size_t step) const
    {
        const Step& executed = m_schedule.steps[step];
        const auto row = static_cast<std::size_t>(executed.region);
        const graph::Op& op = m_program.op(executed.op);
        if (!isForward(op))
            return fmt::format(
                "{} of backward is recomputed: regions recompute forward and loss only.",
                name(executed.op));
        if (isForward(m_program.op(graph::opAt(m_plan.recomputeSteps()[row].before))))
            return fmt::format(
                "{} is recomputed in forward, before {}: regions are recomputed in backward only.",
                name(executed.op), place(row));
        for (const std::vector<graph::TensorId>* tensors : {&op.reads, &op.writes, &op.outputs})
            for (const graph::TensorId tensor : *tensors) {
                const graph::StorageId storage = m_program.tensor(tensor).storage;
                const Step& maker = m_schedule.steps[m_maker[storage.index()]];
                if (m_program.storage(storage).alloc < 0 || isMadeBy(tensor, executed.op)
                    || maker.region != executed.region)
                    continue;
                if (std::optional<std::string> found = ofPair(maker.op, executed.op, row))
                    return found;
            }
        return std::nullopt;
    }

    /// In the row, `to` uses what `from` has made there. So a region around one of them that is
    /// recomputed in an earlier row contains both.
    [[nodiscard]] std::optional<std::string> ofPair(OpId from, OpId to, std::size_t row) const
    {
        for (const auto& [one, other] : {std::pair{from, to}, std::pair{to, from}})
            for (const std::size_t before : m_rowsOf[one.index()])
                if (before < row && !runsAgain(other, before))
                    return fmt::format("{} is recomputed before {} without {}, and with it before "
                                       "{}: nested regions recompute both in either place.",
                                       name(one), place(before), number(other.index()), place(row));
        return ofPart(from, to, row);
    }

    /// A region around both also contains all ops between them.
    [[nodiscard]] std::optional<std::string> ofPart(OpId from, OpId to, std::size_t row) const
    {
        for (std::size_t between = from.index() + 1; between < to.index(); ++between) {
            if (m_rowsOf[between].empty() || runsAgain(OpId{between}, row))
                continue;
            for (const std::size_t apart : m_rowsOf[between])
                if (!runsAgain(from, apart) || !runsAgain(to, apart))
                    return fmt::format("{} and {} are recomputed together before {}, {} between "
                                       "them only before {}: a region is recomputed as a whole.",
                                       name(from), number(to.index()), place(row), number(between),
                                       place(apart));
        }
        return std::nullopt;
    }

    [[nodiscard]] bool isMadeBy(graph::TensorId tensor, OpId op) const
    {
        return m_program.storageOf(tensor).alloc == static_cast<OpIndex>(op.index());
    }
    [[nodiscard]] bool runsAgain(OpId op, std::size_t row) const
    {
        return std::ranges::binary_search(m_rowsOf[op.index()], row);
    }
    static std::string number(std::size_t op) { return fmt::format("op {}", op); }
    [[nodiscard]] std::string name(OpId op) const
    {
        return fmt::format("Op {} ({})", op.index(),
                           base::printable(m_program.label(m_program.op(op)), kNameLength));
    }
    [[nodiscard]] std::string place(std::size_t row) const
    {
        return number(static_cast<std::size_t>(m_plan.recomputeSteps()[row].before));
    }

    const graph::Program& m_program;
    const Plan& m_plan;
    const Schedule& m_schedule;
    std::vector<std::vector<std::size_t>> m_rowsOf; ///< by op: rows that name it, rising
    std::vector<std::size_t> m_maker;               ///< by storage: step that made it last
};

} // namespace

std::string whyNoRegions(const graph::Program& program, const Plan& plan, const Schedule& schedule)
{
    if (plan.recomputeSteps().empty())
        return {};
    return Search{program, plan, schedule}.reason().value_or(
        "Every value is freed right after its last use: under regions autograd and the model's "
        "variables hold some for longer.");
}

} // namespace plimsoll::plan
