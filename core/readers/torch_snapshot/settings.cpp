// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/settings.h"

namespace plimsoll::readers::torch_snapshot {

namespace {

constexpr std::size_t kSettingBytes = 256;

} // namespace

void Settings::addToGroup(std::uint32_t name, std::uint32_t key, const PickleValue& value)
{
    const std::string text = m_recording.shown(value);
    if (text.empty())
        return;
    std::string& group = m_settings[m_recording.validText(name)];
    const std::size_t before = group.size();
    group += group.empty() ? "" : ",";
    if (key != word::Nothing)
        group += m_recording.validText(key) + ":";
    group += text;
    m_recording.addBytes(2 * (group.size() - before) + (before == 0 ? kSettingBytes : 0));
}

void Settings::take(Items items)
{
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const PickleValue& value = items[i + 1];
        // Lists and dicts have been added item by item.
        if (!items[i].is(PickleKind::Text) || value.kind > PickleKind::Text
            || value.is(PickleKind::Other))
            continue;
        std::string name = m_recording.validText(static_cast<std::uint32_t>(items[i].data));
        std::string text = m_recording.shown(value);
        m_recording.addBytes(kSettingBytes + 2 * (name.size() + text.size()));
        m_settings.insert_or_assign(std::move(name), std::move(text));
    }
}

void Settings::takeRoot(Items items)
{
    for (std::size_t i = 0; i < items.size(); i += 2) {
        switch (wordOf(items[i])) {
        case word::Segments:
        case word::DeviceTraces:
        case word::HostSegments:
        case word::HostTraces: m_recording.setIsSnapshot(); break;
        case word::Overflowed:
        case word::MaxEntries: take(items.subspan(i, 2)); break;
        default: break;
        }
    }
}

void Settings::finish()
{
    for (auto& [name, value] : m_settings)
        m_recording.builder().setSetting(name, value);
}

} // namespace plimsoll::readers::torch_snapshot
