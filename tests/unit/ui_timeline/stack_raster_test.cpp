// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/stack_raster.h"

#include "core/base/random.h"
#include "ui/base/theme.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace {

using plimsoll::base::Random;
using namespace plimsoll::ui; // NOLINT(google-build-using-namespace)

constexpr int kMargin = 20; ///< device pixels around the plot
const QColor kGround{0xFB, 0xFB, 0xFC};

/// A stack whose steps are some columns wide; some layers hold nothing.
StackColumns randomColumns(Random& random, std::size_t count, int height)
{
    StackColumns columns;
    columns.height = height;
    std::array<float, StackColumns::kLayers> tops{};
    for (std::size_t column = 0; column < count; ++column) {
        if (column == 0 || random.below(6) == 0) {
            float sum = 0;
            for (float& top : tops) {
                if (random.below(3) > 0)
                    sum += static_cast<float>(random.unit() * height / StackColumns::kLayers);
                top = sum;
            }
        }
        columns.step.push_back(static_cast<std::uint32_t>(column));
        columns.top.push_back(tops);
    }
    return columns;
}

/// Ground with a line in it, as the grid has them.
QImage ground(QSize size, double ratio)
{
    QImage image{size, QImage::Format_RGB32};
    image.fill(kGround);
    image.setDevicePixelRatio(ratio);
    for (int x = 0; x < image.width(); ++x)
        image.setPixelColor(x, kMargin + 7, QColor{0x10, 0x80, 0x20});
    return image;
}

class StackRasterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void drawsEachPlanAsIfItWereTheFirst_data();
    void drawsEachPlanAsIfItWereTheFirst();
    void fadesTilesAsAnOpacityDoes();
};

void StackRasterTest::drawsEachPlanAsIfItWereTheFirst_data()
{
    QTest::addColumn<double>("ratio");
    QTest::addColumn<int>("width");
    QTest::newRow("1x") << 1.0 << 160;
    QTest::newRow("1x, width no multiple of a strip") << 1.0 << 149;
    QTest::newRow("2x") << 2.0 << 331;
}

/// Only rows that change are written: over a long drag none may be left of another plan.
void StackRasterTest::drawsEachPlanAsIfItWereTheFirst()
{
    QFETCH(double, ratio);
    QFETCH(int, width);
    Theme theme;
    const QRect plot{kMargin, kMargin, width, 120};
    const QImage under = ground(plot.size() + QSize{2 * kMargin, 2 * kMargin}, ratio);
    const FillTiles tiles = layerTiles(theme, *plimsoll::timeline::categoryLayers(), ratio);
    const FillTiles pale = fadedTiles(tiles, kGround, 0.45);
    const StackInks inks{QColor{255, 255, 255, 217}, QColor{26, 30, 38, 230}};
    StackPicture dragged;
    dragged.reset(under);
    Random random{7};
    for (int plan = 0; plan < 60; ++plan) {
        // A plan is shorter than the axis at times, and every fifth does not fit.
        const auto count = static_cast<std::size_t>(width) - random.below(20);
        const StackColumns columns = randomColumns(random, count, plot.height());
        const FillTiles& fill = plan % 5 == 4 ? pale : tiles;
        dragged.draw(plot, columns, fill, inks);
        StackPicture first;
        first.reset(under);
        first.draw(plot, columns, fill, inks);
        QCOMPARE(dragged.picture(), first.picture());
    }
}

void StackRasterTest::fadesTilesAsAnOpacityDoes()
{
    Theme theme;
    const FillTiles tiles = layerTiles(theme, *plimsoll::timeline::categoryLayers(), 1.0);
    const FillTiles pale = fadedTiles(tiles, kGround, 0.45);
    for (std::size_t layer = 0; layer < tiles.size(); ++layer) {
        const QColor full{tiles[layer].pixels.front()};
        const QColor faded{pale[layer].pixels.front()};
        QCOMPARE(faded.red(), qRound(full.red() * 0.45 + kGround.red() * 0.55));
        QCOMPARE(QColor{pale[layer].rows.front()}, faded);
    }
}

} // namespace

PLIMSOLL_TEST(StackRasterTest, QApplication)
#include "stack_raster_test.moc"
