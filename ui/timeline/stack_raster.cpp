// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/stack_raster.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace plimsoll::ui {

namespace {

constexpr std::size_t kLayers = StackColumns::kLayers;
using FlatRows = StripRows::Flat;
using FlatLayers = std::array<FlatRows, kLayers>;
/// Layers thinner than this (in device pixels) have no separator, which would hide them completely.
constexpr int kLeastSeparated = 3;

/// Blends `over` onto opaque or transparent `under`, both premultiplied.
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

/// The number of columns filled together: one cache line per row.
constexpr std::size_t kStrip = FillTile::kStretch;

/// The writable rows of an image, and those of the background picture.
struct Canvas
{
    QRgb* bits;
    const QRgb* ground;
    std::ptrdiff_t stride; ///< in pixels, of both
    std::size_t rows;
};

/// The pixels of one column in sequence; 0 where the background shows.
struct ColumnPixels
{
    QRgb* pixels;
    int height;
    const QRgb* ground; ///< its uppermost pixel
    std::ptrdiff_t stride;

    void blend(int y, QRgb color) const
    {
        if (y < 0 || y >= height)
            return;
        const QRgb under = pixels[y] == 0 ? ground[y * stride] : pixels[y];
        pixels[y] = blended(color, under);
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

/// May be outside the plot.
int layerEdge(const StackColumns& columns, std::size_t column, std::size_t layer, int height)
{
    return height - static_cast<int>(std::lround(columns.top[column][layer]));
}

int upperEdge(const StackColumns& columns, std::size_t column, std::size_t layer, int height)
{
    return std::clamp(layerEdge(columns, column, layer, height), 0, height);
}

/// The vertical extent of the sum's outline in a column: a step curve has no slanted parts. Where
/// the plot cuts the stack there is none.
std::pair<int, int> outlineOf(const StackColumns& columns, std::size_t column, int height,
                              int thickness)
{
    const auto edge = [&](std::size_t at) {
        return std::clamp(layerEdge(columns, at, kLayers - 1, height), -thickness - 1, height + 1);
    };
    const int top = edge(column);
    const int before = column == 0 ? top : edge(column - 1);
    const int from = std::min(top, before);
    return {from, std::max(std::max(top, before), from + thickness)};
}

/// The rows of a strip that one layer covers in all columns, without outline and separators.
FlatLayers flatRows(const StackColumns& columns, std::size_t begin, std::size_t end, int height,
                    int thickness)
{
    std::array<int, kLayers> highest; // of the layer's upper edge in the strip
    std::array<int, kLayers> lowest;
    highest.fill(height);
    lowest.fill(0);
    int outlineEnd = 0;
    for (std::size_t column = begin; column < end; ++column) {
        for (std::size_t layer = 0; layer < kLayers; ++layer) {
            const int edge = upperEdge(columns, column, layer, height);
            highest[layer] = std::min(highest[layer], edge);
            lowest[layer] = std::max(lowest[layer], edge);
        }
        outlineEnd = std::max(outlineEnd, outlineOf(columns, column, height, thickness).second);
    }
    FlatLayers found{};
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
        const int top = std::max(lowest[layer], outlineEnd);
        const int bottom = (layer == 0 ? height : highest[layer - 1]) - thickness;
        if (bottom > top)
            found[layer] = {top, bottom};
    }
    return found;
}

/// Fills downwards to `bottom` by repeating a tile's column.
void fillRun(QRgb* out, const QRgb* bottom, const QRgb* tileColumn, int side, int at)
{
    while (out < bottom) {
        const std::ptrdiff_t count = std::min<std::ptrdiff_t>(side - at, bottom - out);
        out = std::copy_n(tileColumn + at, count, out);
        at = 0;
    }
}

/// Draws the layers of one column and its part of the outline. Leaves rows above and flat rows.
void fillColumn(const ColumnPixels& pixels, const StackColumns& columns, std::size_t column,
                const Brushes& brushes, const FlatLayers& flat)
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
        const auto run = [&](int from, int to) {
            fillRun(pixels.pixels + from, pixels.pixels + to, tileColumn, tile.side,
                    (from + brushes.anchor.y()) % tile.side);
        };
        if (flat[layer].bottom > flat[layer].top) {
            run(top, flat[layer].top);
            run(flat[layer].bottom, bottom);
        } else {
            run(top, bottom);
        }
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

/// Transposes columns of pixels into rows. A fixed width avoids an inner loop.
template <std::size_t Width>
void turn(const Canvas& canvas, const QRgb* strip, std::size_t left, std::size_t first,
          std::size_t last)
{
    const std::ptrdiff_t skipped = static_cast<std::ptrdiff_t>(first) * canvas.stride;
    QRgb* out = canvas.bits + skipped + left;
    const QRgb* under = canvas.ground + skipped + left;
    for (std::size_t y = first; y < last; ++y, out += canvas.stride) {
        for (std::size_t x = 0; x < Width; ++x)
            out[x] = strip[x * canvas.rows + y];
        for (std::size_t x = 0; x < Width; ++x)
            out[x] = out[x] == 0 ? under[x] : out[x];
        under += canvas.stride;
    }
}

/// Restores the background above everything drawn.
void clearRows(const Canvas& canvas, std::size_t left, std::size_t width, std::size_t from,
               std::size_t last)
{
    for (std::size_t y = from; y < last; ++y) {
        const std::ptrdiff_t at =
            static_cast<std::ptrdiff_t>(y) * canvas.stride + static_cast<std::ptrdiff_t>(left);
        std::copy_n(canvas.ground + at, width, canvas.bits + at);
    }
}

/// Fills rows of one layer across the whole strip.
void fillFlat(const Canvas& canvas, std::size_t left, int from, int to, const FillTile& tile,
              const Brushes& brushes)
{
    const auto x =
        static_cast<std::ptrdiff_t>((static_cast<int>(left) + brushes.anchor.x()) % tile.side);
    for (int y = from; y < to; ++y)
        std::copy_n(tile.rows.data() + tile.rowOf(y + brushes.anchor.y()) + x, kStrip,
                    canvas.bits + y * canvas.stride + left);
}

/// Fills those flat rows that don't show the layer yet.
void fillChanged(const Canvas& canvas, std::size_t left, const StripRows& rows,
                 const StripRows& shown, std::size_t layer, const Brushes& brushes)
{
    const FlatRows& flat = rows.flat[layer];
    const FlatRows& kept = shown.flat[layer];
    const FillTile& tile = brushes.tiles[layer];
    const int from = std::clamp(kept.top, flat.top, flat.bottom);
    const int to = std::clamp(kept.bottom, from, flat.bottom);
    fillFlat(canvas, left, flat.top, from, tile, brushes);
    fillFlat(canvas, left, to, flat.bottom, tile, brushes);
}

/// The columns begin..end-1.
struct Strip
{
    std::size_t begin = 0;
    std::size_t end = 0;

    [[nodiscard]] std::size_t width() const { return end - begin; }
};

/// Determines what the rows of a strip will hold.
StripRows rowsOf(const StackColumns& columns, const Strip& at, int height, int thickness)
{
    StripRows rows;
    rows.first = height;
    for (std::size_t column = at.begin; column < at.end; ++column)
        rows.first = std::min(rows.first, outlineOf(columns, column, height, thickness).first - 1);
    rows.first = std::max(rows.first, 0);
    if (at.width() == kStrip)
        rows.flat = flatRows(columns, at.begin, at.end, height, thickness);
    return rows;
}

/// Fills a strip column by column in memory that stays in the cache, then transposes it into the
/// image: writing columns to the image directly would touch another page with every pixel. Rows
/// that show the same as before are skipped, since the image is far larger than the cache.
StripRows fillStrip(const Canvas& canvas, std::vector<QRgb>& pixels, const StackColumns& columns,
                    const Strip& at, const Brushes& brushes, const StripRows& shown)
{
    const auto height = static_cast<int>(canvas.rows);
    const StripRows rows = rowsOf(columns, at, height, brushes.thickness);
    const auto first = static_cast<std::size_t>(rows.first);
    for (std::size_t column = at.begin; column < at.end; ++column) {
        QRgb* own = pixels.data() + (column - at.begin) * canvas.rows;
        const auto top = static_cast<std::size_t>(upperEdge(columns, column, kLayers - 1, height));
        if (top > first)
            std::fill(own + first, own + top, 0U);
        const QRgb* ground = canvas.ground + column;
        fillColumn({own, height, ground, canvas.stride}, columns, column, brushes, rows.flat);
    }
    clearRows(canvas, at.begin, at.width(),
              static_cast<std::size_t>(std::min(shown.first, rows.first)), first);
    if (at.width() < kStrip) {
        for (std::size_t column = 0; column < at.width(); ++column)
            turn<1>(canvas, pixels.data() + column * canvas.rows, at.begin + column, first,
                    canvas.rows);
        return rows;
    }
    std::size_t from = first;
    for (std::size_t layer = kLayers; layer-- > 0;) {
        const FlatRows& flat = rows.flat[layer];
        if (flat.bottom <= flat.top)
            continue;
        turn<kStrip>(canvas, pixels.data(), at.begin, from, static_cast<std::size_t>(flat.top));
        fillChanged(canvas, at.begin, rows, shown, layer, brushes);
        from = static_cast<std::size_t>(flat.bottom);
    }
    turn<kStrip>(canvas, pixels.data(), at.begin, from, canvas.rows);
    return rows;
}

/// `shown`: on entry, what each strip shows already; on return, what it shows now.
void fillStack(const Canvas& canvas, std::size_t width, const StackColumns& columns,
               const Brushes& brushes, std::vector<StripRows>& shown)
{
    const std::size_t count = std::min(columns.count(), width);
    shown.resize((width + kStrip - 1) / kStrip);
    std::vector<QRgb> pixels(kStrip * canvas.rows);
    for (std::size_t begin = 0; begin < width; begin += kStrip) {
        StripRows& here = shown[begin / kStrip];
        const std::size_t end = std::min(begin + kStrip, width);
        if (begin < count)
            here = fillStrip(canvas, pixels, columns, {begin, std::min(end, count)}, brushes, here);
        if (end > count) {
            // Nothing is drawn after the end of the step.
            const std::size_t left = std::max(begin, count);
            clearRows(canvas, left, end - left, 0, canvas.rows);
            here = {};
        }
    }
}

Brushes brushesOf(const FillTiles& tiles, const StackInks& inks, QPoint anchor,
                  double devicePixelRatio)
{
    return {tiles,
            anchor,
            premultiplied(inks.separator),
            premultiplied(inks.outline),
            premultiplied(inks.outline, 0.25),
            std::max(1, static_cast<int>(std::lround(devicePixelRatio)))};
}

} // namespace

void StackPicture::reset(QImage ground)
{
    m_ground = std::move(ground);
    m_isReset = true;
    m_shown.clear();
}

void StackPicture::takeGround(const QRect& plot)
{
    if (m_picture.size() != m_ground.size() || m_picture.format() != m_ground.format()
        || m_picture.devicePixelRatio() != m_ground.devicePixelRatio()) {
        m_picture = m_ground.copy();
        return;
    }
    const std::ptrdiff_t stride = m_picture.bytesPerLine() / 4;
    auto* bits = reinterpret_cast<QRgb*>(m_picture.bits());
    const auto* ground = reinterpret_cast<const QRgb*>(m_ground.constBits());
    const auto copy = [&](int left, int right, std::ptrdiff_t row) {
        std::copy_n(ground + row * stride + left, right - left, bits + row * stride + left);
    };
    const int width = m_picture.width();
    for (int y = 0; y < m_picture.height(); ++y) {
        const bool isBeside = y >= plot.top() && y <= plot.bottom();
        copy(0, isBeside ? plot.left() : width, y);
        if (isBeside)
            copy(plot.right() + 1, width, y);
    }
}

void StackPicture::draw(const QRect& plot, const StackColumns& columns, const FillTiles& tiles,
                        const StackInks& inks)
{
    if (plot != m_plot || &tiles != m_tiles)
        m_shown.clear();
    m_plot = plot;
    m_tiles = &tiles;
    const bool fits = (plot & m_ground.rect()) == plot;
    if (std::exchange(m_isReset, false))
        takeGround(fits ? plot : QRect{});
    if (!fits)
        return;
    const std::ptrdiff_t stride = m_picture.bytesPerLine() / 4;
    const std::ptrdiff_t corner = plot.top() * stride + plot.left();
    fillStack({reinterpret_cast<QRgb*>(m_picture.bits()) + corner,
               reinterpret_cast<const QRgb*>(m_ground.constBits()) + corner, stride,
               static_cast<std::size_t>(plot.height())},
              static_cast<std::size_t>(plot.width()), columns,
              brushesOf(tiles, inks, plot.topLeft(), m_picture.devicePixelRatio()), m_shown);
}

} // namespace plimsoll::ui
