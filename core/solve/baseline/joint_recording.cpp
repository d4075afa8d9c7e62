// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/joint_builder.h"
#include "core/solve/baseline/joint_graph.h"

#include <algorithm>
#include <set>

namespace plimsoll::solve {

namespace {

/// The engine's ops that store gradients; a compiled step returns the gradients instead.
bool isStoring(const graph::Program& program, const graph::Op& op)
{
    return op.node >= 0 && program.nodes[static_cast<std::size_t>(op.node)] == "AccumulateGrad";
}

/// The index after the last op of the first backward.
std::size_t endOfBackward(const graph::Program& program)
{
    std::size_t end = program.forwardCount();
    while (end < program.ops.size() && program.ops[end].phase == graph::Phase::Backward)
        ++end;
    return end;
}

/// Inputs come first, as in a compiled function.
void readInputs(const graph::Program& program, std::size_t end, JointBuilder& builder)
{
    std::set<graph::TensorId> made;
    for (std::size_t index = 0; index < end; ++index) {
        const graph::Op& op = program.ops[index];
        if (isStoring(program, op))
            continue;
        for (const graph::TensorId tensor : op.reads)
            if (program.storageOf(tensor).alloc < 0 && !made.contains(tensor))
                static_cast<void>(builder.read(tensor));
        made.insert(op.outputs.begin(), op.outputs.end());
    }
}

} // namespace

JointGraph jointGraph(const graph::Program& program)
{
    const std::size_t forward = program.forwardCount();
    const std::size_t end = endOfBackward(program);
    JointBuilder builder{program};
    readInputs(program, end, builder);
    for (std::size_t index = 0; index < end; ++index) {
        const graph::Op& op = program.ops[index];
        const bool isSeed = index == forward;
        if (isSeed) // backward begins with the gradient of the loss
            for (const graph::TensorId tensor : op.reads)
                builder.handOut(tensor);
        if (!isStoring(program, op))
            builder.add(graph::OpId{index}, isSeed);
    }
    return std::move(builder).take();
}

} // namespace plimsoll::solve
