// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/kineto/event.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace plimsoll::readers::kineto {

/// Numbers threads, from 0. Old files quote the numbers of some events' threads, and not of others.
class Threads
{
public:
    [[nodiscard]] std::uint32_t numberOf(const TraceEvent& event)
    {
        m_key.assign(unquoted(event.process));
        m_key += '\n';
        m_key += unquoted(event.thread);
        return m_numbers.try_emplace(m_key, static_cast<std::uint32_t>(m_numbers.size()))
            .first->second;
    }
    [[nodiscard]] std::size_t memoryBytes() const { return m_numbers.size() * kThreadBytes; }

private:
    static constexpr std::size_t kMostKey = 100;
    static constexpr std::size_t kThreadBytes = 160;

    [[nodiscard]] static std::string_view unquoted(std::string_view text)
    {
        const bool isQuoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
        return (isQuoted ? text.substr(1, text.size() - 2) : text).substr(0, kMostKey);
    }

    std::unordered_map<std::string, std::uint32_t> m_numbers;
    std::string m_key;
};

} // namespace plimsoll::readers::kineto
