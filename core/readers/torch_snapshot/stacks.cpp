// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/stacks.h"

#include "core/readers/torch_snapshot/roles.h"

#include <algorithm>
#include <limits>

namespace plimsoll::readers::torch_snapshot {

namespace {

constexpr std::size_t kFrameBytes = 96; ///< of a frame in the builder, its hash table included
constexpr std::size_t kStackBytes = 160;

} // namespace

memtrace::TextId Stacks::detailOf(std::span<const std::uint32_t> texts)
{
    std::string detail;
    for (const std::uint32_t text : texts) {
        if (text == word::Nothing)
            continue;
        detail += detail.empty() ? "" : " ";
        detail += m_recording.validText(text);
    }
    if (detail.empty())
        return {};
    m_recording.addBytes(detail.size() + kFrameBytes);
    return m_recording.builder().stacks().text(detail);
}

PickleValue Stacks::frameOf(Items items)
{
    memtrace::Frame frame;
    bool hasFile = false;
    std::array<std::uint32_t, 4> details{word::Nothing, word::Nothing, word::Nothing,
                                         word::Nothing};
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const PickleValue& value = items[i + 1];
        const std::uint64_t key = wordOf(items[i]);
        if (key == word::Line) {
            const std::int64_t line = m_recording.readInteger(value).value_or(0);
            if (line >= 0 && line <= std::numeric_limits<std::int32_t>::max())
                frame.line = static_cast<std::int32_t>(line);
            else
                m_recording.count("values_out_of_range");
        }
        if (!value.is(PickleKind::Text))
            continue;
        const auto text = static_cast<std::uint32_t>(value.data);
        switch (key) {
        case word::Filename:
            frame.file = m_recording.textId(text);
            hasFile = true;
            break;
        case word::Name: frame.name = m_recording.textId(text); break;
        case word::FxNodeOp: details[0] = text; break;
        case word::FxNodeName: details[1] = text; break;
        case word::FxNodeTarget: details[2] = text; break;
        case word::FxOriginalTrace: details[3] = text; break;
        default: break;
        }
    }
    if (!hasFile)
        return {};
    frame.detail = detailOf(details);
    PickleValue value;
    value.kind = PickleKind::Frame;
    value.data = m_recording.builder().stacks().frame(frame).index();
    m_recording.addBytes(kFrameBytes);
    return value;
}

bool Stacks::append(PickleValue& list, Items items)
{
    const std::uint32_t had = lowerOf(list.data);
    const std::size_t begin = had == 0 ? m_frames.size() : upperOf(list.data);
    // What lies behind belongs to lists that were above this one on the stack, and gone.
    m_frames.resize(begin + had);
    for (const PickleValue& item : items) {
        if (!item.is(PickleKind::Frame)) {
            m_frames.resize(begin);
            m_memo.set(list.slot, {});
            list = {};
            return true;
        }
        m_frames.emplace_back(item.data);
    }
    if (m_frames.size() > std::numeric_limits<std::uint32_t>::max())
        return m_recording.fail("has more than 4 billion frames in lists");
    list.data = joined(begin, had + items.size());
    return true;
}

memtrace::StackId Stacks::stackOf(const PickleValue& list)
{
    const std::size_t size = lowerOf(list.data);
    if (size == 0)
        return {};
    const memtrace::StackId id =
        m_recording.builder().stacks().stack(std::span{m_frames}.subspan(upperOf(list.data), size));
    if (id.index() > m_lastStack) {
        m_lastStack = id.index();
        m_recording.addBytes(kStackBytes + 2 * size * sizeof(memtrace::FrameId));
    }
    return id;
}

void Stacks::close(PickleValue& list)
{
    PickleValue stack;
    stack.kind = PickleKind::Stack;
    stack.data = stackOf(list).index();
    if (lowerOf(list.data) > 0)
        m_frames.resize(upperOf(list.data));
    m_memo.set(list.slot, stack);
    list = stack;
}

} // namespace plimsoll::readers::torch_snapshot
