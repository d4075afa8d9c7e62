// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/pickle_texts.h"

#include <algorithm>
#include <cstring>

namespace plimsoll::readers::torch_snapshot {

namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10U;
constexpr std::size_t kFirstTable = 1024;

std::uint32_t hashOf(std::string_view text)
{
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
    std::uint64_t hash = text.size() * kOdd;
    while (!text.empty()) {
        std::uint64_t word = 0;
        const std::size_t size = std::min(text.size(), sizeof word);
        std::memcpy(&word, text.data(), size);
        hash = (hash ^ word) * kOdd;
        hash ^= hash >> 32U;
        text.remove_prefix(size);
    }
    hash *= kOdd;
    return static_cast<std::uint32_t>(hash >> 32U);
}

} // namespace

PickleTexts::PickleTexts(const std::vector<std::string_view>& known) : m_table(kFirstTable)
{
    for (const std::string_view text : known)
        static_cast<void>(id(text));
}

std::size_t PickleTexts::memoryBytes() const
{
    return m_kept + m_texts.capacity() * sizeof(Entry) + m_table.size() * sizeof(std::uint32_t);
}

const char* PickleTexts::kept(std::string_view text)
{
    if (m_bytes.empty() || m_bytes.back().capacity() - m_bytes.back().size() < text.size()) {
        m_bytes.emplace_back().reserve(std::max(kBlock, text.size()));
        m_kept += m_bytes.back().capacity();
    }
    std::string& block = m_bytes.back();
    const std::size_t begin = block.size();
    block.append(text); // within its capacity: it stays where it is
    return block.data() + begin;
}

void PickleTexts::grow()
{
    std::vector<std::uint32_t> table(m_table.size() * 2);
    const std::size_t mask = table.size() - 1;
    for (std::size_t id = 0; id < m_texts.size(); ++id) {
        std::size_t at = m_texts[id].hash & mask;
        while (table[at] != 0)
            at = (at + 1) & mask;
        table[at] = static_cast<std::uint32_t>(id + 1);
    }
    m_table = std::move(table);
}

std::uint32_t PickleTexts::id(std::string_view text)
{
    const std::uint32_t hash = hashOf(text);
    const std::size_t mask = m_table.size() - 1;
    std::size_t at = hash & mask;
    for (; m_table[at] != 0; at = (at + 1) & mask) {
        const Entry& entry = m_texts[m_table[at] - 1];
        if (entry.hash == hash && std::string_view{entry.data, entry.size} == text)
            return m_table[at] - 1;
    }
    const auto id = static_cast<std::uint32_t>(m_texts.size());
    m_table[at] = id + 1;
    m_texts.push_back({kept(text), static_cast<std::uint32_t>(text.size()), hash});
    if (m_texts.size() * 4 > m_table.size() * 3)
        grow();
    return id;
}

} // namespace plimsoll::readers::torch_snapshot
