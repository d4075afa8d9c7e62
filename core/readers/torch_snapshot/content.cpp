// SPDX-License-Identifier: Apache-2.0
// Lists and dicts: when they are complete, and what they then become.
#include "core/readers/torch_snapshot/content.h"

#include "core/readers/torch_snapshot/roles.h"

#include <fmt/format.h>

#include <algorithm>

namespace plimsoll::readers::torch_snapshot {

namespace {

constexpr std::size_t kMostPending = 100'000;

/// Whether a dict can be taken before all of it is there.
bool isTakenInParts(Role role)
{
    return role == Role::Root || role == Role::Settings || role == Role::SettingGroup;
}

PickleValue other()
{
    return {};
}

} // namespace

std::size_t SnapshotContent::memoryBytes() const
{
    return m_recording.memoryBytes() + m_stacks.memoryBytes() + m_segments.memoryBytes()
           + m_pending.capacity() * sizeof(Pending) + m_pendingItems * 2 * sizeof(PickleValue);
}

bool SnapshotContent::open(PickleValue& container, const PickleStack& stack)
{
    if (!assignRole(container, stack))
        return m_recording.fail(fmt::format("has more than {} devices", kMostDevices));
    if (stack.values.empty())
        return true;
    // Events of a list are taken in their order, also those that are filled key by key.
    const PickleValue& top = stack.values.back();
    const std::uint32_t pending = lowerOf(top.data);
    if (top.is(PickleKind::Dict) && pending != 0 && top.role == container.role
        && !isTakenInParts(roleOf(top)))
        return takePending(top, m_pending[pending - 1]);
    return true;
}

bool SnapshotContent::takePending(const PickleValue& dict, Pending& pending)
{
    if (pending.isTaken)
        return true;
    pending.isTaken = true;
    const std::vector<PickleValue> items = std::exchange(pending.items, {});
    m_pendingItems -= items.size();
    return take(dict, items, pending.result);
}

bool SnapshotContent::keepPending(PickleValue& dict, Items items)
{
    std::uint32_t at = lowerOf(dict.data);
    if (at == 0) {
        if (m_freePending.empty()) {
            if (m_pending.size() >= kMostPending)
                return m_recording.fail("has more than 100,000 dicts that are incomplete at once");
            m_pending.emplace_back();
            m_freePending.push_back(static_cast<std::uint32_t>(m_pending.size()));
        }
        at = m_freePending.back();
        m_freePending.pop_back();
        m_pending[at - 1] = {};
        dict.data = joined(upperOf(dict.data), at);
    }
    Pending& pending = m_pending[at - 1];
    if (pending.isTaken) {
        m_recording.count("late_keys");
        return true;
    }
    pending.items.insert(pending.items.end(), items.begin(), items.end());
    m_pendingItems += items.size();
    return true;
}

bool SnapshotContent::close(PickleValue& value)
{
    if (value.is(PickleKind::List)) {
        if (roleOf(value) == Role::Any) {
            m_stacks.close(value);
        } else {
            m_memo.set(value.slot, other());
            value = other();
        }
        return true;
    }
    if (!value.is(PickleKind::Dict))
        return true;
    PickleValue result;
    if (const std::uint32_t at = lowerOf(value.data); at != 0) {
        Pending& pending = m_pending[at - 1];
        if (!takePending(value, pending))
            return false;
        result = m_pending[at - 1].result;
        m_freePending.push_back(at);
    }
    m_memo.set(value.slot, result);
    value = result;
    return true;
}

bool SnapshotContent::closeAll(std::span<PickleValue> items)
{
    for (PickleValue& item : items)
        if (item.isContainer() && !close(item))
            return false;
    return true;
}

bool SnapshotContent::append(PickleValue& list, std::span<PickleValue> items, bool isBatch)
{
    if (!closeAll(items))
        return false;
    if (list.is(PickleKind::Other)) // a list of things that aren't read
        return true;
    if (!list.is(PickleKind::List)) {
        if (list.is(PickleKind::Stack)) {
            m_recording.count("late_items");
            return true;
        }
        return m_recording.fail("appends to something that is not a list");
    }
    switch (roleOf(list)) {
    case Role::Any:
        if (!m_stacks.append(list, items))
            return false;
        if (isBatch && items.size() < kBatch && list.is(PickleKind::List))
            m_stacks.close(list);
        return true;
    case Role::SettingGroup:
        for (const PickleValue& item : items)
            m_settings.addToGroup(upperOf(list.data), word::Nothing, item);
        return true;
    default: break;
    }
    const auto isRead = [](const PickleValue& item) {
        return item.is(PickleKind::Other) || item.is(PickleKind::Stack);
    };
    const auto odd = std::count_if(items.begin(), items.end(), std::not_fn(isRead));
    m_recording.count("values_of_other_types", static_cast<std::size_t>(odd));
    list.data += items.size();
    return true;
}

bool SnapshotContent::setItems(PickleValue& dict, std::span<PickleValue> items, bool isBatch)
{
    if (!closeAll(items))
        return false;
    if (!dict.is(PickleKind::Dict)) {
        if (dict.is(PickleKind::Other) || dict.is(PickleKind::Frame)) {
            m_recording.count("late_keys");
            return true;
        }
        return m_recording.fail("sets items of something that is not a dict");
    }
    const bool inParts = isTakenInParts(roleOf(dict));
    const bool isWhole = isBatch && items.size() < kBatch * 2 && lowerOf(dict.data) == 0;
    if (!inParts && !isWhole)
        return keepPending(dict, items);
    PickleValue result;
    if (!take(dict, items, result))
        return false;
    if (!inParts) {
        m_memo.set(dict.slot, result);
        dict = result;
    }
    return true;
}

bool SnapshotContent::take(const PickleValue& dict, Items items, PickleValue& result)
{
    switch (roleOf(dict)) {
    case Role::Any: result = m_stacks.frameOf(items); break;
    case Role::Event: return m_events.take(deviceOf(dict.tag), items);
    case Role::Segment: return m_segments.take(false, items);
    case Role::HostSegment: return m_segments.take(true, items);
    case Role::Block: return m_segments.takeBlock(items);
    case Role::LastOwner: return m_segments.takeOwner(items);
    case Role::Annotation: m_events.takeAnnotation(items); break;
    case Role::Root: m_settings.takeRoot(items); break;
    case Role::Settings: m_settings.take(items); break;
    case Role::SettingGroup:
        for (std::size_t i = 0; i < items.size(); i += 2)
            if (items[i].is(PickleKind::Text))
                m_settings.addToGroup(upperOf(dict.data), static_cast<std::uint32_t>(items[i].data),
                                      items[i + 1]);
        break;
    default: break;
    }
    return true;
}

PickleValue SnapshotContent::tuple(std::span<PickleValue> items)
{
    return closeAll(items) ? m_recording.pairOf(items) : PickleValue{};
}

PickleValue SnapshotContent::recall(const PickleValue& value, const PickleStack& stack)
{
    constexpr std::size_t kMostSearched = 100'000'000;
    constexpr std::size_t kDeepest = 4096;
    const std::span<const PickleValue> values =
        stack.values.last(std::min(stack.values.size(), kDeepest));
    const auto isIt = [&](const PickleValue& other) {
        return other.isContainer() && other.slot == value.slot;
    };
    const auto found = m_searched > kMostSearched
                           ? values.rend()
                           : std::find_if(values.rbegin(), values.rend(), isIt);
    m_searched += static_cast<std::size_t>(found - values.rbegin());
    if (found != values.rend() && roleOf(*found) == Role::Any) {
        PickleValue result;
        if (found->is(PickleKind::List)) {
            result.kind = PickleKind::Stack;
            result.data = m_stacks.stackOf(*found).index();
            return result;
        }
        if (const std::uint32_t at = lowerOf(found->data);
            at != 0 && takePending(*found, m_pending[at - 1]))
            return m_pending[at - 1].result;
    }
    m_recording.count("references_to_unfinished_values");
    return other();
}

bool SnapshotContent::finish(PickleValue& root)
{
    const bool isDict = root.is(PickleKind::Dict);
    if (!m_recording.isSnapshot() || !(isDict || root.is(PickleKind::List)))
        return m_recording.fail(
            "ends a pickle that is no memory snapshot: it has neither segments nor "
            "device_traces; torch.cuda.memory._dump_snapshot() writes snapshots");
    m_settings.finish();
    return true;
}

} // namespace plimsoll::readers::torch_snapshot
