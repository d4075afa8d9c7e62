// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/stack_raster.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

/// Columns that are filled together: a cache line of each row.
constexpr std::size_t kStrip = 16;

/// The pixels of one column, one after the other.
struct ColumnPixels
{
    QRgb* pixels;
    int height;

    void blend(int y, QRgb color) const
    {
        if (y >= 0 && y < height)
            pixels[y] = blended(color, pixels[y]);
    }
};

struct Brushes
{
    const FillTiles& tiles;
    QPoint anchor;
    QRgb separator;
    QRgb outline;
    QRgb outlineEdge;
    int thickness;
};

int upperEdge(const StackColumns& columns, std::size_t column, std::size_t layer, int height)
{
    const auto up = static_cast<int>(std::lround(columns.top[column][layer]));
    return std::clamp(height - up, 0, height);
}

/// Where the outline of the sum begins and ends in a column: a step curve has only level and
/// upright parts.
std::pair<int, int> outlineOf(const StackColumns& columns, std::size_t column, int height,
                              int thickness)
{
    const int top = upperEdge(columns, column, kLayers - 1, height);
    const int before = column == 0 ? top : upperEdge(columns, column - 1, kLayers - 1, height);
    const int from = std::min(top, before);
    return {from, std::max(std::max(top, before), from + thickness)};
}

/// Repeats a tile's column down to `bottom`.
void fillRun(QRgb* out, const QRgb* bottom, const QRgb* tileColumn, int side, int at)
{
    while (out < bottom) {
        const std::ptrdiff_t count = std::min<std::ptrdiff_t>(side - at, bottom - out);
        out = std::copy_n(tileColumn + at, count, out);
        at = 0;
    }
}

/// The layers of one column, and its part of the outline. What is above stays as it is.
void fillColumn(const ColumnPixels& pixels, const StackColumns& columns, std::size_t column,
                const Brushes& brushes)
{
    const auto x = static_cast<int>(column);
    const int thickness = brushes.thickness;
    int bottom = pixels.height;
    int previousThickness = 0;
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
        const int top = upperEdge(columns, column, layer, pixels.height);
        if (top >= bottom)
            continue;
        const FillTile& tile = brushes.tiles[layer];
        const QRgb* tileColumn =
            tile.pixels.data()
            + static_cast<std::ptrdiff_t>((x + brushes.anchor.x()) % tile.side) * tile.side;
        fillRun(pixels.pixels + top, pixels.pixels + bottom, tileColumn, tile.side,
                (top + brushes.anchor.y()) % tile.side);
        if (previousThickness >= kLeastSeparated * thickness
            && bottom - top >= kLeastSeparated * thickness)
            for (int i = 0; i < thickness; ++i)
                pixels.blend(bottom - 1 - i, brushes.separator);
        previousThickness = bottom - top;
        bottom = top;
    }
    const auto [from, to] = outlineOf(columns, column, pixels.height, thickness);
    for (int y = from; y < to; ++y)
        pixels.blend(y, brushes.outline);
    pixels.blend(from - 1, brushes.outlineEdge);
}

/// Writable rows of an image.
struct Canvas
{
    QRgb* bits;
    std::ptrdiff_t stride; ///< in pixels
    std::size_t rows;
};

/// Turns columns of pixels into rows; nothing is above row `first`. A fixed width needs no loop.
template <std::size_t Width>
void turn(const Canvas& canvas, const QRgb* strip, std::size_t left, std::size_t first)
{
    QRgb* out = canvas.bits + left;
    for (std::size_t y = 0; y < first; ++y, out += canvas.stride)
        for (std::size_t x = 0; x < Width; ++x)
            out[x] = 0;
    for (std::size_t y = first; y < canvas.rows; ++y, out += canvas.stride)
        for (std::size_t x = 0; x < Width; ++x)
            out[x] = strip[x * canvas.rows + y];
}

/// Fills a strip column by column in memory that stays in the cache, then turns it into rows of the
/// image: going down the image itself would touch another page with every pixel.
void fillStrip(const Canvas& canvas, std::vector<QRgb>& strip, const StackColumns& columns,
               std::size_t begin, std::size_t end, const Brushes& brushes)
{
    const auto height = static_cast<int>(canvas.rows);
    int highest = height;
    for (std::size_t column = begin; column < end; ++column)
        highest =
            std::min(highest, outlineOf(columns, column, height, brushes.thickness).first - 1);
    const auto first = static_cast<std::size_t>(std::max(highest, 0));
    for (std::size_t column = begin; column < end; ++column) {
        QRgb* pixels = strip.data() + (column - begin) * canvas.rows;
        std::fill(pixels + first, pixels + canvas.rows, 0U);
        fillColumn({pixels, height}, columns, column, brushes);
    }
    if (end - begin == kStrip) {
        turn<kStrip>(canvas, strip.data(), begin, first);
        return;
    }
    for (std::size_t column = begin; column < end; ++column)
        turn<1>(canvas, strip.data() + (column - begin) * canvas.rows, column, first);
}

} // namespace

QImage rasterStack(const StackColumns& columns, const FillTiles& tiles, const StackInks& inks,
                   QSize size, QPoint anchor, double devicePixelRatio, QImage reuse)
{
    QImage image = std::move(reuse);
    if (image.size() != size)
        image = QImage{size, QImage::Format_ARGB32_Premultiplied};
    if (image.isNull())
        return image;
    const Brushes brushes{tiles,
                          anchor,
                          premultiplied(inks.separator),
                          premultiplied(inks.outline),
                          premultiplied(inks.outline, 0.25),
                          std::max(1, static_cast<int>(std::lround(devicePixelRatio)))};
    const std::size_t count = std::min(columns.count(), static_cast<std::size_t>(size.width()));
    const Canvas canvas{reinterpret_cast<QRgb*>(image.bits()), image.bytesPerLine() / 4,
                        static_cast<std::size_t>(size.height())};
    std::vector<QRgb> strip(kStrip * canvas.rows);
    for (std::size_t begin = 0; begin < count; begin += kStrip)
        fillStrip(canvas, strip, columns, begin, std::min(begin + kStrip, count), brushes);
    // Right of the end of the step there is nothing.
    for (std::size_t y = 0; y < canvas.rows; ++y)
        std::fill_n(canvas.bits + static_cast<std::ptrdiff_t>(y) * canvas.stride + count,
                    static_cast<std::size_t>(size.width()) - count, 0U);
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
