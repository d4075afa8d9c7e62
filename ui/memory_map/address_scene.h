// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/address_layout.h"
#include "ui/memory_map/map_scene.h"

namespace plimsoll::ui {

/// Addresses against time: each allocation is a rectangle of its steps and its addresses, on those
/// that are reserved. Private pools are framed.
class AddressScene final : public MapScene
{
public:
    AddressScene(memtrace::MemoryTracePtr trace, std::size_t device, timeline::TimelinePtr timeline,
                 memtrace::AddressLayout layout);

    /// Addresses of one private pool that are reserved side by side.
    struct PoolFrame
    {
        std::array<std::uint64_t, 2> pool{};
        base::Bytes bottom; ///< on the layout's axis
        base::Bytes top;
        std::uint32_t first = 0; ///< steps, both included
        std::uint32_t last = 0;
    };

    [[nodiscard]] ByteRange range() const override;
    [[nodiscard]] std::size_t effort(const MapPart& part) const override;
    [[nodiscard]] MapPicturePtr draw(const MapPart& part, const MapInks& inks,
                                     const base::JobContext& job) const override;
    [[nodiscard]] std::optional<QRectF> rectOf(std::uint32_t allocation,
                                               const Coordinates& at) const override;
    [[nodiscard]] std::vector<MapOutline> outlines(const Coordinates& at) const override;

private:
    memtrace::AddressLayout m_layout;
    std::vector<PoolFrame> m_frames;
};

} // namespace plimsoll::ui
