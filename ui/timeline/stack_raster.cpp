// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/stack_raster.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr std::size_t kLayers = StackColumns::kLayers;
/// Thinner layers than this (device pixels) get no separator, or nothing would be left of them.
constexpr int kLeastSeparated = 3;

/// `over` on opaque or transparent `under`, both premultiplied.
QRgb blended(QRgb over, QRgb under)
{
    const unsigned rest = 255U - static_cast<unsigned>(qAlpha(over));
    const auto mix = [rest](int top, int below) {
        return top + static_cast<int>((static_cast<unsigned>(below) * rest + 127U) / 255U);
    };
    return qRgba(mix(qRed(over), qRed(under)), mix(qGreen(over), qGreen(under)),
                 mix(qBlue(over), qBlue(under)), mix(qAlpha(over), qAlpha(under)));
}

QRgb premultiplied(QColor color, double factor = 1.0)
{
    color.setAlphaF(static_cast<float>(static_cast<double>(color.alphaF()) * factor));
    return qPremultiply(color.rgba());
}

/// Writable pixels of an image.
struct Canvas
{
    QRgb* bits;
    std::ptrdiff_t stride; ///< in pixels
    int height;

    [[nodiscard]] QRgb& at(int x, int y) const { return bits[y * stride + x]; }
    void blend(int x, int y, QRgb color) const
    {
        if (y >= 0 && y < height)
            at(x, y) = blended(color, at(x, y));
    }
};

int upperEdge(const StackColumns& columns, std::size_t column, std::size_t layer, int height)
{
    const auto up = static_cast<int>(std::lround(columns.top[column][layer]));
    return std::clamp(height - up, 0, height);
}

void fillColumn(const Canvas& canvas, const StackColumns& columns, std::size_t column,
                const FillTiles& tiles, QPoint anchor, QRgb separator, int thickness)
{
    const auto x = static_cast<int>(column);
    int bottom = canvas.height;
    int previousThickness = 0;
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
        const int top = upperEdge(columns, column, layer, canvas.height);
        if (top >= bottom)
            continue;
        const FillTile& tile = tiles[layer];
        const QRgb* tileColumn =
            tile.pixels.data()
            + static_cast<std::ptrdiff_t>((x + anchor.x()) % tile.side) * tile.side;
        int at = (top + anchor.y()) % tile.side;
        QRgb* out = &canvas.at(x, top);
        for (int y = top; y < bottom; ++y, out += canvas.stride) {
            *out = tileColumn[at];
            if (++at == tile.side)
                at = 0;
        }
        if (previousThickness >= kLeastSeparated * thickness
            && bottom - top >= kLeastSeparated * thickness)
            for (int i = 0; i < thickness; ++i)
                canvas.blend(x, bottom - 1 - i, separator);
        previousThickness = bottom - top;
        bottom = top;
    }
}

/// The sum's outline: a step curve has only level and upright parts.
void outlineColumn(const Canvas& canvas, const StackColumns& columns, std::size_t column, QRgb core,
                   QRgb edge, int thickness)
{
    const auto x = static_cast<int>(column);
    const int top = upperEdge(columns, column, kLayers - 1, canvas.height);
    const int before =
        column == 0 ? top : upperEdge(columns, column - 1, kLayers - 1, canvas.height);
    const int from = std::min(top, before);
    const int to = std::max(std::max(top, before), from + thickness);
    for (int y = from; y < to; ++y)
        canvas.blend(x, y, core);
    canvas.blend(x, from - 1, edge);
}

} // namespace

QImage rasterStack(const StackColumns& columns, const FillTiles& tiles, const StackInks& inks,
                   QSize size, QPoint anchor, double devicePixelRatio, QImage reuse)
{
    QImage image = std::move(reuse);
    if (image.size() != size)
        image = QImage{size, QImage::Format_ARGB32_Premultiplied};
    image.setDevicePixelRatio(1.0);
    image.fill(Qt::transparent);
    if (image.isNull())
        return image;
    const Canvas canvas{reinterpret_cast<QRgb*>(image.bits()), image.bytesPerLine() / 4,
                        image.height()};
    const int thickness = std::max(1, static_cast<int>(std::lround(devicePixelRatio)));
    const QRgb separator = premultiplied(inks.separator);
    const QRgb core = premultiplied(inks.outline);
    const QRgb edge = premultiplied(inks.outline, 0.25);
    const std::size_t count = std::min(columns.count(), static_cast<std::size_t>(size.width()));
    for (std::size_t column = 0; column < count; ++column)
        fillColumn(canvas, columns, column, tiles, anchor, separator, thickness);
    for (std::size_t column = 0; column < count; ++column)
        outlineColumn(canvas, columns, column, core, edge, thickness);
    image.setDevicePixelRatio(devicePixelRatio);
    return image;
}

void drawStackShapes(QPainter& painter, const StackColumns& columns, const Theme& theme)
{
    const double height = columns.height;
    const auto count = columns.count();
    if (count == 0)
        return;
    // Points only where the height changes keep the file small.
    const auto edge = [&](std::size_t layer) {
        QPolygonF points;
        for (std::size_t column = 0; column < count; ++column) {
            const double y = height - static_cast<double>(columns.top[column][layer]);
            if (points.isEmpty() || points.back().y() != y) {
                if (!points.isEmpty())
                    points << QPointF{static_cast<double>(column), points.back().y()};
                points << QPointF{static_cast<double>(column), y};
            }
        }
        points << QPointF{static_cast<double>(count), points.back().y()};
        return points;
    };
    // From the top layer down, each filled to the base: the lower ones cover the rest.
    for (std::size_t layer = kLayers; layer-- > 0;) {
        QPolygonF area = edge(layer);
        area << QPointF{static_cast<double>(count), height} << QPointF{0, height};
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(classRole(layer)));
        painter.drawPolygon(area);
    }
    painter.setBrush(Qt::NoBrush);
    QPen pen{theme.color(Role::Text, 0.9), 1.25};
    pen.setJoinStyle(Qt::RoundJoin);
    painter.setPen(pen);
    painter.drawPolyline(edge(kLayers - 1));
}

} // namespace plimsoll::ui
