// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/hook_warnings.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace plimsoll::plan {

namespace {

using graph::OpIndex;
using graph::Program;

/// The first and last op of a forward range: a region, or a call of the model.
using Stretch = std::pair<OpIndex, OpIndex>;

/// The names of reduced parameters that are read in more than one range.
std::vector<std::string> usedInSeveral(const Problem& problem,
                                       const std::vector<Stretch>& stretches)
{
    const Program& program = *problem.step();
    std::vector<std::set<std::size_t>> users(program.storages.size());
    for (std::size_t stretch = 0; stretch < stretches.size(); ++stretch)
        for (OpIndex op = stretches[stretch].first; op <= stretches[stretch].second; ++op)
            for (const graph::TensorId tensor : program.op(graph::opAt(op)).reads)
                if (const graph::Tensor& row = program.tensor(tensor);
                    program.storage(row.storage).storageClass == graph::StorageClass::Parameter)
                    users[row.storage.index()].insert(stretch);
    std::vector<std::string> names;
    for (const ReducedGradient& gradient : problem.parallel->gradients) {
        const graph::Parameter& parameter = program.parameters[gradient.parameter];
        if (users[parameter.storage.index()].size() > 1)
            names.push_back(parameter.name);
    }
    return names;
}

std::string listed(const std::vector<std::string>& names)
{
    const std::string first = base::printable(names.front(), 60);
    return names.size() == 1 ? first : fmt::format("{} and {} more", first, names.size() - 1);
}

} // namespace

std::vector<std::string> hookWarnings(const Problem& problem, const Plan& plan)
{
    std::vector<std::string> sentences;
    if (problem.parallel->setting.manual || problem.parallel->setting.isSharded()
        || plan.regions().empty())
        return sentences;
    std::vector<Stretch> regions;
    for (const Region& region : plan.regions())
        regions.emplace_back(region.first, region.last);
    if (const std::vector<std::string> names = usedInSeveral(problem, regions); !names.empty())
        sentences.push_back(fmt::format(
            "Used in several regions: {}. With reentrant checkpoints DDP's gradient hooks would "
            "fire repeatedly; plimsoll.apply() makes non-reentrant ones. Alternatives for your own "
            "code: non-reentrant checkpoints, DDP's static_graph=True, or manual reduction.",
            listed(names)));
    std::vector<Stretch> runs;
    for (const graph::Call& call : problem.step()->calls)
        if (!call.parent && !call.isEmpty())
            runs.emplace_back(call.first, call.last);
    if (const std::vector<std::string> names = usedInSeveral(problem, runs); !names.empty())
        sentences.push_back(
            fmt::format("Used in several runs of the model: {}. Where their regions are recomputed "
                        "by reentrant checkpoints, DDP's gradient hooks fire repeatedly: use "
                        "non-reentrant ones, DDP's static_graph=True, or manual reduction.",
                        listed(names)));
    return sentences;
}

} // namespace plimsoll::plan
