// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/live_groups.h"

#include "core/memtrace/analysis/streams.h"
#include "core/memtrace/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace plimsoll::memtrace {

namespace {

constexpr std::array<const char*, 6> kLiveByNames = {"frame",  "stack",  "class",
                                                     "module", "stream", "pool"};
constexpr std::uint64_t kBefore = ~std::uint64_t{0}; ///< key of blocks whose stack isn't known

class KeyOf
{
public:
    KeyOf(const MemoryTrace& trace, const DeviceTrace& device, const Classes& classes, LiveBy by)
        : m_stacks{trace.stacks()}, m_device{device}, m_classes{classes}, m_by{by}
    {
    }

    /// The same for allocations that certainly share a group.
    [[nodiscard]] std::uint64_t keyOf(std::uint32_t allocation) const
    {
        const Allocations& all = m_device.allocations();
        switch (m_by) {
        case LiveBy::Class: return m_classes.classOf[allocation];
        case LiveBy::Stream:
        case LiveBy::Pool: return all.place[allocation];
        case LiveBy::Frame:
        case LiveBy::Stack:
        case LiveBy::Module: break;
        }
        return all.stack[allocation] == 0 && all.allocEvent[allocation] == kNoEvent
                   ? kBefore
                   : all.stack[allocation];
    }
    [[nodiscard]] LiveGroup groupOf(std::uint64_t key) const
    {
        LiveGroup group;
        group.name = nameOf(key);
        if (key == kBefore)
            return group;
        const StackId stack{static_cast<std::size_t>(key)};
        if (m_by == LiveBy::Stack)
            for (const FrameId frame : m_stacks.stack(stack))
                group.frames.push_back(frameText(m_stacks, frame));
        if (m_by == LiveBy::Frame)
            if (const std::optional<FrameId> top = topFrame(m_stacks, stack))
                group.frames.push_back(frameText(m_stacks, *top));
        return group;
    }

private:
    [[nodiscard]] std::string nameOf(std::uint64_t key) const
    {
        const auto place = [&]() -> const Place& { return m_device.places()[key]; };
        switch (m_by) {
        case LiveBy::Class: return className(static_cast<MemoryClass>(key));
        case LiveBy::Stream: return fmt::format("{}", streamNumber(m_device, place().stream));
        case LiveBy::Pool: return fmt::format("{}.{}", place().pool[0], place().pool[1]);
        case LiveBy::Frame:
        case LiveBy::Stack:
        case LiveBy::Module: break;
        }
        if (key == kBefore)
            return "(before the recording)";
        const StackId stack{static_cast<std::size_t>(key)};
        return m_by == LiveBy::Module ? moduleText(m_stacks, stack) : topFrameText(m_stacks, stack);
    }

    const StackTable& m_stacks;
    const DeviceTrace& m_device;
    const Classes& m_classes;
    LiveBy m_by;
};

struct GroupSum
{
    std::array<std::int64_t, timeline::kMostLayers + 1> ofLayer{}; ///< bytes
    std::size_t blocks = 0;

    void add(const GroupSum& other)
    {
        for (std::size_t i = 0; i < ofLayer.size(); ++i)
            ofLayer[i] += other.ofLayer[i];
        blocks += other.blocks;
    }
    [[nodiscard]] base::Bytes bytes() const
    {
        return base::Bytes{std::accumulate(ofLayer.begin(), ofLayer.end(), std::int64_t{0})};
    }
    [[nodiscard]] std::uint8_t mainLayer() const
    {
        return static_cast<std::uint8_t>(std::ranges::max_element(ofLayer) - ofLayer.begin());
    }
};

} // namespace

std::optional<LiveBy> findLiveBy(std::string_view name)
{
    const auto at = std::find(kLiveByNames.begin(), kLiveByNames.end(), name);
    return at == kLiveByNames.end() ? std::nullopt
                                    : std::optional{static_cast<LiveBy>(at - kLiveByNames.begin())};
}

LiveGroups liveGroups(const MemoryTrace& trace, const DeviceTrace& device, const Classes& classes,
                      std::size_t step, LiveBy by, const Matches& matches,
                      const base::Column<std::uint8_t>& layerOf)
{
    const KeyOf grouping{trace, device, classes, by};
    const Allocations& all = device.allocations();
    std::unordered_map<std::uint64_t, GroupSum> byKey;
    LiveGroups live;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (device.firstStep(i) > step || device.lastStep(i) < step || !matches.at(i))
            continue;
        GroupSum& sum = byKey[grouping.keyOf(i)];
        sum.ofLayer[layerOf.empty() ? std::uint8_t{0} : layerOf[i]] += all.bytes[i];
        ++sum.blocks;
        live.bytes += base::Bytes{all.bytes[i]};
        ++live.blocks;
    }
    // Stacks with one top frame are one group, unless each stack is.
    std::unordered_map<std::string, std::size_t> byName;
    std::vector<GroupSum> sums;
    for (const auto& [key, sum] : byKey) {
        LiveGroup group = grouping.groupOf(key);
        const auto [at, isNew] = byName.try_emplace(
            by == LiveBy::Stack ? std::to_string(key) : group.name, live.groups.size());
        if (isNew) {
            live.groups.push_back(std::move(group));
            sums.emplace_back();
        }
        sums[at->second].add(sum);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        live.groups[i].bytes = sums[i].bytes();
        live.groups[i].blocks = sums[i].blocks;
        live.groups[i].mainLayer = sums[i].mainLayer();
    }
    std::sort(live.groups.begin(), live.groups.end(), [](const LiveGroup& a, const LiveGroup& b) {
        if (a.bytes != b.bytes)
            return a.bytes > b.bytes;
        return a.name != b.name ? a.name < b.name : a.frames < b.frames;
    });
    return live;
}

std::vector<LiveBlock> liveBlocks(const MemoryTrace& trace, const DeviceTrace& device,
                                  const Classes& classes, std::size_t step, LiveBy by,
                                  const LiveGroups& live)
{
    using Name = std::pair<std::string, std::vector<std::string>>;
    std::map<Name, std::uint32_t> byName;
    for (std::size_t i = 0; i < live.groups.size(); ++i)
        byName.emplace(Name{live.groups[i].name, live.groups[i].frames},
                       static_cast<std::uint32_t>(i));
    const KeyOf grouping{trace, device, classes, by};
    std::unordered_map<std::uint64_t, std::uint32_t> byKey;
    std::vector<LiveBlock> blocks;
    blocks.reserve(live.blocks);
    for (std::uint32_t i = 0; i < device.allocations().size(); ++i) {
        if (device.firstStep(i) > step || device.lastStep(i) < step)
            continue;
        const auto [at, isNew] = byKey.try_emplace(grouping.keyOf(i), 0);
        if (isNew) {
            LiveGroup group = grouping.groupOf(at->first);
            at->second = byName.at({std::move(group.name), std::move(group.frames)});
        }
        blocks.push_back({i, at->second});
    }
    return blocks;
}

} // namespace plimsoll::memtrace
