// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace plimsoll::readers::kineto {

/// Different texts, numbered from 0, which is the empty one.
class Names
{
public:
    Names() { static_cast<void>(number({})); }

    [[nodiscard]] std::uint32_t number(std::string_view text)
    {
        const auto known = m_numbers.find(text);
        if (known != m_numbers.end())
            return known->second;
        const auto number = static_cast<std::uint32_t>(m_texts.size());
        m_numbers.emplace(m_texts.emplace_back(text), number);
        m_bytes += text.size() + kTextBytes;
        return number;
    }
    [[nodiscard]] std::string_view operator[](std::uint32_t number) const
    {
        return m_texts[number];
    }
    [[nodiscard]] std::size_t memoryBytes() const { return m_bytes; }

private:
    static constexpr std::size_t kTextBytes = 112; ///< of a text beside its characters

    std::deque<std::string> m_texts; ///< keeps addresses, to which m_numbers refers
    std::unordered_map<std::string_view, std::uint32_t> m_numbers;
    std::size_t m_bytes = 0;
};

} // namespace plimsoll::readers::kineto
