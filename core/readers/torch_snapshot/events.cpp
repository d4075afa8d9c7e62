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
    case word::Alloc: return Action::Alloc;
    case word::FreeRequested: return Action::FreeRequested;
    case word::Free: // in converted files: requested and completed
    case word::FreeCompleted: return Action::FreeCompleted;
    case word::SegmentAlloc: return Action::SegmentAlloc;
    case word::SegmentFree: return Action::SegmentFree;
    case word::SegmentMap: return Action::SegmentMap;
    case word::SegmentUnmap: return Action::SegmentUnmap;
    case word::Snapshot: return Action::Snapshot;
    case word::Oom: return Action::OutOfMemory;
    case word::Annotate: return Action::Annotate;
    default: return Action::Other;
    }
}

bool needsAddress(Action action)
{
    return action < Action::OutOfMemory || action == Action::Annotate;
}

bool needsSize(Action action)
{
    return action == Action::Alloc || action == Action::SegmentAlloc
           || action == Action::SegmentMap;
}

} // namespace

bool Events::take(int ordinal, Items items)
{
    memtrace::RecordedEvent event;
    std::optional<std::uint64_t> address;
    std::uint64_t action = word::Nothing;
    bool hasTexts = false;
    bool hasSize = false;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const PickleValue& value = items[i + 1];
        bool isRead = true;
        switch (items[i].is(PickleKind::Text) ? items[i].data : std::uint64_t{word::Count}) {
        case word::Action: action = wordOf(value); break;
        case word::Addr: isRead = m_recording.readAddress(value, address); break;
        case word::Size:
            isRead = m_recording.readSize(value, event.bytes);
            hasSize = true;
            break;
        case word::Stream: event.stream = m_recording.readStream(value); break;
        case word::TimeUs: event.timeNs = m_recording.readTime(value); break;
        case word::Frames: event.stack = m_recording.readStack(value); break;
        case word::PoolId: event.pool = m_recording.readPool(value); break;
        case word::DeviceFree: isRead = m_recording.readSize(value, event.deviceFreeBytes); break;
        case word::CompileContext:
        case word::UserMetadata:
        case word::InternalMetadata:
        case word::Category:
            hasTexts = hasTexts
                       || (value.is(PickleKind::Text) && value.data != word::Nothing
                           && value.data != word::NotAvailable);
            break;
        default: break;
        }
        if (!isRead)
            return false;
    }
    event.action = actionOf(action);
    if (event.action == Action::Other)
        m_recording.count("unknown_actions");
    if ((needsAddress(event.action) && !address) || (needsSize(event.action) && !hasSize)) {
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
        if (!items[i].is(PickleKind::Text) || !value.is(PickleKind::Text)
            || value.data == word::Nothing || value.data == word::NotAvailable)
            continue;
        memtrace::EventText text;
        switch (items[i].data) {
        case word::CompileContext: text.kind = Kind::CompileContext; break;
        case word::UserMetadata:
            text.kind = isAnnotation ? Kind::Annotation : Kind::UserMetadata;
            break;
        case word::InternalMetadata: text.kind = Kind::InternalMetadata; break;
        case word::Category: text.kind = Kind::Category; break;
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
    std::uint64_t stage = word::Nothing;
    std::int64_t ordinal = 0;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const PickleValue& value = items[i + 1];
        if (!items[i].is(PickleKind::Text))
            continue;
        switch (items[i].data) {
        case word::Name:
            if (value.is(PickleKind::Text))
                name = static_cast<std::uint32_t>(value.data);
            break;
        case word::Stage: stage = wordOf(value); break;
        case word::Device: ordinal = m_recording.readInteger(value).value_or(0); break;
        case word::TimeUs: time = m_recording.readTime(value); break;
        default: break;
        }
    }
    if (!name || !time || ordinal < kHost || ordinal >= static_cast<std::int64_t>(kMostDevices)
        || (stage != word::Start && stage != word::End)) {
        m_recording.count("incomplete_annotations");
        return;
    }
    constexpr std::size_t kRangeBytes = 256;
    const std::string text = m_recording.validText(*name);
    m_recording.addBytes(kRangeBytes + 2 * text.size());
    if (stage == word::Start)
        m_recording.builder().beginRange(text, static_cast<int>(ordinal), *time);
    else
        m_recording.builder().endRange(text, static_cast<int>(ordinal), *time);
}

} // namespace plimsoll::readers::torch_snapshot
