// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/pickle_memo.h"

namespace plimsoll::readers::torch_snapshot {

std::uint32_t& PickleMemo::room(std::uint32_t slot)
{
    const std::size_t chunk = slot / kChunk;
    if (chunk >= m_chunks.size())
        m_chunks.resize(chunk + 1);
    if (m_chunks[chunk] == nullptr) {
        m_chunks[chunk] = std::make_unique<std::uint32_t[]>(kChunk); // NOLINT(*-avoid-c-arrays)
        ++m_chunkCount;
    }
    return m_chunks[chunk][slot % kChunk];
}

} // namespace plimsoll::readers::torch_snapshot
