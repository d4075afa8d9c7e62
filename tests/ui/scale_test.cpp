// SPDX-License-Identifier: Apache-2.0
// Larger and smaller while the window is open: all of it follows, not only what is painted.
#include "ui/plan_panel/answer_head.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/shell/view_bar.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QFormLayout>
#include <QTabBar>
#include <QTest>
#include <QVBoxLayout>

#include <cstdlib>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;

class ScaleTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void isAsIfItHadBegunSo();
    void comesBackExactly();
    void leavesWhatItsOwnerSet();
    void takesTheDocksAlong();
    void takesIconsAlong();

private:
    /// Margins and spacings of every layout of the window that has any, in order.
    [[nodiscard]] QStringList lengths() const;
};

QStringList ScaleTest::lengths() const
{
    QStringList result;
    for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
        const QLayout* layout = widget->layout();
        if (layout == nullptr || qobject_cast<const QBoxLayout*>(layout) == nullptr)
            continue;
        const QMargins margins = layout->contentsMargins();
        result << QStringLiteral("%1: %2 %3 %4 %5, %6")
                      .arg(QString::fromLatin1(widget->metaObject()->className()))
                      .arg(margins.left())
                      .arg(margins.top())
                      .arg(margins.right())
                      .arg(margins.bottom())
                      .arg(layout->spacing());
    }
    result.sort(); // the answer moves between the panel and the page
    return result;
}

void ScaleTest::isAsIfItHadBegunSo()
{
    for (int i = 0; i < 5; ++i)
        QTest::keyClick(m_window.get(), Qt::Key_Plus, Qt::ControlModifier);
    QCOMPARE(m_theme->scalePercent(), 150);
    QVERIFY(open(sampleFile("resnet18")) != nullptr);
    const QStringList begunAt150 = lengths();
    trigger("view.smaller");
    trigger("view.larger");
    QCOMPARE(lengths(), begunAt150);
    const auto* panel = currentPage()->findChild<AnswerHead*>();
    QCOMPARE(panel->layout()->contentsMargins().left(), m_theme->px(12));
    m_settings->setScalePercent(75);
    QCOMPARE(panel->layout()->contentsMargins().left(), m_theme->px(12));
    QCOMPARE(panel->layout()->spacing(), m_theme->px(8));
    const auto* form = currentPage()->findChild<BudgetPanel*>()->findChild<QFormLayout*>();
    QCOMPARE(form->horizontalSpacing(), m_theme->px(8));
    QCOMPARE(m_window->findChild<ViewBar*>()->layout()->contentsMargins().left(), m_theme->px(10));
}

void ScaleTest::comesBackExactly()
{
    QVERIFY(open(sampleFile("resnet18")) != nullptr);
    const QStringList before = lengths();
    for (const int percent : {110, 175, 300, 90, 75, 125, 100})
        m_settings->setScalePercent(percent);
    QCOMPARE(lengths(), before);
}

void ScaleTest::leavesWhatItsOwnerSet()
{
    QWidget widget;
    auto* layout = new QVBoxLayout{&widget};
    auto* inner = new QHBoxLayout;
    layout->addLayout(inner);
    inner->addSpacing(20);
    auto* fixed = new QWidget{&widget};
    fixed->setFixedSize(16, 16);
    layout->addWidget(fixed);
    layout->setContentsMargins(10, 4, 10, 4);
    m_settings->setScalePercent(200);
    QCOMPARE(layout->contentsMargins(), QMargins(20, 8, 20, 8));
    QCOMPARE(inner->itemAt(0)->spacerItem()->sizeHint().width(), 40);
    QCOMPARE(fixed->size(), QSize(32, 32));
    layout->setContentsMargins(6, 6, 6, 6); // meant at 200 %
    m_settings->setScalePercent(100);
    QCOMPARE(layout->contentsMargins(), QMargins(3, 3, 3, 3));
    QCOMPARE(inner->itemAt(0)->spacerItem()->sizeHint().width(), 20);
    QCOMPARE(fixed->minimumSize(), QSize(16, 16));
}

/// What is in them would be cut off.
void ScaleTest::takesTheDocksAlong()
{
    m_window->resize(2800, 2400); // no scroll bar comes with the plan, or at 200 %
    PlannerPage* page = openPlanned("resnet18");
    QVERIFY(page != nullptr);
    QTest::qWait(50);
    const auto* panel = page->findChild<BudgetPanel*>();
    const int before = panel->width();
    m_settings->setScalePercent(200);
    QTest::qWait(50);
    QVERIFY2(std::abs(panel->width() - 2 * before) <= 12,
             qPrintable(QString::number(panel->width())));
    m_settings->setScalePercent(100);
    QTest::qWait(50);
    QVERIFY2(std::abs(panel->width() - before) <= 12, qPrintable(QString::number(panel->width())));
}

void ScaleTest::takesIconsAlong()
{
    QVERIFY(open(sampleFile("resnet18")) != nullptr);
    const auto* tabs = m_window->findChild<QTabBar*>();
    const int before = tabs->iconSize().width();
    m_settings->setScalePercent(200);
    QCOMPARE(tabs->iconSize().width(), 2 * before);
    m_settings->setScalePercent(100);
    QCOMPARE(tabs->iconSize().width(), before);
}

} // namespace

PLIMSOLL_TEST(ScaleTest, QApplication)
#include "scale_test.moc"
