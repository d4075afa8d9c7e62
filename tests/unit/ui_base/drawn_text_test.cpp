// SPDX-License-Identifier: Apache-2.0
// Text that is kept as a picture looks like text that is drawn.
#include "ui/base/drawn_text.h"

#include "ui/base/theme.h"

#include "tests/support/test_main.h"

#include <QBuffer>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <QTest>

namespace {

using namespace plimsoll::ui;

constexpr QPointF kStart{20, 30};

QImage blank(double ratio, const QColor& ground)
{
    QImage image{QSize{260, 60} * ratio, QImage::Format_RGB32};
    image.setDevicePixelRatio(ratio);
    image.fill(ground);
    return image;
}

class DrawnTextTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsWhatIsDrawn_data();
    void keepsWhatIsDrawn();
    void tellsColoursAndFontsApart();
    void coversOnlyTheText();
    void drawsLettersOntoDevicesOfShapes();
    void cutsWhatIsTooWide();
};

void DrawnTextTest::keepsWhatIsDrawn_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("ratio");
    QTest::addColumn<bool>("isNumber");
    QTest::addColumn<QColor>("ink");
    QTest::addColumn<QColor>("ground");
    const QColor dark{0x1b1b1b};
    const QColor light{0xf0f4ff};
    QTest::newRow("number, light") << "7.16\u00a0GiB" << 1.0 << true << dark << light;
    QTest::newRow("number, dark, 2x") << "\u2212288.0\u00a0MiB" << 2.0 << true << light << dark;
    QTest::newRow("name") << "transformer.h.3.attn \u2026" << 1.0 << false << dark << light;
    QTest::newRow("name, 2x") << "\u00c4gypten jgf" << 2.0 << false << light << dark;
    QTest::newRow("nothing") << "" << 1.0 << false << light << dark;
}

void DrawnTextTest::keepsWhatIsDrawn()
{
    QFETCH(const QString, text);
    QFETCH(const double, ratio);
    QFETCH(const bool, isNumber);
    QFETCH(const QColor, ink);
    QFETCH(const QColor, ground);
    QImage drawn = blank(ratio, ground);
    {
        QPainter painter{&drawn};
        painter.setPen(ink);
        if (isNumber)
            drawNumber(painter, kStart, text, Qt::AlignLeft);
        else
            drawName(painter, kStart, text);
    }
    QCOMPARE(drawn == blank(ratio, ground), text.isEmpty());
    for (int time = 0; time < 2; ++time) { // made, then kept
        QImage kept = blank(ratio, ground);
        QPainter painter{&kept};
        painter.setPen(ink);
        if (isNumber)
            drawNumberOn(ground, painter, kStart, text, Qt::AlignLeft);
        else
            drawNameOn(ground, painter, kStart, text);
        painter.end();
        QCOMPARE(kept, drawn);
    }
}

void DrawnTextTest::tellsColoursAndFontsApart()
{
    const auto picture = [](const QColor& ink, const QColor& ground, int pixels) {
        QImage image = blank(1, ground);
        QPainter painter{&image};
        QFont font = painter.font();
        font.setPixelSize(pixels);
        painter.setFont(font);
        painter.setPen(ink);
        drawNameOn(ground, painter, kStart, QStringLiteral("name"));
        painter.end();
        return image;
    };
    const QImage first = picture(Qt::black, Qt::white, 12);
    QVERIFY(picture(Qt::red, Qt::white, 12) != first);
    QVERIFY(picture(Qt::black, Qt::yellow, 12) != first);
    QVERIFY(picture(Qt::black, Qt::white, 14) != first);
    QCOMPARE(picture(Qt::black, Qt::white, 12), first);
}

void DrawnTextTest::coversOnlyTheText()
{
    QImage image = blank(1, Qt::green);
    QPainter painter{&image};
    const QString text = QStringLiteral("12 ms");
    const QFontMetricsF metrics{painter.font()};
    const double width = numberWidth(painter.font(), text);
    drawNumberOn(Qt::white, painter, kStart + QPointF{width, 0}, text, Qt::AlignRight);
    painter.end();
    const QRect box =
        QRectF{kStart.x(), kStart.y() - metrics.ascent(), width, metrics.height()}.toAlignedRect();
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (!box.adjusted(-3, -1, 3, 1).contains(x, y))
                QCOMPARE(image.pixelColor(x, y), QColor{Qt::green});
    QCOMPARE(image.pixelColor(box.left(), box.top() + 1), QColor{Qt::white});
}

void DrawnTextTest::drawsLettersOntoDevicesOfShapes()
{
    QBuffer buffer;
    QSvgGenerator shapes;
    shapes.setOutputDevice(&buffer);
    QPainter painter{&shapes};
    drawNameOn(Qt::white, painter, kStart, QStringLiteral("plain letters"));
    painter.end();
    QVERIFY(buffer.data().contains("plain letters"));
    QVERIFY(!buffer.data().contains("<image"));
}

void DrawnTextTest::cutsWhatIsTooWide()
{
    const Theme theme;
    const QFont& font = theme.font(TextRole::Body);
    const QString text = QStringLiteral("transformer.h.11.mlp.dropout");
    const double width = nameWidth(font, text);
    QCOMPARE(fittedName(font, text, Qt::ElideRight, width + 1), text);
    for (int time = 0; time < 2; ++time) {
        const QString right = fittedName(font, text, Qt::ElideRight, width / 2);
        const QString left = fittedName(font, text, Qt::ElideLeft, width / 2);
        QVERIFY(right.endsWith(u'\u2026') && right.startsWith(u"transf"));
        QVERIFY(left.startsWith(u'\u2026') && left.endsWith(u"dropout"));
        QVERIFY(nameWidth(font, right) <= width / 2);
        QVERIFY(nameWidth(font, fittedName(font, text, Qt::ElideRight, width / 3)) <= width / 3);
    }
}

} // namespace

PLIMSOLL_TEST(DrawnTextTest, QApplication)
#include "drawn_text_test.moc"
