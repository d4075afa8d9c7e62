// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/blocks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace plimsoll::solve {

namespace {

using graph::CallId;
using graph::Program;

bool follows(const graph::Call& before, const graph::Call& after)
{
    return after.first == before.last + 1 && before.outputs.size() == 1 && !after.inputs.empty()
           && after.inputs.front() == before.outputs.front();
}

/// The longest chain among siblings; of equally long ones that with most ops.
graph::Siblings chainIn(const Program& program, const graph::Siblings& siblings)
{
    graph::Siblings best;
    graph::Siblings chain;
    const auto rank = [&](const graph::Siblings& calls) {
        return std::pair{calls.size(), graph::opsOf(program, calls)};
    };
    for (const CallId call : siblings) {
        if (!chain.empty() && !follows(program.call(chain.back()), program.call(call)))
            chain.clear();
        chain.push_back(call);
        if (rank(chain) > rank(best))
            best = chain;
    }
    return best;
}

graph::Siblings longestOf(const Program& program, const std::vector<graph::Siblings>& groups)
{
    graph::Siblings best;
    for (const graph::Siblings& siblings : groups) {
        graph::Siblings chain = chainIn(program, siblings);
        if (std::pair{chain.size(), graph::opsOf(program, chain)}
            > std::pair{best.size(), graph::opsOf(program, best)})
            best = std::move(chain);
    }
    return best;
}

} // namespace

graph::Siblings longestChain(const Program& program)
{
    std::map<std::optional<CallId>, graph::Siblings> byParent;
    for (std::size_t index = 0; index < program.calls.size(); ++index)
        if (graph::isInForward(program, program.calls[index]))
            byParent[program.calls[index].parent].emplace_back(index);
    std::vector<graph::Siblings> groups;
    groups.reserve(byParent.size());
    for (auto& [parent, siblings] : byParent)
        groups.push_back(std::move(siblings));
    graph::Siblings any = longestOf(program, groups);
    graph::Siblings blocks = longestOf(program, graph::repeatedBlocks(program));
    graph::Siblings& chosen = 2 * blocks.size() >= any.size() ? blocks : any;
    return chosen.size() > 1 ? std::move(chosen) : graph::Siblings{};
}

std::vector<std::vector<OpRun>> runsOf(const Program& program,
                                       const std::vector<graph::Siblings>& groups)
{
    std::vector<std::vector<OpRun>> runs;
    runs.reserve(groups.size());
    for (const graph::Siblings& group : groups)
        runs.push_back({{program.call(group.front()).first, program.call(group.back()).last}});
    return runs;
}

} // namespace plimsoll::solve
