// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/trunk/trunk_boundaries.h"

#include "core/base/format.h"
#include "core/base/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace plimsoll::solve {

namespace {

constexpr std::size_t kNamed = 3;    ///< names that a sentence offers
constexpr std::size_t kLongest = 80; ///< bytes of a name that a sentence repeats

std::vector<std::string> namesIn(std::string_view text)
{
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view name = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
        if (!name.empty())
            names.emplace_back(name.substr(0, name.find_last_not_of(' ') + 1));
    }
    return names;
}

/// Where the layers of each module end: those named, and those around them.
std::map<std::string, std::size_t> endsByName(const std::vector<TrunkElement>& elements)
{
    std::map<std::string, std::size_t> ends;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::string& path = elements[i].name;
        for (std::size_t dot = path.find('.'); dot != std::string::npos;
             dot = path.find('.', dot + 1))
            ends[path.substr(0, dot)] = i + 1;
        ends[path] = i + 1;
    }
    return ends;
}

base::Error unknownName(const std::string& name, const std::vector<TrunkElement>& elements,
                        const std::map<std::string, std::size_t>& ends,
                        const std::vector<std::string>& modules)
{
    const std::string shown = base::printable(name, kLongest);
    if (elements.empty())
        return {base::ErrorKind::Usage,
                fmt::format("The boundary {} has nothing to end: forward calls no module.", shown)};
    for (const TrunkElement& element : elements)
        if (name.starts_with(element.name + "."))
            return {base::ErrorKind::Usage,
                    fmt::format("The boundary {} is inside of the layer {}, which stays whole: "
                                "name {}.",
                                shown, element.name, element.name)};
    std::vector<std::string> known;
    known.reserve(ends.size());
    for (const auto& [path, end] : ends)
        known.push_back(path);
    const std::string nearest =
        fmt::format("{}", fmt::join(base::nearestNames(name, known, kNamed), ", "));
    if (std::ranges::find(modules, name) != modules.end())
        return {base::ErrorKind::Usage,
                fmt::format("The boundary {} runs no op between layers of the trunk, so that "
                            "nothing ends there; near it are {}.",
                            shown, nearest)};
    return {
        base::ErrorKind::Usage,
        fmt::format("The boundary {} is no module of the model; nearest are {}.", shown, nearest)};
}

} // namespace

base::Result<std::vector<TrunkBoundary>> trunkBoundaries(const std::string& text,
                                                         const std::vector<TrunkElement>& elements,
                                                         const std::vector<std::string>& modules)
{
    const std::vector<std::string> names = namesIn(text);
    if (names.empty() && !elements.empty())
        return std::vector<TrunkBoundary>{{elements.back().name, elements.size()}};
    const std::map<std::string, std::size_t> ends = endsByName(elements);
    std::map<std::size_t, std::string> byEnd; // the first name counts where several end
    for (const std::string& name : names) {
        const auto end = ends.find(name);
        if (end == ends.end())
            return tl::unexpected{unknownName(name, elements, ends, modules)};
        byEnd.emplace(end->second, name);
    }
    std::vector<TrunkBoundary> boundaries;
    for (const auto& [end, name] : byEnd) {
        if (end != byEnd.rbegin()->first && !elements[end].maySplitBefore)
            return base::failure(
                base::ErrorKind::Usage,
                fmt::format("The boundary {} is in front of {}, which overwrites what {} returns: "
                            "name {} instead.",
                            name, elements[end].name, elements[end - 1].name, elements[end].name));
        boundaries.push_back({name, end});
    }
    return boundaries;
}

} // namespace plimsoll::solve
