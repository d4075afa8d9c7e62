// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/patterns.h"

#include "ui/timeline/paint_context.h"

#include <QLineF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr int kTile = 60; ///< logical pixels; every pattern's period divides it

/// The cross hatch needs both directions.
void addDiagonals(std::vector<QLineF>& lines, int gap, bool rising)
{
    for (int c = -kTile; c <= 2 * kTile; c += gap)
        lines.push_back(rising ? QLineF(c, 0, c - kTile, kTile) : QLineF(c, 0, c + kTile, kTile));
}

/// The lines of a pattern in a 60 x 60 square that tiles the plane.
std::vector<QLineF> patternLines(std::size_t ink)
{
    std::vector<QLineF> lines;
    switch (classRole(ink)) {
    case Role::ClassOptim: addDiagonals(lines, 6, true); break;
    case Role::ClassBuffer:
        for (int row = 0; row < kTile / 5; ++row)
            for (int x = row % 2 == 0 ? 1 : 6; x < kTile; x += 10)
                lines.emplace_back(x, row * 5 + 2.5, x + 4, row * 5 + 2.5);
        break;
    case Role::ClassGrad:
        for (int y = 0; y < kTile; y += 4)
            lines.emplace_back(0, y + 1.5, kTile, y + 1.5);
        break;
    case Role::ClassInput:
        for (int y = 0; y < kTile; y += 5)
            for (int x = 0; x < kTile; x += 5)
                lines.emplace_back(x + 2, y + 2.5, x + 3.2, y + 2.5);
        break;
    case Role::ClassTemp:
        for (int x = 0; x < kTile; x += 4)
            lines.emplace_back(x + 1.5, 0, x + 1.5, kTile);
        break;
    case Role::ClassWork:
        addDiagonals(lines, 5, true);
        addDiagonals(lines, 5, false);
        break;
    default: break; // plain
    }
    return lines;
}

double patternAlpha(const Theme& theme)
{
    switch (theme.patterns()) {
    case PatternStrength::Off: return 0;
    case PatternStrength::Strong: return 0.6;
    case PatternStrength::Normal: break;
    }
    return theme.isDark() ? 0.26 : 0.30;
}

void paintFill(QPainter& painter, const Theme& theme, std::size_t ink, const QRectF& rect)
{
    painter.fillRect(rect, theme.color(classRole(ink)));
    const double alpha = patternAlpha(theme);
    if (alpha <= 0)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen{theme.color(Role::Panel, alpha), 1};
    pen.setCapStyle(Qt::FlatCap);
    painter.setPen(pen);
    const std::vector<QLineF> lines = patternLines(ink);
    for (double y = 0; y < rect.bottom(); y += kTile)
        for (double x = 0; x < rect.right(); x += kTile)
            for (const QLineF& line : lines)
                painter.drawLine(line.translated(x, y));
}

} // namespace

FillTiles layerTiles(const Theme& theme, const timeline::Layers& layers, double devicePixelRatio)
{
    FillTiles tiles;
    const int side = std::max(1, static_cast<int>(std::lround(kTile * devicePixelRatio)));
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        QImage image{side, side, QImage::Format_ARGB32_Premultiplied};
        {
            QPainter painter{&image};
            painter.scale(static_cast<double>(side) / kTile, static_cast<double>(side) / kTile);
            paintFill(painter, theme, layers[layer].ink, QRectF{0, 0, kTile, kTile});
        }
        FillTile& tile = tiles[layer];
        tile.side = side;
        tile.pixels.resize(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
        auto out = tile.pixels.begin();
        for (int x = 0; x < side; ++x)
            for (int y = 0; y < side; ++y)
                *out++ = image.pixel(x, y);
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side + FillTile::kStretch; ++x)
                tile.rows.push_back(image.pixel(x % side, y));
    }
    return tiles;
}

FillTiles fadedTiles(FillTiles tiles, const QColor& ground, double opacity)
{
    for (FillTile& tile : tiles)
        for (std::vector<QRgb>* pixels : {&tile.pixels, &tile.rows})
            for (QRgb& pixel : *pixels)
                pixel = mixed(QColor{pixel}, opacity, ground).rgb();
    return tiles;
}

QImage layerSwatch(const Theme& theme, std::size_t ink, QSize size, double devicePixelRatio)
{
    QImage image{size * devicePixelRatio, QImage::Format_ARGB32_Premultiplied};
    image.setDevicePixelRatio(devicePixelRatio);
    QPainter painter{&image};
    paintFill(painter, theme, ink, QRectF{QPointF{}, QSizeF{size}});
    return image;
}

} // namespace plimsoll::ui
