// SPDX-License-Identifier: Apache-2.0
#include "core/lower/lower.h"
#include "core/plan/plan_kinds.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::plan {

namespace {

using graph::CallId;
using graph::OpId;
using graph::OpIndex;
using graph::Program;
using graph::StorageClass;
using graph::StorageId;
using graph::TensorId;

/// Maps a recorded tensor to the rewritten step; nullopt if a recomputation runs without it.
using NewTensor = std::function<std::optional<TensorId>(TensorId)>;

/// Renames tensors in a call, `{"t": row}`; omitted ones become null.
void rename(nlohmann::ordered_json& value, const NewTensor& newTensor, std::size_t tensors)
{
    if (value.is_array()) {
        for (nlohmann::ordered_json& item : value)
            rename(item, newTensor, tensors);
        return;
    }
    if (!value.is_object())
        return;
    const auto tensor = value.find("t");
    if (tensor == value.end()) {
        for (nlohmann::ordered_json& item : value)
            rename(item, newTensor, tensors);
        return;
    }
    if (!tensor->is_number_unsigned() || tensor->get<std::size_t>() >= tensors)
        return;
    if (const auto renamed = newTensor(TensorId{tensor->get<std::size_t>()}))
        *tensor = renamed->index();
    else
        value = nullptr;
}

/// Writes a schedule's executions as a step. Instance k of the schedule becomes storage k, so
/// storages of the recorded step and their tensors keep their numbers.
class Rewriter
{
public:
    Rewriter(const Program& program, const Schedule& schedule)
        : m_from{program}
        , m_schedule{schedule}
        , m_hasCalls{!program.callTexts.ends.empty()}
        , m_newest(program.storages.size())
        , m_copyOf(program.tensors.size())
        , m_madeAgain(schedule.steps.size())
    {
    }

    base::Result<Program> run(const std::string& planner) &&
    {
        copyTables(planner);
        for (std::size_t step = 0; step < m_schedule.steps.size(); ++step)
            addOp(step);
        if (m_unknownCall)
            return base::failure(
                base::ErrorKind::File,
                fmt::format("Op {} is called with a number beyond 64 bits: trace the model again.",
                            m_unknownCall->index()));
        for (std::size_t row = 0; row < m_to.calls.size(); ++row)
            moveCall(row);
        for (graph::Parameter& parameter : m_to.parameters)
            if (parameter.gradient)
                parameter.gradient = newest(*parameter.gradient);
        classify();
        noteLastUses();
        m_to.checks = graph::recount(m_to);
        return std::move(m_to);
    }

private:
    /// A tensor in the newest copy of its storage.
    struct Copy
    {
        StorageId storage;
        std::optional<TensorId> tensor;
    };

    void copyTables(const std::string& planner)
    {
        m_to = m_from;
        m_to.header.execution = graph::kStepExecution;
        m_to.header.planner = planner;
        m_to.storages.clear();
        m_to.ops.clear();
        m_to.saved.clear();
        m_to.callTexts = {};
        if (m_to.vary)
            for (std::vector<graph::Law>* laws :
                 {&m_to.vary->storages, &m_to.vary->flops, &m_to.vary->bytesMoved})
                laws->clear(); // the laws of rows are appended with them
        m_to.ops.reserve(m_schedule.steps.size());
        addStorages();
    }

    void addStorages()
    {
        for (std::size_t index = 0; index < m_newest.size(); ++index)
            m_newest[index] = index;
        for (std::size_t index = 0; index < m_schedule.instances.size(); ++index) {
            const Instance& instance = m_schedule.instances[index];
            graph::Storage& storage = m_to.storages.emplace_back(m_from.storage(instance.storage));
            storage.alloc = instance.alloc;
            storage.free = instance.free;
            storage.pythonFree = instance.free; // nothing else holds it
            if (m_to.vary)
                m_to.vary->storages.push_back(m_from.vary->storages[instance.storage.index()]);
            if (instance.region >= 0)
                m_madeAgain[static_cast<std::size_t>(instance.alloc)].push_back(index);
        }
    }

    void addOp(std::size_t step)
    {
        for (const std::size_t made : m_madeAgain[step])
            m_newest[m_schedule.instances[made].storage.index()] = made;
        const Step& executed = m_schedule.steps[step];
        const bool isRecomputed = executed.region >= 0;
        const graph::Op& recorded = m_from.op(executed.op);
        const NewTensor newTensor = [&](TensorId tensor) -> std::optional<TensorId> {
            if (isRecomputed && isLeftOut(recorded, tensor))
                return std::nullopt;
            return current(tensor);
        };
        graph::Op& op = m_to.ops.emplace_back(recorded);
        if (m_to.vary) {
            m_to.vary->flops.push_back(m_from.vary->flops[executed.op.index()]);
            m_to.vary->bytesMoved.push_back(m_from.vary->bytesMoved[executed.op.index()]);
        }
        for (std::vector<TensorId>* tensors : {&op.reads, &op.writes, &op.outputs}) {
            std::vector<TensorId> renamed;
            for (const TensorId tensor : *tensors)
                if (const std::optional<TensorId> now = newTensor(tensor))
                    renamed.push_back(*now);
            *tensors = std::move(renamed);
        }
        if (op.forwardOp)
            op.forwardOp = graph::opAt(own(*op.forwardOp));
        if (op.recomputeOf)
            op.recomputeOf = graph::opAt(own(*op.recomputeOf));
        if (isRecomputed) {
            op.phase = m_schedule.phaseAt(m_from, step);
            op.recomputeOf = graph::opAt(own(executed.op));
            op.isRepetition = true;
            op.sequence = -1; // has no autograd node
        }
        if (m_hasCalls)
            addCall(executed.op, newTensor);
    }

    /// Calls begin with their first op and end with their last, whatever is recomputed in between.
    /// An empty call stands before an op of the enclosing call, or at its end.
    void moveCall(std::size_t row)
    {
        const graph::Call& recorded = m_from.calls[row];
        graph::Call& call = m_to.calls[row];
        const auto step = [&](OpIndex op) {
            return op < static_cast<OpIndex>(m_from.ops.size())
                       ? own(graph::opAt(op))
                       : static_cast<OpIndex>(m_to.ops.size());
        };
        if (!recorded.isEmpty()) {
            call.first = step(recorded.first);
            call.last = step(recorded.last);
            return;
        }
        call.first = step(recorded.first);
        if (recorded.parent && recorded.first > m_from.call(*recorded.parent).last)
            call.first = m_to.call(*recorded.parent).last + 1;
        call.last = call.first - 1;
    }

    /// The step returns the newest instances; earlier ones become ordinary values.
    void classify()
    {
        for (std::size_t index = 0; index < m_to.storages.size(); ++index)
            if (m_to.storages[index].storageClass == StorageClass::Output
                && newest(m_schedule.instances[index].storage) != StorageId{index})
                m_to.storages[index].storageClass = StorageClass::Activation;
    }

    void noteLastUses()
    {
        for (graph::Storage& storage : m_to.storages)
            storage.lastUse = graph::kBeforeStep;
        for (std::size_t op = 0; op < m_to.ops.size(); ++op) {
            const graph::Op& row = m_to.ops[op];
            for (const std::vector<TensorId>* tensors : {&row.reads, &row.writes, &row.outputs})
                for (const TensorId tensor : *tensors)
                    m_to.storages[m_to.tensor(tensor).storage.index()].lastUse =
                        static_cast<OpIndex>(op);
        }
    }

    void addCall(OpId op, const NewTensor& newTensor)
    {
        for (const std::size_t part : {std::size_t{0}, std::size_t{1}}) {
            auto call =
                nlohmann::ordered_json::parse(m_from.callTexts.of(op, part), nullptr, false);
            if (call.is_discarded())
                m_unknownCall = op;
            rename(call, newTensor, m_from.tensors.size());
            m_to.callTexts.add(
                call.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
        }
    }

    /// The tensor that ops running now use in place of a recorded tensor.
    [[nodiscard]] TensorId current(TensorId tensor)
    {
        const StorageId recorded = m_from.tensor(tensor).storage;
        const StorageId now = newest(recorded);
        if (now == recorded)
            return tensor;
        Copy& copy = m_copyOf[tensor.index()];
        if (!copy.tensor || copy.storage != now) {
            copy = {now, TensorId{m_to.tensors.size()}};
            m_to.tensors.push_back(m_from.tensor(tensor));
            m_to.tensors.back().storage = now;
            if (m_to.vary)
                m_to.vary->tensors.push_back(m_from.vary->tensors[tensor.index()]);
        }
        return *copy.tensor;
    }

    /// Whether it is one of the running statistics that a recomputation leaves alone
    /// (STEP_RUNTIME.md).
    [[nodiscard]] bool isLeftOut(const graph::Op& op, TensorId tensor) const
    {
        const StorageId storage = m_from.tensor(tensor).storage;
        return m_from.storage(storage).alloc < 0
               && std::ranges::any_of(op.writes, [&](TensorId written) {
                      return m_from.tensor(written).storage == storage;
                  });
    }

    [[nodiscard]] StorageId newest(StorageId storage) const
    {
        return StorageId{m_newest[storage.index()]};
    }
    [[nodiscard]] OpIndex own(OpId op) const { return m_schedule.stepOfOp[op.index()]; }

    const Program& m_from;
    const Schedule& m_schedule;
    bool m_hasCalls;
    std::vector<std::size_t> m_newest;                 ///< by recorded storage
    std::vector<Copy> m_copyOf;                        ///< by recorded tensor
    std::vector<std::vector<std::size_t>> m_madeAgain; ///< by step: instances recomputed there
    std::optional<OpId> m_unknownCall;                 ///< whose text can't be read
    Program m_to;
};

/// The first op in recorded order that runs after a step.
std::size_t firstBehind(const std::vector<std::int32_t>& places, std::int32_t step)
{
    return static_cast<std::size_t>(
        std::ranges::find_if(places, [step](std::int32_t place) { return place > step; })
        - places.begin());
}

} // namespace

base::Result<Program> rewrite(const Problem& problem, const Plan& plan, const Schedule& schedule)
{
    if (!kindOf(plan.runtime()).isProgram)
        return base::failure(base::ErrorKind::Usage,
                             "PyTorch's autograd runs this plan's regions, so it can't be written "
                             "out as a list of ops: make a plan for runtime step.");
    if (problem.parallel)
        return base::failure(
            base::ErrorKind::Usage,
            "A graph is the step of a single process: plan without data parallel to write it out.");
    const std::vector<std::int32_t>& places = schedule.stepOfOp;
    if (const auto late = std::ranges::is_sorted_until(places); late != places.end())
        return base::failure(base::ErrorKind::Usage,
                             fmt::format("This plan reorders ops: op {} runs before op {}, and a "
                                         "graph of such a step doesn't identify the model's ops. "
                                         "Export the plan itself, or plan with reorder off.",
                                         late - places.begin(), firstBehind(places, *late)));
    return Rewriter{*problem.step(), schedule}.run(plan.planner);
}

} // namespace plimsoll::plan
