// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/timeline/patterns.h"
#include "ui/timeline/stack_columns.h"

#include <QColor>
#include <QImage>
#include <QPoint>
#include <QRect>

#include <array>
#include <vector>

namespace plimsoll::ui {

struct StackInks
{
    QColor separator; ///< between layers
    QColor outline;   ///< of the sum
};

/// What a strip of some columns shows, by rows of the plot.
struct StripRows
{
    /// Rows that show one layer from side to side; none: both are 0.
    struct Flat
    {
        int top = 0;
        int bottom = 0; ///< past the last one
    };

    int first = 0; ///< above it there is only ground
    std::array<Flat, StackColumns::kLayers> flat{};
};

/// The stack on an opaque ground, drawn again for each timeline that a drag meets: only rows that
/// change are written.
class StackPicture
{
public:
    /// Another ground; nothing stands on it.
    void reset(QImage ground);
    /// The columns into a rectangle (device pixels) of the picture, in place of those before. Other
    /// tiles are other objects; their colours change with the ground only.
    void draw(const QRect& plot, const StackColumns& columns, const FillTiles& tiles,
              const StackInks& inks);
    /// What lies outside of the rectangle is the owner's.
    [[nodiscard]] QImage& picture() { return m_picture; }

private:
    QImage m_ground;
    QImage m_picture;
    QRect m_plot;
    const FillTiles* m_tiles = nullptr; ///< of what is shown
    std::vector<StripRows> m_shown;
};

} // namespace plimsoll::ui
