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
    case kSegments: return {isDict ? Role::Any : Role::Segments};
    case kDeviceTraces: return {isDict ? Role::Any : Role::Traces};
    case kExternalAnnotations: return {isDict ? Role::Any : Role::Annotations};
    case kAllocatorSettings: return {isDict ? Role::Settings : Role::Any};
    case kHostSegments: return {isDict ? Role::Any : Role::HostSegments};
    case kHostTraces: return {isDict ? Role::Any : Role::Events, tagOf(kHost)};
    case kOverflowed:
    case kMaxEntries: return {Role::SettingGroup, 0, joined(key, 0)};
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
    case Role::HostSegment: return {!isDict && key == kBlocks ? Role::Blocks : Role::Any};
    case Role::Block: return {!isDict && key == kHistory ? Role::History : Role::Any};
    case Role::Settings: return {Role::SettingGroup, 0, joined(key, 0)};
    default: return {};
    }
}

Place placeOn(const PickleStack& stack, PickleKind kind)
{
    const std::span<const PickleValue> values = stack.values;
    if (values.empty())
        return {kind == PickleKind::Dict ? Role::Root : Role::Segments};
    const std::size_t count = values.size();
    const std::size_t position = count - stack.fence; // behind the MARK
    const PickleValue* base =
        stack.isFenced && stack.fence > 0 ? &values[stack.fence - 1] : nullptr;
    if (position > 0) {
        const PickleValue& top = values[count - 1];
        const PickleValue* dict =
            position > 1 && values[count - 2].is(PickleKind::Dict) ? &values[count - 2] : nullptr;
        if (top.is(PickleKind::Text)) {
            if (base != nullptr && base->is(PickleKind::Dict) && position % 2 == 1) {
                const Place place = valueOf(*base, top.data, kind);
                if (place.role != Role::Any || dict == nullptr)
                    return place;
            }
            return dict != nullptr ? valueOf(*dict, top.data, kind) : Place{};
        }
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
