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
Siblings chainIn(const Program& program, const Siblings& siblings)
{
    Siblings best;
    Siblings chain;
    const auto rank = [&](const Siblings& calls) {
        return std::pair{calls.size(), plan::opsOf(program, calls)};
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

Siblings longestOf(const Program& program, const std::vector<Siblings>& groups)
{
    Siblings best;
    for (const Siblings& siblings : groups) {
        Siblings chain = chainIn(program, siblings);
        if (std::pair{chain.size(), plan::opsOf(program, chain)}
            > std::pair{best.size(), plan::opsOf(program, best)})
            best = std::move(chain);
    }
    return best;
}

} // namespace

Siblings longestChain(const Program& program)
{
    std::map<std::optional<CallId>, Siblings> byParent;
    for (std::size_t index = 0; index < program.calls.size(); ++index)
        if (plan::isInForward(program, program.calls[index]))
            byParent[program.calls[index].parent].emplace_back(index);
    std::vector<Siblings> groups;
    groups.reserve(byParent.size());
    for (auto& [parent, siblings] : byParent)
        groups.push_back(std::move(siblings));
    Siblings any = longestOf(program, groups);
    Siblings blocks = longestOf(program, plan::repeatedBlocks(program));
    Siblings& chosen = 2 * blocks.size() >= any.size() ? blocks : any;
    return chosen.size() > 1 ? std::move(chosen) : Siblings{};
}

std::vector<std::vector<OpRun>> runsOf(const Program& program, const std::vector<Siblings>& groups)
{
    std::vector<std::vector<OpRun>> runs;
    runs.reserve(groups.size());
    for (const Siblings& group : groups)
        runs.push_back({{program.call(group.front()).first, program.call(group.back()).last}});
    return runs;
}

} // namespace plimsoll::solve
