// SPDX-License-Identifier: Apache-2.0
#include "ui/plot/ticks.h"

#include "ui/base/theme.h"
#include "ui/plot/label_placer.h"
#include "ui/plot/paths.h"

#include "tests/support/test_main.h"

#include <QImage>
#include <QPainter>
#include <QTest>

#include <array>

namespace {

using plimsoll::base::Bytes;
using namespace plimsoll::ui; // NOLINT(google-build-using-namespace)

constexpr qint64 kMiB = qint64{1} << 20;

class TicksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void choosesBinarySteps_data();
    void choosesBinarySteps();
    void keepsByteLinesApartForAnySize();
    void labelsTheLowestLineOfAPart_data();
    void labelsTheLowestLineOfAPart();
    void takesTheLargestUnitThatASizeFills();
    void labelsTheEndsOfTheTimeAxis();
    void countsOpsWhereThereAreNoTimes();
    void keepsTimeTicksApart();
    void placesLabelsOnlyWhereTheyMeetNothing();
    void makesPathsOfCurvesAndMarks();
};

void TicksTest::choosesBinarySteps_data()
{
    QTest::addColumn<qint64>("content");
    QTest::addColumn<double>("pixels");
    QTest::addColumn<qint64>("step");
    QTest::addColumn<qint64>("top");
    QTest::addColumn<QString>("label");
    const auto gib = [](qint64 count) { return count * 1024 * kMiB; };
    QTest::newRow("14.9 GiB") << qint64{15260 * kMiB} << 400.0 << gib(2) << gib(16)
                              << QStringLiteral("16 GiB");
    QTest::newRow("low plot") << qint64{15260 * kMiB} << 160.0 << gib(4) << gib(16)
                              << QStringLiteral("16 GiB");
    QTest::newRow("300 MiB") << qint64{300 * kMiB} << 400.0 << 64 * kMiB << 320 * kMiB
                             << QStringLiteral("320 MiB");
    QTest::newRow("3.9 GiB") << qint64{3990 * kMiB} << 400.0 << 512 * kMiB << gib(4)
                             << QStringLiteral("4 GiB");
    QTest::newRow("1.1 GiB") << qint64{1100 * kMiB} << 400.0 << 256 * kMiB << 1280 * kMiB
                             << QStringLiteral("1.25 GiB");
    QTest::newRow("nothing") << qint64{0} << 400.0 << qint64{1} << qint64{8}
                             << QStringLiteral("8 B");
}

void TicksTest::choosesBinarySteps()
{
    QFETCH(qint64, content);
    QFETCH(double, pixels);
    QFETCH(qint64, step);
    QFETCH(qint64, top);
    QFETCH(QString, label);
    const ByteAxis axis = byteAxis(Bytes{content}, pixels);
    QCOMPARE(axis.step.count(), step);
    QCOMPARE(axis.shown.top.count(), top);
    QString last = axis.ticks.back().label;
    QCOMPARE(last.replace(QChar{0xa0}, QChar{u' '}), label);
    QCOMPARE(axis.ticks.front().label, QStringLiteral("0"));
}

void TicksTest::keepsByteLinesApartForAnySize()
{
    for (qint64 content = 1; content < (qint64{1} << 41); content = content * 3 / 2 + 1)
        for (const double pixels : {160.0, 401.0, 900.0}) {
            const ByteAxis axis = byteAxis(Bytes{content}, pixels);
            QVERIFY(axis.ticks.size() <= 9);
            QVERIFY(axis.shown.top.count() >= content);
            QVERIFY(pixels / static_cast<double>(axis.ticks.size() - 1) >= 28 - 1e-9);
            QVERIFY((axis.step.count() & (axis.step.count() - 1)) == 0);
        }
}

void TicksTest::labelsTheLowestLineOfAPart_data()
{
    QTest::addColumn<qint64>("bottom"); // MiB
    QTest::addColumn<qint64>("top");
    QTest::addColumn<QString>("labels");
    QTest::newRow("plannable range") << qint64{49 * 1024} << qint64{64 * 1024 - 1}
                                     << QStringLiteral("50 GiB|52|54|56|58|60|62 GiB");
    QTest::newRow("from 0") << qint64{0} << qint64{9 * 1024} << QStringLiteral("0|2|4|6|8 GiB");
    QTest::newRow("little") << qint64{50 * 1024 + 1} << qint64{50 * 1024 + 33}
                            << QStringLiteral("51204 MiB|51208|51212|51216|51220|51224|51228|"
                                              "51232 MiB");
}

void TicksTest::labelsTheLowestLineOfAPart()
{
    QFETCH(qint64, bottom);
    QFETCH(qint64, top);
    QFETCH(QString, labels);
    const ByteRange shown{Bytes{bottom * kMiB}, Bytes{top * kMiB}};
    const ByteAxis axis = byteAxis(shown, 400);
    QCOMPARE(axis.shown, shown);
    QStringList found;
    for (const Tick& tick : axis.ticks) {
        found << QString{tick.label}.replace(QChar{0xa0}, QChar{u' '});
        QVERIFY(shown.contains(Bytes{static_cast<std::int64_t>(tick.value)}));
        QCOMPARE(static_cast<std::int64_t>(tick.value) % axis.step.count(), 0);
    }
    QCOMPARE(found.join(u'|'), labels);
}

void TicksTest::takesTheLargestUnitThatASizeFills()
{
    const auto nameOf = [](qint64 size) {
        return QString::fromUtf16(byteUnitOf(Bytes{size}).name);
    };
    QCOMPARE(nameOf(0), QStringLiteral("B"));
    QCOMPARE(nameOf(1023), QStringLiteral("B"));
    QCOMPARE(nameOf(3584), QStringLiteral("KiB"));
    QCOMPARE(nameOf(1024 * kMiB - 1), QStringLiteral("MiB"));
    QCOMPARE(nameOf(1024 * kMiB), QStringLiteral("GiB"));
    QCOMPARE(byteUnitOf(Bytes{1024 * kMiB}).factor, 1024 * kMiB);
}

void TicksTest::labelsTheEndsOfTheTimeAxis()
{
    const std::vector<Tick> ticks = timeTicks(0, 164e6, 912);
    QStringList labels;
    for (const Tick& tick : ticks)
        labels.append(QString{tick.label}.replace(QChar{0xa0}, QChar{u' '}));
    QCOMPARE(labels.join(u'|'), QStringLiteral("0 ms|20|40|60|80|100|120|140||164 ms"));
}

void TicksTest::countsOpsWhereThereAreNoTimes()
{
    const std::vector<Tick> ticks = stepTicks(0, 1064, 912, QStringLiteral("op"));
    QCOMPARE(ticks.front().label, QStringLiteral("op 0"));
    QCOMPARE(ticks.back().label, QStringLiteral("1064"));
}

void TicksTest::keepsTimeTicksApart()
{
    for (double length = 1; length < 1e13; length *= 3.7)
        for (const double begin : {0.0, 0.3}) {
            const std::vector<Tick> ticks = timeTicks(begin * length, length, 912);
            QVERIFY(ticks.size() >= 2);
            double before = -1000;
            for (const Tick& tick : ticks) {
                if (tick.label.isEmpty())
                    continue;
                const double x = (tick.value - begin * length) / ((1 - begin) * length) * 912;
                QVERIFY(x - before >= 39.9);
                before = x;
            }
            QCOMPARE(ticks.back().value, length);
        }
}

void TicksTest::placesLabelsOnlyWhereTheyMeetNothing()
{
    LabelPlacer placer{QRectF{0, 0, 100, 40}};
    placer.block(QRectF{40, 0, 20, 40});
    const std::array places{QRectF{30, 10, 20, 10}, QRectF{90, 10, 20, 10}, QRectF{5, 10, 20, 10}};
    QCOMPARE(placer.place(places), std::optional{QRectF(5, 10, 20, 10)});
    QCOMPARE(placer.place(places), std::optional<QRectF>{});
}

void TicksTest::makesPathsOfCurvesAndMarks()
{
    const QPolygonF curve =
        stepCurve(QPolygonF{{QPointF{0, 50}, QPointF{50, 20}, QPointF{99, 20}}});
    QCOMPARE(curve, (QPolygonF{{QPointF{0, 50}, QPointF{50, 50}, QPointF{50, 20}, QPointF{99, 20},
                                QPointF{99, 20}}}));
    QImage image{100, 100, QImage::Format_RGB32};
    image.fill(Qt::white);
    QPainter painter{&image};
    painter.fillPath(markerPath(3, {70, 70}, 5), QColor{0, 150, 0});
    painter.setPen(QPen{QColor{0, 0, 200}, 2});
    painter.drawPath(hatchPath(QRectF{10, 10, 20, 20}, 5));
    painter.end();
    QCOMPARE(image.pixelColor(70, 70), (QColor{0, 150, 0}));
    QCOMPARE(image.pixelColor(20, 20).blue(), 200); // on the line x + y = 40
    QCOMPARE(image.pixelColor(5, 5), QColor{Qt::white});
    QVERIFY(hatchPath({}, 5).isEmpty() && hatchPath(QRectF{0, 0, 9, 9}, 0).isEmpty());
}

} // namespace

PLIMSOLL_TEST(TicksTest, QApplication)
#include "ticks_test.moc"
