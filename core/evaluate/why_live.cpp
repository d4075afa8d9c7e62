// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/why_live.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace plimsoll::plan {

namespace {

using graph::StorageClass;

/// Who holds an interval for backward.
struct Savers
{
    const graph::Saved* last = nullptr; ///< of those that hold it, the one that is read last
    std::size_t ops = 0;
};

Savers saversOf(const graph::Program& program, const Schedule& schedule, const Instance& instance)
{
    Savers savers;
    if (!schedule.saved || instance.region >= 0)
        return savers;
    std::set<graph::OpId> ops;
    for (const graph::Saved& saved : program.saved) {
        if (program.tensor(saved.tensor).storage != instance.storage || !saved.unpack
            || instance.free < schedule.ownStep(*saved.unpack))
            continue; // a plan may free it before
        ops.insert(saved.op);
        if (savers.last == nullptr || *saved.unpack > *savers.last->unpack)
            savers.last = &saved;
    }
    savers.ops = ops.size();
    return savers;
}

/// The parameter that a gradient or a state belongs to; null: none.
const graph::Parameter* parameterOf(const graph::Program& program, graph::StorageId storage)
{
    const auto owns = [&](const graph::Parameter& parameter) {
        return parameter.gradient == storage
               || std::ranges::find(parameter.states, storage) != parameter.states.end();
    };
    const auto at = std::ranges::find_if(program.parameters, owns);
    return at == program.parameters.end() ? nullptr : &*at;
}

bool isFreedInStep(const Instance& instance)
{
    return instance.free >= 0 && instance.free != INT32_MAX;
}

/// " It is freed after …"; empty: not within the step.
std::string untilText(const graph::Program& program, const Schedule& schedule,
                      const Instance& instance)
{
    if (!isFreedInStep(instance))
        return {};
    const Step& step = schedule.steps[static_cast<std::size_t>(instance.free)];
    return fmt::format(" It is freed after {} ({}), op {}.", program.label(program.op(step.op)),
                       step.region >= 0 ? "recomputed"
                                        : graph::phaseName(schedule.phaseAt(
                                            program, static_cast<std::size_t>(instance.free))),
                       step.op.index());
}

/// The end of a sentence about an op that uses it: whether it is freed then, or when.
std::string afterText(const graph::Program& program, const Schedule& schedule,
                      const Instance& instance, graph::OpIndex op)
{
    return instance.free == schedule.ownStep(op) ? std::string{", and then frees it."}
                                                 : "." + untilText(program, schedule, instance);
}

std::string savedText(const graph::Program& program, const Schedule& schedule,
                      const Instance& instance, const Savers& savers)
{
    const std::string others =
        savers.ops < 2
            ? std::string{}
            : fmt::format(" and {}", base::counted(savers.ops - 1, "other op", "other ops"));
    const graph::OpIndex reader = *savers.last->unpack;
    return fmt::format("{}{} {} it for backward, which reads it in {}, op {}{}",
                       program.label(program.op(savers.last->op)), others,
                       savers.ops < 2 ? "saves" : "save",
                       program.label(program.op(graph::opAt(reader))), reader,
                       afterText(program, schedule, instance, reader));
}

/// Of what no op saves for backward, or no longer.
std::string usedText(const graph::Program& program, const Schedule& schedule,
                     const Instance& instance)
{
    const graph::OpIndex lastUse = program.storage(instance.storage).lastUse;
    if (lastUse < 0)
        return untilText(program, schedule, instance);
    if (instance.free < schedule.ownStep(lastUse))
        return "The plan frees it, and backward computes it again."
               + untilText(program, schedule, instance);
    const graph::Op& last = program.op(graph::opAt(lastUse));
    const std::string use = fmt::format("{} ({}), op {}, uses it last", program.label(last),
                                        graph::phaseName(last.phase), lastUse);
    return instance.free == schedule.ownStep(lastUse)
               ? use + ", and it is freed then."
               : use + "." + untilText(program, schedule, instance);
}

/// What stays, whatever the step does with it; empty: it isn't that.
std::string stayingText(const graph::Program& program, graph::StorageId storage)
{
    switch (program.storage(storage).storageClass) {
    case StorageClass::Parameter: return "It is a parameter, which stays from step to step.";
    case StorageClass::Buffer: return "It is a buffer, which stays from step to step.";
    case StorageClass::OptimizerState:
        return "It is state of the optimizer, which stays from step to step.";
    case StorageClass::Gradient:
        return parameterOf(program, storage) == nullptr
                   ? "It is a gradient."
                   : "It is the gradient of a parameter, which stays until the optimizer has used "
                     "it and the program clears it.";
    case StorageClass::Scratch: return "The kernel takes it for itself while its op runs.";
    default: return {};
    }
}

} // namespace

std::string storageText(const graph::Program& program, graph::StorageId id)
{
    const graph::Storage& storage = program.storage(id);
    if (!storage.names.empty())
        return storage.names.front();
    if (const graph::Parameter* owner = parameterOf(program, id))
        return owner->name
               + (owner->gradient == id
                      ? std::string{", gradient"}
                      : fmt::format(", state {}", std::ranges::find(owner->states, id)
                                                      - owner->states.begin() + 1));
    if (storage.alloc < 0)
        return graph::className(storage.storageClass);
    return program.label(program.op(graph::opAt(storage.alloc)));
}

std::string shapeText(const graph::Program& program, graph::StorageId id)
{
    const auto first = std::ranges::find(program.tensors, id, &graph::Tensor::storage);
    if (first == program.tensors.end())
        return {};
    std::string text;
    for (const std::int64_t side : first->shape)
        text += fmt::format("{}{}", text.empty() ? "" : "x", side);
    return text + (text.empty() ? "" : " ") + program.dtypes[first->dtype];
}

std::string whyLive(const graph::Program& program, const Schedule& schedule, std::size_t instance)
{
    const Instance& of = schedule.instances[instance];
    if (const std::string stays = stayingText(program, of.storage); !stays.empty())
        return stays + untilText(program, schedule, of);
    if (of.region >= 0)
        return "The plan recomputes it for backward." + untilText(program, schedule, of);
    if (const Savers savers = saversOf(program, schedule, of); savers.last != nullptr)
        return savedText(program, schedule, of, savers);
    if (program.storage(of.storage).storageClass == StorageClass::Output)
        return "The step returns it." + untilText(program, schedule, of);
    return usedText(program, schedule, of);
}

} // namespace plimsoll::plan
