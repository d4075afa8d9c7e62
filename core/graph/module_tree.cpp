// SPDX-License-Identifier: Apache-2.0
#include "core/graph/module_tree.h"

#include "core/graph/op_names.h"

#include <string_view>
#include <unordered_map>

namespace plimsoll::graph {

namespace {

std::vector<bool> calledModules(const Program& program)
{
    std::vector<bool> called(program.modules.size());
    for (const Call& call : program.calls)
        called[call.module.index()] = true;
    return called;
}

void addModules(const Program& program, ModuleTree& tree)
{
    const std::vector<bool> called = calledModules(program);
    tree.ofModule.assign(program.modules.size(), -1);
    for (std::size_t i = 0; i < program.modules.size(); ++i) {
        const Module& module = program.modules[i];
        const std::int32_t around = module.parent ? tree.ofModule[module.parent->index()] : -1;
        tree.ofModule[i] = around;
        if (!called[i] || module.path.empty())
            continue;
        tree.ofModule[i] = static_cast<std::int32_t>(tree.nodes.size());
        const std::string_view path = module.path;
        const std::size_t prefix =
            around < 0
                ? 0
                : program.module(tree.nodes[static_cast<std::size_t>(around)].module).path.size()
                      + 1;
        tree.nodes.push_back({ModuleId{i}, around, std::string{path.substr(prefix)}});
    }
}

/// Where the innermost module of a path belongs.
class Finder
{
public:
    Finder(const Program& program, const ModuleTree& tree) : m_tree{tree}
    {
        for (std::size_t i = 0; i < program.modules.size(); ++i)
            m_modules.emplace(program.modules[i].path, i);
    }

    [[nodiscard]] std::int32_t nodeOf(std::string_view path) const
    {
        for (; !path.empty(); path = parentPath(path))
            if (const auto at = m_modules.find(path); at != m_modules.end())
                return m_tree.ofModule[at->second];
        return -1;
    }

private:
    const ModuleTree& m_tree;
    std::unordered_map<std::string_view, std::size_t> m_modules;
};

void addStorages(const Program& program, ModuleTree& tree)
{
    const Finder finder{program, tree};
    tree.ofStorage.assign(program.storages.size(), -1);
    for (std::size_t i = 0; i < program.storages.size(); ++i) {
        const Storage& storage = program.storages[i];
        if (!storage.names.empty())
            tree.ofStorage[i] = finder.nodeOf(parentPath(storage.names.front()));
        else if (storage.alloc != kBeforeStep)
            tree.ofStorage[i] = tree.ofOp(program.op(opAt(storage.alloc)));
    }
    for (const Parameter& parameter : program.parameters) {
        const std::int32_t node = finder.nodeOf(parentPath(parameter.name));
        if (parameter.gradient)
            tree.ofStorage[parameter.gradient->index()] = node;
        for (const StorageId state : parameter.states)
            tree.ofStorage[state.index()] = node;
    }
}

} // namespace

ModuleTree moduleTree(const Program& program)
{
    ModuleTree tree;
    addModules(program, tree);
    addStorages(program, tree);
    return tree;
}

} // namespace plimsoll::graph
