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

/// The same stack where only a part of the memory axis is shown: `cut` pixels of it are below.
StackColumns cutColumns(StackColumns columns, float cut, int height)
{
    columns.height = height;
    for (auto& tops : columns.top)
        for (float& top : tops)
            top -= cut;
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
    void cutsTheStackAtTheEdgesOfAPartOfTheAxis();
    void fadesTilesAsAnOpacityDoes();
};

void StackRasterTest::drawsEachPlanAsIfItWereTheFirst_data()
{
    QTest::addColumn<double>("ratio");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("cut");
    QTest::newRow("1x") << 1.0 << 160 << 0;
    QTest::newRow("1x, width no multiple of a strip") << 1.0 << 149 << 0;
    QTest::newRow("2x") << 2.0 << 331 << 0;
    QTest::newRow("a part of the memory axis") << 1.0 << 160 << 50;
}

/// Only rows that change are written: over a long drag none may be left of another plan.
void StackRasterTest::drawsEachPlanAsIfItWereTheFirst()
{
    QFETCH(double, ratio);
    QFETCH(int, width);
    QFETCH(int, cut);
    Theme theme;
    const QRect plot{kMargin, kMargin, width, 120};
    const QImage under = ground(plot.size() + QSize{2 * kMargin, 2 * kMargin}, ratio);
    const FillTiles tiles = layerTiles(theme, *plimsoll::timeline::categoryLayers(), ratio);
    const FillTiles pale = fadedTiles(tiles, kGround, 0.45);
    const StackInks inks{QColor{255, 255, 255, 217}, QColor{26, 30, 38, 230}};
    StackPicture dragged;
    QImage shown = under;
    dragged.reset(shown);
    Random random{7};
    for (int plan = 0; plan < 60; ++plan) {
        if (plan % 7 == 6) { // another axis
            shown = shown.mirrored();
            dragged.reset(shown);
        }
        // A plan is shorter than the axis at times, and every fifth does not fit.
        const auto count = static_cast<std::size_t>(width) - random.below(20);
        const StackColumns columns =
            cutColumns(randomColumns(random, count, plot.height() + 2 * cut),
                       static_cast<float>(cut), plot.height());
        const FillTiles& fill = plan % 5 == 4 ? pale : tiles;
        dragged.draw(plot, columns, fill, inks);
        StackPicture first;
        first.reset(shown);
        first.draw(plot, columns, fill, inks);
        QCOMPARE(first.picture().copy(0, 0, width, kMargin), shown.copy(0, 0, width, kMargin));
        QCOMPARE(dragged.picture(), first.picture());
    }
}

/// What is shown of the stack looks as in the picture of the whole; the edges are no outline.
void StackRasterTest::cutsTheStackAtTheEdgesOfAPartOfTheAxis()
{
    constexpr int kBelow = 60;
    constexpr int kPart = 120;
    constexpr int kSeparated = 4; // a layer cut to less than this has no separator
    Theme theme;
    const QRect whole{kMargin, kMargin, 160, 240};
    const QRect part{kMargin, whole.bottom() + 1 - kBelow - kPart, 160, kPart};
    const QImage under = ground(whole.size() + QSize{2 * kMargin, 2 * kMargin}, 1.0);
    const FillTiles tiles = layerTiles(theme, *plimsoll::timeline::categoryLayers(), 1.0);
    const StackInks inks{QColor{255, 255, 255, 217}, QColor{26, 30, 38, 230}};
    Random random{3};
    int above = 0;
    for (int round = 0; round < 20; ++round) {
        const StackColumns columns = randomColumns(random, 160, 2 * whole.height());
        StackPicture uncut;
        uncut.reset(under);
        uncut.draw(whole, columns, tiles, inks);
        StackPicture cut;
        cut.reset(under);
        cut.draw(part, cutColumns(columns, kBelow, kPart), tiles, inks);
        const QRect inside = part.adjusted(0, kSeparated, 0, -kSeparated);
        QCOMPARE(cut.picture().copy(inside), uncut.picture().copy(inside));
        for (std::size_t column = 1; column < columns.count(); ++column)
            if (columns.totalAt(column) > kBelow + kPart + 2
                && columns.totalAt(column - 1) > kBelow + kPart + 2) {
                ++above;
                const int x = part.left() + static_cast<int>(column);
                QVERIFY(cut.picture().pixelColor(x, part.top()).lightness() > 60);
            }
    }
    QVERIFY(above > 100);
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
