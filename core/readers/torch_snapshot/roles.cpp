// SPDX-License-Identifier: Apache-2.0
// Containers stand on the stack before what they contain, so the role of a new one follows from
// what is below it. Two things can be below it that look alike, a list that it will be appended to
// and one that comes before it in the same list; the roles tell which.
#include "core/readers/torch_snapshot/roles.h"

#include "core/readers/torch_snapshot/keys.h"

namespace plimsoll::readers::torch_snapshot {

namespace {

constexpr std::uint16_t kUnknownTag = 0xffff;

struct Place
{
    Role role = Role::Any;
    std::uint16_t tag = 0;
    std::uint64_t data = 0;
};

/// The item of a list. `position`: its index.
Place itemOf(const PickleValue& list, std::uint64_t position, PickleKind kind)
{
    const bool isDict = kind == PickleKind::Dict;
    switch (roleOf(list)) {
    case Role::Traces:
        if (!isDict)
            return {Role::Events,
                    position < kMostDevices ? tagOf(static_cast<int>(position)) : kUnknownTag};
        break;
    case Role::Events:
        if (isDict)
            return {Role::Event, list.tag};
        // The recording of the host is one list, but a list for each of several would do as well.
        if (deviceOf(list.tag) == kHost)
            return {Role::Events, list.tag};
        break;
    case Role::Segments: return {isDict ? Role::Segment : Role::Any};
    case Role::HostSegments: return {isDict ? Role::HostSegment : Role::Any};
    case Role::Blocks: return {isDict ? Role::Block : Role::Any};
    case Role::History:
        if (isDict)
            return {position == 0 ? Role::LastOwner : Role::FormerOwner};
        break;
    case Role::Annotations: return {isDict ? Role::Annotation : Role::Any};
    default: break;
    }
    return {};
}

Place rootValue(std::uint64_t key, bool isDict)
{
    switch (key) {
    case word::Segments: return {isDict ? Role::Any : Role::Segments};
    case word::DeviceTraces: return {isDict ? Role::Any : Role::Traces};
    case word::ExternalAnnotations: return {isDict ? Role::Any : Role::Annotations};
    case word::AllocatorSettings: return {isDict ? Role::Settings : Role::Any};
    case word::HostSegments: return {isDict ? Role::Any : Role::HostSegments};
    case word::HostTraces: return {isDict ? Role::Any : Role::Events, tagOf(kHost)};
    case word::Overflowed:
    case word::MaxEntries: return {Role::SettingGroup, 0, joined(key, 0)};
    default: return {};
    }
}

/// The value that a dict has for a key.
Place valueOf(const PickleValue& dict, std::uint64_t key, PickleKind kind)
{
    const bool isDict = kind == PickleKind::Dict;
    switch (roleOf(dict)) {
    case Role::Root: return rootValue(key, isDict);
    case Role::Segment:
    case Role::HostSegment: return {!isDict && key == word::Blocks ? Role::Blocks : Role::Any};
    case Role::Block: return {!isDict && key == word::History ? Role::History : Role::Any};
    case Role::Settings: return {Role::SettingGroup, 0, joined(key, 0)};
    default: return {};
    }
}

/// A key is on top of the stack. `base`: the container that follows from the last MARK, or null.
Place placeOfKey(const PickleStack& stack, const PickleValue* base, PickleKind kind)
{
    const std::size_t count = stack.values.size();
    const std::size_t position = count - stack.fence;
    const std::uint64_t key = stack.values.back().data;
    const PickleValue* dict = position > 1 ? &stack.values[count - 2] : nullptr;
    if (dict != nullptr && !dict->is(PickleKind::Dict))
        dict = nullptr;
    if (base != nullptr && base->is(PickleKind::Dict) && position % 2 == 1) {
        const Place place = valueOf(*base, key, kind);
        if (place.role != Role::Any || dict == nullptr)
            return place;
    }
    return dict != nullptr ? valueOf(*dict, key, kind) : Place{};
}

Place placeOn(const PickleStack& stack, PickleKind kind)
{
    if (stack.values.empty())
        return {kind == PickleKind::Dict ? Role::Root : Role::Segments};
    const PickleValue* base =
        stack.isFenced && stack.fence > 0 ? &stack.values[stack.fence - 1] : nullptr;
    const std::size_t position = stack.values.size() - stack.fence; // behind the MARK
    if (position > 0) {
        const PickleValue& top = stack.values.back();
        if (top.is(PickleKind::Text))
            return placeOfKey(stack, base, kind);
        if (top.is(PickleKind::List)) {
            const Place place = itemOf(top, lowerOf(top.data), kind);
            if (place.role != Role::Any)
                return place;
        }
    }
    if (base != nullptr && base->is(PickleKind::List))
        return itemOf(*base, lowerOf(base->data) + position, kind);
    return {};
}

} // namespace

bool assignRole(PickleValue& container, const PickleStack& stack)
{
    const Place place = placeOn(stack, container.kind);
    container.role = static_cast<std::uint8_t>(place.role);
    container.tag = place.tag;
    container.data = place.data;
    return place.tag != kUnknownTag;
}

} // namespace plimsoll::readers::torch_snapshot
