// SPDX-License-Identifier: Apache-2.0
#include "core/graph/repeated_blocks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace plimsoll::graph {

namespace {

constexpr std::array<std::string_view, 3> kContainers{"Sequential", "ModuleList", "ModuleDict"};

/// By module: whether it has submodules.
std::vector<bool> withChildren(const Program& program)
{
    std::vector<bool> has(program.modules.size(), false);
    for (const Module& module : program.modules)
        if (module.parent)
            has[module.parent->index()] = true;
    return has;
}

std::ptrdiff_t depthOf(const Program& program, const Siblings& family)
{
    return std::ranges::count(program.module(program.call(family.front()).module).path, '.');
}

void dropNested(const Program& program, std::vector<Siblings>& found)
{
    std::vector<bool> isBlock(program.calls.size(), false);
    for (const Siblings& family : found)
        for (const CallId call : family)
            isBlock[call.index()] = true;
    std::erase_if(found, [&](const Siblings& family) {
        std::optional<CallId> around = program.call(family.front()).parent;
        while (around && !isBlock[around->index()])
            around = program.call(*around).parent;
        return around.has_value();
    });
}

} // namespace

bool isContainer(const Module& module)
{
    return std::ranges::find(kContainers, module.className) != kContainers.end();
}

bool isNumbered(const Module& module)
{
    return !module.path.empty()
           && std::isdigit(static_cast<unsigned char>(module.path.back())) != 0;
}

std::vector<Siblings> allRepeatedBlocks(const Program& program)
{
    const std::vector<bool> isMade = withChildren(program);
    using Key = std::tuple<std::optional<CallId>, std::optional<ModuleId>, std::string>;
    std::map<Key, Siblings> byKey;
    for (std::size_t index = 0; index < program.calls.size(); ++index) {
        const Call& call = program.calls[index];
        const Module& module = program.module(call.module);
        if (isInForward(program, call) && isMade[call.module.index()] && isNumbered(module)
            && !isContainer(module))
            byKey[{call.parent, module.parent, module.className}].emplace_back(index);
    }
    std::vector<Siblings> found;
    for (auto& [key, calls] : byKey)
        if (calls.size() > 1)
            found.push_back(std::move(calls));
    std::ranges::sort(found, {}, [](const Siblings& calls) { return calls.front(); });
    return found;
}

bool isInForward(const Program& program, const Call& call)
{
    return !call.isEmpty() && static_cast<std::size_t>(call.last) < program.forwardCount();
}

std::size_t opsOf(const Program& program, const Siblings& calls)
{
    std::size_t ops = 0;
    for (const CallId call : calls)
        ops += static_cast<std::size_t>(program.call(call).last - program.call(call).first + 1);
    return ops;
}

std::vector<Siblings> repeatedBlocks(const Program& program)
{
    std::vector<Siblings> found = allRepeatedBlocks(program);
    dropNested(program, found);
    const auto largest = std::ranges::max_element(
        found, {}, [&](const Siblings& family) { return opsOf(program, family); });
    if (largest == found.end())
        return {};
    const std::ptrdiff_t depth = depthOf(program, *largest);
    std::erase_if(found, [&](const Siblings& family) { return depthOf(program, family) != depth; });
    return found;
}

} // namespace plimsoll::graph
