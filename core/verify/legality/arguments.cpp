// SPDX-License-Identifier: Apache-2.0
#include "core/verify/legality/region_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace plimsoll::plan::verifying {

namespace {

using graph::Argument;
using graph::Structure;

std::vector<Argument> positional(const Structure& structure)
{
    std::vector<Argument> found;
    std::ranges::copy_if(structure.arguments, std::back_inserter(found),
                         [](const Argument& argument) { return argument.name.empty(); });
    return found;
}

const Argument* named(const Structure& structure, const std::string& name)
{
    const auto at = std::ranges::find(structure.arguments, name, &Argument::name);
    return at == structure.arguments.end() ? nullptr : &*at;
}

/// The arguments in which two calls differ, for example "argument 2", "causal".
std::vector<std::string> differences(const Structure& a, const Structure& b)
{
    std::vector<std::string> found;
    const std::vector<Argument> first = positional(a);
    const std::vector<Argument> second = positional(b);
    for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i)
        if (i >= first.size() || i >= second.size() || !(first[i] == second[i]))
            found.push_back(fmt::format("argument {}", i + 1));
    for (const auto& [one, other] : {std::pair{&a, &b}, std::pair{&b, &a}})
        for (const Argument& argument : one->arguments) {
            if (argument.name.empty() || std::ranges::find(found, argument.name) != found.end())
                continue;
            const Argument* twin = named(*other, argument.name);
            if (twin == nullptr || !(*twin == argument))
                found.push_back(argument.name);
        }
    if (found.empty() && a.arguments != b.arguments)
        found.emplace_back("their order");
    return found;
}

const Structure* structureOf(const graph::Program& program,
                             const std::optional<graph::StructureId>& id)
{
    return id ? &program.structure(*id) : nullptr;
}

/// Whether the first tensor is an argument that can be replaced by another tensor.
bool takesFirst(const Structure& structure)
{
    return !structure.slots.empty() && structure.slots.front().tensor == 0
           && !structure.slots.front().isAlias;
}

} // namespace

std::optional<std::string> passingFault(const graph::Program& program, const Region& region,
                                        std::size_t index)
{
    const graph::CallId headId = region.members.front();
    const graph::CallId giverId = region.members[index - 1];
    const graph::CallId takerId = region.members[index];
    const Structure* head = structureOf(program, program.call(headId).arguments);
    const Structure* taker = structureOf(program, program.call(takerId).arguments);
    const Structure* given = structureOf(program, program.call(giverId).result);
    const Structure* result = structureOf(program, program.call(takerId).result);
    if (given != nullptr && (given->slots.size() != 1 || !takesFirst(*given)))
        return fmt::format("its member {} returns an object around its tensor, which can't be "
                           "passed on",
                           nameOf(program, giverId));
    if (index + 1 == region.members.size() && result != nullptr && result->slots.empty())
        return fmt::format("its last member {} returns no tensor", nameOf(program, takerId));
    if (head == nullptr || taker == nullptr)
        return std::nullopt;
    const std::string both = nameOf(program, headId) + " and " + nameOf(program, takerId);
    if (const std::vector<std::string> names = differences(*head, *taker); !names.empty())
        return fmt::format("{} are called with different arguments ({})", both,
                           fmt::join(names, ", "));
    if (head->modes != taker->modes)
        return fmt::format(
            "{} are called in different modes ({} and {})", both,
            head->modes.empty() ? "default" : fmt::format("{}", fmt::join(head->modes, ", ")),
            taker->modes.empty() ? "default" : fmt::format("{}", fmt::join(taker->modes, ", ")));
    if (!takesFirst(*taker))
        return fmt::format(
            "{} takes its first tensor inside an object, where no other can be put in its place",
            nameOf(program, takerId));
    return std::nullopt;
}

} // namespace plimsoll::plan::verifying
