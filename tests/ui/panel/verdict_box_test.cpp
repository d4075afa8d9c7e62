// SPDX-License-Identifier: Apache-2.0
// The box with the sentence about a plan: wrapped inside, grown for long texts, and still while the
// sentence changes.
#include "ui/plan_panel/verdict_box.h"

#include "ui/base/theme.h"

#include "tests/support/test_main.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QImage>
#include <QMenu>
#include <QTest>
#include <QVBoxLayout>

#include <cstdlib>

namespace {

using namespace plimsoll::ui;

constexpr int kPanelWidth = 294;
const QString kShort = QStringLiteral("Fits 8.47 GiB with 2 MiB to spare.");
const QString kLong = QStringLiteral(
    "No plan fits 1.00 GiB with these moves: 5.99 GiB must be live at once at "
    "log_softmax_backward_data, backward. Smallest with a plan: 6.02 GiB. And so that this is "
    "longer than any sentence of today, it goes on for another two or three lines at least.");

/// Counts what asks a widget for a new layout.
class LayoutCounter : public QObject
{
public:
    using QObject::QObject;
    int count = 0;

protected:
    bool eventFilter(QObject* /*watched*/, QEvent* event) override
    {
        count += event->type() == QEvent::LayoutRequest ? 1 : 0;
        return false;
    }
};

class VerdictBoxTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsItsTextInside_data();
    void keepsItsTextInside();
    void asksForNoLayoutWhileSentencesChange();
    void givesTheSentenceAway();
};

void VerdictBoxTest::keepsItsTextInside_data()
{
    QTest::addColumn<bool>("isDark");
    QTest::addColumn<int>("percent");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<bool>("grows");
    for (const bool isDark : {false, true})
        for (const int percent : {100, 200})
            for (const bool isLong : {false, true})
                QTest::addRow("%s, %d %%, %s", isDark ? "dark" : "light", percent,
                              isLong ? "long" : "short")
                    << isDark << percent << (isLong ? kLong : kShort) << isLong;
}

void VerdictBoxTest::keepsItsTextInside()
{
    QFETCH(const bool, isDark);
    QFETCH(const int, percent);
    QFETCH(const QString, sentence);
    QFETCH(const bool, grows);
    Theme theme;
    theme.setChoice(isDark ? ThemeChoice::Dark : ThemeChoice::Light);
    theme.setScalePercent(percent);
    QWidget panel;
    auto* column = new QVBoxLayout{&panel};
    column->setContentsMargins(0, 0, 0, 0);
    auto* box = new VerdictBox{&panel};
    column->addWidget(box);
    column->addStretch(1);
    panel.resize(theme.px(kPanelWidth), theme.px(400));
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    box->show(Verdict::Good, sentence);
    QTRY_VERIFY(box->height() >= static_cast<int>(box->textRect().height()) + 2 * theme.px(8));

    QCOMPARE(box->sentence(), sentence);
    QCOMPARE(box->width(), theme.px(kPanelWidth));
    QCOMPARE(box->height() > theme.px(78), grows);
    const QRectF room = QRectF{box->rect()}.adjusted(theme.px(30), 0, -theme.px(10), 0);
    QVERIFY2(room.contains(box->textRect()), "the text leaves its place");
    // What was painted agrees: ink of the text inside, none at the edges.
    const QImage picture = box->grab().toImage();
    const QColor ink = theme.color(Role::Text);
    const QColor ground = theme.color(Role::OkBg);
    const double ratio = picture.devicePixelRatio();
    int inside = 0;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) {
            const QPointF at{x / ratio, y / ratio};
            const QColor color = picture.pixelColor(x, y);
            const bool isInk = std::abs(color.lightness() - ink.lightness()) < 40;
            if (box->textRect().contains(at))
                inside += isInk ? 1 : 0;
            else if (at.x() > room.left())
                QVERIFY2(!isInk, "ink beside the text");
        }
    QVERIFY(inside > 100);
    QCOMPARE(picture.pixelColor(picture.width() / 2, 2), ground);

    // Back to a short sentence, the box is as high as ever.
    box->show(Verdict::Bad, kShort);
    QTRY_COMPARE(box->height(), theme.px(78));
}

void VerdictBoxTest::asksForNoLayoutWhileSentencesChange()
{
    const Theme theme;
    QWidget panel;
    auto* column = new QVBoxLayout{&panel};
    auto* box = new VerdictBox{&panel};
    column->addWidget(box);
    panel.resize(kPanelWidth, 300);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    box->show(Verdict::Good, kShort);
    QCoreApplication::sendPostedEvents();
    LayoutCounter counter;
    panel.installEventFilter(&counter);
    for (int mebibytes = 2; mebibytes < 40; ++mebibytes) {
        box->show(
            Verdict::Good,
            QStringLiteral("Fits 8.%1 GiB with %2 MiB to spare.").arg(mebibytes).arg(mebibytes));
        QCoreApplication::sendPostedEvents();
    }
    QCOMPARE(counter.count, 0);
}

void VerdictBoxTest::givesTheSentenceAway()
{
    const Theme theme;
    VerdictBox box;
    box.resize(kPanelWidth, box.height());
    box.QWidget::show();
    box.show(Verdict::Good, kShort);
    QCOMPARE(box.accessibleName(), kShort);
    QContextMenuEvent event{QContextMenuEvent::Mouse, {20, 20}, box.mapToGlobal(QPoint{20, 20})};
    QCoreApplication::sendEvent(&box, &event);
    auto* menu = box.findChild<QMenu*>();
    QVERIFY(menu != nullptr);
    QCOMPARE(menu->actions().size(), 1);
    menu->actions().constFirst()->trigger();
    QCOMPARE(QApplication::clipboard()->text(), kShort);
    menu->close();
}

} // namespace

PLIMSOLL_TEST(VerdictBoxTest, QApplication)
#include "verdict_box_test.moc"
