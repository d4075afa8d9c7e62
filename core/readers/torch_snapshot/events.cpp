// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/events.h"

#include "core/readers/torch_snapshot/roles.h"

#include <fmt/format.h>

#include <algorithm>

namespace plimsoll::readers::torch_snapshot {

namespace {

using memtrace::Action;

/// Other: not known.
Action actionOf(std::uint64_t text)
{
    switch (text) {
    case kAlloc: return Action::Alloc;
    case kFreeRequested: return Action::FreeRequested;
    case kFree: // in converted files: requested and completed
    case kFreeCompleted: return Action::FreeCompleted;
    case kSegmentAlloc: return Action::SegmentAlloc;
    case kSegmentFree: return Action::SegmentFree;
    case kSegmentMap: return Action::SegmentMap;
    case kSegmentUnmap: return Action::SegmentUnmap;
    case kSnapshot: return Action::Snapshot;
    case kOom: return Action::OutOfMemory;
    case kAnnotate: return Action::Annotate;
    default: return Action::Other;
    }
}

bool needsAddress(Action action)
{
    return action < Action::OutOfMemory || action == Action::Annotate;
}

} // namespace

bool Events::take(int ordinal, Items items)
{
    memtrace::RecordedEvent event;
    std::optional<std::uint64_t> address;
    std::uint64_t action = kNothing;
    bool hasTexts = false;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const PickleValue& value = items[i + 1];
        bool isRead = true;
        switch (items[i].is(PickleKind::Text) ? items[i].data : std::uint64_t{kKeyCount}) {
        case kAction: action = wordOf(value); break;
        case kAddr: isRead = m_recording.readAddress(value, address); break;
        case kSize: isRead = m_recording.readSize(value, event.bytes); break;
        case kStream: event.stream = m_recording.readStream(value); break;
        case kTimeUs: event.timeNs = m_recording.readTime(value); break;
        case kFrames: event.stack = m_recording.readStack(value); break;
        case kPoolId: event.pool = m_recording.readPool(value); break;
        case kDeviceFree: isRead = m_recording.readSize(value, event.deviceFreeBytes); break;
        case kCompileContext:
        case kUserMetadata:
        case kInternalMetadata:
        case kCategory:
            hasTexts = hasTexts
                       || (value.is(PickleKind::Text) && value.data != kNothing
                           && value.data != kNotAvailable);
            break;
        default: break;
        }
        if (!isRead)
            return false;
    }
    event.action = actionOf(action);
    if (event.action == Action::Other)
        m_recording.count("unknown_actions");
    if (needsAddress(event.action) && !address) {
        m_recording.count("incomplete_events");
        return true;
    }
    event.address = address.value_or(0);
    m_recording.setIsSnapshot();
    return add(ordinal, event, hasTexts ? items : Items{});
}

bool Events::add(int ordinal, const memtrace::RecordedEvent& event, Items items)
{
    constexpr std::size_t kEventBytes = 130; // the most that it costs the builder
    memtrace::DeviceBuilder& device = m_recording.device(ordinal);
    const base::Result<memtrace::EventIndex> added = device.add(event);
    if (!added)
        return m_recording.failWith(added.error(), "an event");
    m_recording.addBytes(kEventBytes);
    addTexts(device, *added, event.action == Action::Annotate, items);
    return true;
}

void Events::addTexts(memtrace::DeviceBuilder& device, memtrace::EventIndex event,
                      bool isAnnotation, Items items)
{
    using Kind = memtrace::EventText::Kind;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const PickleValue& value = items[i + 1];
        if (!items[i].is(PickleKind::Text) || !value.is(PickleKind::Text) || value.data == kNothing
            || value.data == kNotAvailable)
            continue;
        memtrace::EventText text;
        switch (items[i].data) {
        case kCompileContext: text.kind = Kind::CompileContext; break;
        case kUserMetadata: text.kind = isAnnotation ? Kind::Annotation : Kind::UserMetadata; break;
        case kInternalMetadata: text.kind = Kind::InternalMetadata; break;
        case kCategory: text.kind = Kind::Category; break;
        default: continue;
        }
        text.event = event;
        text.text = m_recording.textId(static_cast<std::uint32_t>(value.data));
        device.addText(text);
        m_recording.addBytes(2 * sizeof text);
    }
}

void Events::takeAnnotation(Items items)
{
    std::optional<std::uint32_t> name;
    std::optional<std::int64_t> time;
    std::uint64_t stage = kNothing;
    std::int64_t ordinal = 0;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const PickleValue& value = items[i + 1];
        if (!items[i].is(PickleKind::Text))
            continue;
        switch (items[i].data) {
        case kName:
            if (value.is(PickleKind::Text))
                name = static_cast<std::uint32_t>(value.data);
            break;
        case kStage: stage = wordOf(value); break;
        case kDevice: ordinal = m_recording.readInteger(value).value_or(0); break;
        case kTimeUs: time = m_recording.readTime(value); break;
        default: break;
        }
    }
    if (!name || !time || ordinal < kHost || ordinal >= static_cast<std::int64_t>(kMostDevices)
        || (stage != kStart && stage != kEnd)) {
        m_recording.count("incomplete_annotations");
        return;
    }
    constexpr std::size_t kRangeBytes = 256;
    const std::string text = m_recording.validText(*name);
    m_recording.addBytes(kRangeBytes + 2 * text.size());
    if (stage == kStart)
        m_recording.builder().beginRange(text, static_cast<int>(ordinal), *time);
    else
        m_recording.builder().endRange(text, static_cast<int>(ordinal), *time);
}

} // namespace plimsoll::readers::torch_snapshot
