// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"
#include "ui/timeline/stack_columns.h"

#include <QImage>

#include <array>
#include <cstddef>
#include <vector>

namespace plimsoll::ui {

/// The fill of one layer, colour and pattern, as a seamless square tile. `pixels` is in column
/// order, because stacks are filled by columns; `rows` has the same in row order, each row repeated
/// so that a stretch of kStretch pixels can start anywhere in it.
struct FillTile
{
    static constexpr int kStretch = 16;

    int side = 0; ///< device pixels
    std::vector<QRgb> pixels;
    std::vector<QRgb> rows;

    /// Offset in `rows` of the row at a height.
    [[nodiscard]] std::ptrdiff_t rowOf(int y) const
    {
        return static_cast<std::ptrdiff_t>(y % side) * (side + kStretch);
    }
};
using FillTiles = std::array<FillTile, StackColumns::kLayers>;
/// For the current theme.
[[nodiscard]] FillTiles layerTiles(const Theme& theme, const timeline::Layers& layers,
                                   double devicePixelRatio);
/// The same, blended with the background at this opacity.
[[nodiscard]] FillTiles fadedTiles(FillTiles tiles, const QColor& ground, double opacity);
/// The fill of an ink as an image of any size, for legends and cards.
[[nodiscard]] QImage layerSwatch(const Theme& theme, std::size_t ink, QSize size,
                                 double devicePixelRatio);

} // namespace plimsoll::ui
