// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/torch_snapshot/pickle_value.h"

#include <memory>
#include <vector>

namespace plimsoll::readers::torch_snapshot {

/// The memo of a pickle: values that it refers to again. Four bytes each, since every dict and list
/// of a recording is in it: a kind and an index. What has neither is remembered as Other.
class PickleMemo
{
public:
    static constexpr std::uint32_t kMostIndex = (std::uint32_t{1} << 28U) - 1;

    /// Where MEMOIZE puts the next value.
    [[nodiscard]] std::uint32_t next() const { return m_count; }
    /// Whether something else was there.
    bool put(std::uint32_t slot, const PickleValue& value)
    {
        std::uint32_t& entry = room(slot);
        const bool isNew = entry == 0;
        m_count += isNew ? 1 : 0;
        entry = packed(value);
        return !isNew;
    }
    /// Replaces what a slot has; kNoSlot: does nothing.
    void set(std::uint32_t slot, const PickleValue& value)
    {
        if (slot != PickleValue::kNoSlot)
            room(slot) = packed(value);
    }
    /// False: nothing was put there.
    [[nodiscard]] bool get(std::uint32_t slot, PickleValue& value) const
    {
        const std::size_t chunk = slot / kChunk;
        if (chunk >= m_chunks.size() || m_chunks[chunk] == nullptr)
            return false;
        const std::uint32_t entry = m_chunks[chunk][slot % kChunk];
        value.kind = static_cast<PickleKind>((entry >> kShift) & 15U);
        value.slot = slot;
        value.data = (entry & kMostIndex) - 1;
        return entry != 0;
    }
    [[nodiscard]] std::size_t memoryBytes() const
    {
        return m_chunkCount * kChunk * sizeof(std::uint32_t) + m_chunks.capacity() * sizeof(void*);
    }

private:
    static constexpr std::size_t kChunk = std::size_t{1} << 14U;
    static constexpr unsigned kShift = 28;

    /// Never 0, which stands for nothing.
    [[nodiscard]] static std::uint32_t packed(const PickleValue& value)
    {
        const bool hasIndex = value.kind >= PickleKind::Frame || value.kind == PickleKind::Text;
        if (hasIndex && value.data < kMostIndex - 1)
            return static_cast<std::uint32_t>(value.kind) << kShift
                   | static_cast<std::uint32_t>(value.data + 1);
        const PickleKind kind = value.isContainer() ? value.kind : PickleKind::Other;
        return static_cast<std::uint32_t>(kind) << kShift | 1U;
    }
    [[nodiscard]] std::uint32_t& room(std::uint32_t slot);

    std::vector<std::unique_ptr<std::uint32_t[]>> m_chunks; // NOLINT(*-avoid-c-arrays): no sizes
    std::size_t m_chunkCount = 0;
    std::uint32_t m_count = 0;
};

} // namespace plimsoll::readers::torch_snapshot
