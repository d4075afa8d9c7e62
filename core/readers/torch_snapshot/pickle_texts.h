// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::readers::torch_snapshot {

/// The texts of a pickle, each different one once, with little beside the bytes themselves:
/// recordings repeat some, but not all, for each event.
class PickleTexts
{
public:
    /// `known` get the first ids, in that order.
    explicit PickleTexts(const std::vector<std::string_view>& known = {});

    [[nodiscard]] std::uint32_t id(std::string_view text);
    [[nodiscard]] std::string_view operator[](std::uint32_t id) const
    {
        return {m_texts[id].data, m_texts[id].size};
    }
    [[nodiscard]] std::size_t count() const { return m_texts.size(); }
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    struct Entry
    {
        const char* data = nullptr;
        std::uint32_t size = 0;
        std::uint32_t hash = 0;
    };

    [[nodiscard]] const char* kept(std::string_view text);
    void grow();

    std::vector<Entry> m_texts;
    std::vector<std::uint32_t> m_table; ///< by hash: id + 1, 0 where there is none
    std::deque<std::string> m_bytes;    ///< blocks that never move
    std::size_t m_kept = 0;
};

} // namespace plimsoll::readers::torch_snapshot
