// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/layering.h"

#include "core/memtrace/analysis/classify.h"
#include "core/memtrace/analysis/streams.h"
#include "core/memtrace/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

namespace plimsoll::memtrace {

namespace {

constexpr std::array<const char*, kGroupingCount> kNames = {"class", "stream", "pool", "frame",
                                                            "phase"};

/// A group for each allocation, and the groups' names.
struct Groups
{
    std::vector<std::uint32_t> groupOf; ///< by allocation
    std::vector<std::string> names;
};

/// Groups by a small integer key, which `nameOf` names.
template <typename KeyOf, typename NameOf>
Groups groupsBy(std::size_t count, KeyOf&& keyOf, NameOf&& nameOf)
{
    Groups groups;
    std::unordered_map<std::uint64_t, std::uint32_t> byKey;
    std::unordered_map<std::string, std::uint32_t> byName;
    groups.groupOf.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto [at, isNew] = byKey.try_emplace(keyOf(i), 0U);
        if (isNew) {
            const std::string name = nameOf(i);
            const auto [named, isNewName] =
                byName.try_emplace(name, static_cast<std::uint32_t>(groups.names.size()));
            if (isNewName)
                groups.names.push_back(name);
            at->second = named->second;
        }
        groups.groupOf.push_back(at->second);
    }
    return groups;
}

std::string streamName(const DeviceTrace& device, std::uint64_t stream)
{
    const std::size_t number = streamNumber(device, stream);
    return number == 0 ? std::string{"Default stream"} : fmt::format("Stream {}", number);
}

std::string poolName(const Place& place)
{
    return place.isPrivate() ? fmt::format("Private pool {}.{}", place.pool[0], place.pool[1])
                             : std::string{"Default pool"};
}

/// "Backward": names of phases that aren't the user's begin small.
std::string phaseLayerName(const std::string& phase)
{
    std::string name = phase;
    if (!name.empty() && name.front() >= 'a' && name.front() <= 'z')
        name.front() = static_cast<char>(name.front() - 'a' + 'A');
    return name;
}

/// The last parts of a frame's path, which tell it apart in a legend.
std::string shortFrame(const StackTable& stacks, StackId stack)
{
    const std::optional<FrameId> id = topFrame(stacks, stack);
    if (!id)
        return "(no Python frame)";
    const Frame& frame = stacks.frame(*id);
    const std::string_view file = stacks.text(frame.file);
    if (file.empty())
        return std::string{stacks.text(frame.name)};
    return fmt::format("{} {}:{}", stacks.text(frame.name), file.substr(file.rfind('/') + 1),
                       frame.line);
}

Groups groupsOf(const MemoryTrace& trace, const DeviceTrace& device, const Phases& phases,
                Grouping grouping)
{
    const Allocations& allocations = device.allocations();
    const auto place = [&](std::size_t i) -> const Place& {
        return device.places()[allocations.place[i]];
    };
    switch (grouping) {
    case Grouping::Stream:
        return groupsBy(
            allocations.size(), [&](std::size_t i) { return allocations.place[i]; },
            [&](std::size_t i) { return streamName(device, place(i).stream); });
    case Grouping::Pool:
        return groupsBy(
            allocations.size(), [&](std::size_t i) { return allocations.place[i]; },
            [&](std::size_t i) { return poolName(place(i)); });
    case Grouping::Phase:
        return groupsBy(
            allocations.size(), [&](std::size_t i) { return phases.phaseOf[i]; },
            [&](std::size_t i) { return phaseLayerName(phases.nameOf(i)); });
    case Grouping::Class:
    case Grouping::Frame: break;
    }
    constexpr std::uint64_t kBefore = std::uint64_t{1} << 40U;
    const auto isUnknown = [&](std::size_t i) {
        return allocations.allocEvent[i] == kNoEvent && allocations.stack[i] == 0;
    };
    return groupsBy(
        allocations.size(),
        [&](std::size_t i) { return isUnknown(i) ? kBefore : allocations.stack[i]; },
        [&](std::size_t i) {
            return isUnknown(i) ? std::string{"Before the recording"}
                                : shortFrame(trace.stacks(), StackId{allocations.stack[i]});
        });
}

/// Bytes of each group that the filter keeps, at the device's peak.
std::vector<std::int64_t> bytesAtPeak(const DeviceTrace& device, const Groups& groups,
                                      const Matches& matches)
{
    const Allocations& allocations = device.allocations();
    std::vector<std::int64_t> changes(device.stepCount() + 1);
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        changes[device.firstStep(i)] += allocations.bytes[i];
        changes[device.lastStep(i) + std::size_t{1}] -= allocations.bytes[i];
    }
    std::partial_sum(changes.begin(), changes.end(), changes.begin());
    const auto peak = static_cast<std::size_t>(std::max_element(changes.begin(), changes.end() - 1)
                                               - changes.begin());
    std::vector<std::int64_t> bytes(groups.names.size());
    for (std::size_t i = 0; i < allocations.size(); ++i)
        if (device.firstStep(i) <= peak && peak <= device.lastStep(i) && matches.at(i))
            bytes[groups.groupOf[i]] += allocations.bytes[i];
    return bytes;
}

/// At most `most` layers.
Layering layersOf(const DeviceTrace& device, const Groups& groups, const Matches& matches,
                  std::size_t most)
{
    const std::vector<std::int64_t> bytes = bytesAtPeak(device, groups, matches);
    std::vector<std::uint32_t> order(groups.names.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return bytes[a] > bytes[b]; });
    const std::size_t layers = std::min(order.size(), most);
    const bool isShared = order.size() > layers;
    auto named = std::make_shared<timeline::Layers>();
    std::vector<std::uint8_t> layerOfGroup(order.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const std::size_t layer = std::min(rank, layers - 1);
        layerOfGroup[order[rank]] = static_cast<std::uint8_t>(layer);
        if (rank >= layers)
            continue;
        timeline::Layer& added = named->emplace_back();
        const bool isRest = isShared && rank == layers - 1;
        added.id = isRest ? "others" : groups.names[order[rank]];
        added.name = isRest ? fmt::format("{} others", order.size() - layers + 1)
                            : groups.names[order[rank]];
        added.ink = static_cast<std::uint8_t>(layer);
    }
    std::vector<std::uint8_t> layerOf(groups.groupOf.size());
    for (std::size_t i = 0; i < layerOf.size(); ++i)
        layerOf[i] = layerOfGroup[groups.groupOf[i]];
    return {std::move(named), base::Column{std::move(layerOf)}};
}

Layering withLeftOut(const Layering& layering, const Matches& matches)
{
    auto layers = std::make_shared<timeline::Layers>(*layering.layers);
    const auto leftOut = static_cast<std::uint8_t>(layers->size());
    layers->push_back({"left_out", "Left out by the filter", timeline::kPaleInk});
    std::vector<std::uint8_t> layerOf(layering.layerOf.size());
    for (std::size_t i = 0; i < layerOf.size(); ++i)
        layerOf[i] = matches.at(i) ? layering.layerOf[i] : leftOut;
    return {std::move(layers), base::Column{std::move(layerOf)}};
}

/// A legend of layers that nothing is in would only take room.
Layering withoutEmpty(const Layering& layering)
{
    constexpr std::uint8_t kUnused = 0xff;
    std::array<bool, std::size_t{kUnused} + 1> isUsed{};
    for (const std::uint8_t layer : layering.layerOf)
        isUsed[layer] = true;
    auto layers = std::make_shared<timeline::Layers>();
    std::vector<std::uint8_t> newPlace(layering.layers->size(), kUnused);
    for (std::size_t i = 0; i < newPlace.size(); ++i) {
        if (!isUsed[i])
            continue;
        newPlace[i] = static_cast<std::uint8_t>(layers->size());
        layers->push_back((*layering.layers)[i]);
    }
    if (layers->size() == newPlace.size() || layers->empty())
        return layering;
    std::vector<std::uint8_t> layerOf(layering.layerOf.size());
    for (std::size_t i = 0; i < layerOf.size(); ++i)
        layerOf[i] = newPlace[layering.layerOf[i]];
    return {std::move(layers), base::Column{std::move(layerOf)}};
}

} // namespace

const char* groupingName(Grouping grouping)
{
    return kNames.at(static_cast<std::size_t>(grouping));
}

std::optional<Grouping> findGrouping(std::string_view name)
{
    const auto at = std::find(kNames.begin(), kNames.end(), name);
    return at == kNames.end() ? std::nullopt
                              : std::optional{static_cast<Grouping>(at - kNames.begin())};
}

Layering layeringOf(const MemoryTrace& trace, const DeviceTrace& device,
                    const AllocationFacts& facts, Grouping grouping)
{
    const std::size_t most = timeline::kMostLayers - (facts.matches.keeps.empty() ? 0 : 1);
    Layering layering = grouping == Grouping::Class
                            ? Layering{classLayers(), facts.classes.classOf}
                            : layersOf(device, groupsOf(trace, device, facts.phases, grouping),
                                       facts.matches, most);
    return withoutEmpty(facts.matches.keeps.empty() ? layering
                                                    : withLeftOut(layering, facts.matches));
}

} // namespace plimsoll::memtrace
