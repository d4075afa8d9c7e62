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
    /// Rows that show one layer across the whole strip; none: both are 0.
    struct Flat
    {
        int top = 0;
        int bottom = 0; ///< past the last one
    };

    int first = 0; ///< above it there is only background
    std::array<Flat, StackColumns::kLayers> flat{};
};

/// The stack on an opaque background, redrawn for each timeline during a drag: writes only rows
/// that change.
class StackPicture
{
public:
    /// Sets another background, which clears the stack.
    void reset(QImage ground);
    /// Draws the columns into a rectangle (device pixels) of the picture, replacing the previous
    /// ones. Other tiles are other objects; their colours change with the background only.
    void draw(const QRect& plot, const StackColumns& columns, const FillTiles& tiles,
              const StackInks& inks);
    /// The owner draws what is outside the rectangle.
    [[nodiscard]] QImage& picture() { return m_picture; }

private:
    /// Shows the background, except in the plot, which is drawn next.
    void takeGround(const QRect& plot);

    QImage m_ground;
    QImage m_picture;
    bool m_isReset = false; ///< the picture shows the background before this one
    QRect m_plot;
    const FillTiles* m_tiles = nullptr; ///< of what is shown
    std::vector<StripRows> m_shown;
};

} // namespace plimsoll::ui
