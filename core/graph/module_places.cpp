// SPDX-License-Identifier: Apache-2.0
#include "core/graph/module_places.h"

#include "core/graph/op_names.h"
#include "core/graph/repeated_blocks.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

namespace plimsoll::graph {

namespace {

constexpr std::size_t kNamedRanges = 3; ///< up to which each end is a full name

/// "h." of "h.3", "encoder_layer_" of "encoder_layer_3".
std::string_view withoutNumber(std::string_view path)
{
    const std::size_t last = path.find_last_not_of("0123456789");
    return path.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::int64_t numberOf(std::string_view path)
{
    const std::string_view digits = path.substr(withoutNumber(path).size());
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

std::string_view firstPart(std::string_view path)
{
    return path.substr(0, path.find('.'));
}

/// "a.b" of "a.b.c" and "a.b.d.e".
std::string_view commonPath(std::string_view a, std::string_view b)
{
    while (!(b == a || (b.starts_with(a) && b[a.size()] == '.') || a.empty()))
        a = parentPath(a);
    return a;
}

bool isBelow(std::string_view path, std::string_view prefix)
{
    return path.size() > prefix.size() && path.starts_with(prefix) && path[prefix.size()] == '.';
}

/// Finds the blocks of a program and what its paths have in common.
class Placer
{
public:
    explicit Placer(const Program& program)
        : m_program{program}, m_family(program.modules.size(), -1)
    {
        for (const Siblings& family : allRepeatedBlocks(program))
            for (const CallId call : family)
                addBlock(program.call(call).module);
        if (m_families.empty())
            addNumberedLayers();
        findPrefix();
    }

    [[nodiscard]] std::vector<ModulePlace> places()
    {
        std::vector<ModulePlace> places;
        places.reserve(m_program.modules.size());
        for (std::size_t i = 0; i < m_program.modules.size(); ++i)
            places.push_back(placeOf(ModuleId{i}));
        return places;
    }

private:
    using FamilyKey = std::pair<std::optional<ModuleId>, std::string>;

    static FamilyKey keyOf(const Module& module) { return {module.parent, module.className}; }

    void addBlock(ModuleId id)
    {
        const auto next = static_cast<std::int32_t>(m_families.size());
        m_family[id.index()] =
            m_families.try_emplace(keyOf(m_program.module(id)), next).first->second;
    }

    void addNumberedLayers()
    {
        std::set<ModuleId> called;
        for (const Call& call : m_program.calls)
            if (const Module& module = m_program.module(call.module);
                isNumbered(module) && !isContainer(module))
                called.insert(call.module);
        std::map<FamilyKey, int> members;
        for (const ModuleId id : called)
            ++members[keyOf(m_program.module(id))];
        for (const ModuleId id : called)
            if (members[keyOf(m_program.module(id))] > 1)
                addBlock(id);
    }

    /// What holds all blocks, or all modules if there are none. A number alone is no name, so it
    /// keeps that of its list.
    void findPrefix()
    {
        std::optional<std::string_view> common;
        for (std::size_t i = 1; i < m_program.modules.size(); ++i) {
            const std::string& path = m_program.modules[i].path;
            if (!m_families.empty() && m_family[i] < 0)
                continue;
            std::string_view around = parentPath(path);
            if (m_family[i] >= 0 && withoutNumber(path).ends_with('.'))
                around = parentPath(around);
            common = common ? commonPath(*common, around) : around;
        }
        m_prefix = common.value_or(std::string_view{});
        // "lm_head" stays apart from "model.lm_head".
        std::unordered_set<std::string_view> inside;
        for (const Module& module : m_program.modules)
            if (isBelow(module.path, m_prefix))
                inside.insert(firstPart(shortened(module.path)));
        for (const Module& module : m_program.modules)
            if (!isBelow(module.path, m_prefix) && inside.contains(firstPart(module.path)))
                m_prefix = {};
    }

    [[nodiscard]] std::string_view shortened(std::string_view path) const
    {
        return !m_prefix.empty() && isBelow(path, m_prefix) ? path.substr(m_prefix.size() + 1)
                                                            : path;
    }

    [[nodiscard]] ModulePlace placeOf(ModuleId id)
    {
        const std::string& path = m_program.module(id).path;
        ModulePlace place;
        place.name = shortened(path);
        std::optional<ModuleId> block = id;
        while (block && m_family[block->index()] < 0)
            block = m_program.module(*block).parent;
        if (block) {
            const std::string& blockPath = m_program.module(*block).path;
            place.family = m_family[block->index()];
            place.number = numberOf(blockPath);
            place.blockEnd = shortened(blockPath).size();
        }
        const auto next = static_cast<std::int32_t>(m_kinds.size());
        const auto kind = m_kinds.try_emplace({place.family, std::string{place.inBlock()}}, next);
        place.kind = kind.first->second;
        return place;
    }

    const Program& m_program;
    std::vector<std::int32_t> m_family; ///< by module: of the block that it is; -1: it is none
    std::map<FamilyKey, std::int32_t> m_families;
    std::map<std::pair<std::int32_t, std::string>, std::int32_t> m_kinds;
    std::string_view m_prefix;
};

} // namespace

std::string_view ModulePlace::inBlock() const
{
    std::string_view inside = std::string_view{name}.substr(blockEnd);
    if (blockEnd > 0 && inside.starts_with('.'))
        inside.remove_prefix(1);
    return inside;
}

std::vector<ModulePlace> modulePlaces(const Program& program)
{
    return Placer{program}.places();
}

std::string blockRanges(std::string_view block, const std::set<std::int64_t>& numbers)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    for (const std::int64_t number : numbers) {
        if (!ranges.empty() && ranges.back().second + 1 == number)
            ranges.back().second = number;
        else
            ranges.emplace_back(number, number);
    }
    const std::string stem{withoutNumber(block)};
    // After the first name the list's own name is enough: "encoder.layers.0–layers.11".
    const std::string_view list =
        parentPath(stem.ends_with('.') ? std::string_view{stem}.substr(0, stem.size() - 1)
                                       : std::string_view{stem});
    std::string shortStem = stem.substr(list.empty() ? 0 : list.size() + 1);
    if (ranges.size() > kNamedRanges)
        shortStem.clear();
    std::string text;
    for (const auto& [first, last] : ranges) {
        text += text.empty() ? stem : ", " + shortStem;
        text += std::to_string(first);
        if (last > first)
            text += "–" + shortStem + std::to_string(last);
    }
    return text;
}

} // namespace plimsoll::graph
