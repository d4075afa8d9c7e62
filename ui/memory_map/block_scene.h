// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/memory_map/map_scene.h"

namespace plimsoll::ui {

/// All live allocations on top of each other at each moment, the oldest at the bottom: when one is
/// freed, those above it slide down. As PyTorch's memory_viz draws them, but all of them at any
/// zoom: a pixel shows the allocation at its centre.
class BlockScene final : public MapScene
{
public:
    using MapScene::MapScene;

    [[nodiscard]] ByteRange range() const override;
    [[nodiscard]] std::size_t effort(const MapPart& part) const override;
    [[nodiscard]] MapPicturePtr draw(const MapPart& part, const MapInks& inks,
                                     const base::JobContext& job) const override;
};

} // namespace plimsoll::ui
