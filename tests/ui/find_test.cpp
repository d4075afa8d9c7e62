// SPDX-License-Identifier: Apache-2.0
// Finding as a user does it: by key, typing, going from hit to hit, and back with Esc.
#include "core/graph/find_index.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/shell/find_field.h"
#include "ui/shell/view_bar.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAction>
#include <QElapsedTimer>
#include <QTest>
#include <QToolButton>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;

class FindTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void goesFromHitToHit();
    void bringsTheStepIntoView();
    void saysWhenThereIsNone();
    void leavesLettersToTextFields();
    void foldsInANarrowWindow();
    void isInstantOnALargeStep();

private:
    [[nodiscard]] FindField& field() const { return *m_window->findChild<FindField*>(); }
    void type(const char* text) { QTest::keyClicks(&field(), QString::fromLatin1(text)); }
    [[nodiscard]] bool shows(const char* count) const
    {
        return QTest::qWaitFor([&] { return field().shownCount() == QString::fromLatin1(count); },
                               kPatience);
    }
};

void FindTest::goesFromHitToHit()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
    QVERIFY(field().hasFocus());
    type("maxpool");
    const auto& program = *page->document().document().graph.program;
    const auto ops = plimsoll::graph::FindIndex{program}.find("maxpool");
    QVERIFY(ops.size() >= 2);
    const QByteArray of = " of " + QByteArray::number(qulonglong(ops.size()));
    QVERIFY(shows("1" + of));
    const auto stepOf = [&](std::size_t hit) {
        const auto& schedule = *page->document().shownPlan()->evaluation().schedule;
        return static_cast<std::size_t>(schedule.stepOfOp[ops[hit].index()]);
    };
    QCOMPARE(viewOf<BudgetTimelineView>(*page).cursorStep(), stepOf(0));
    QTest::keyClick(&field(), Qt::Key_Return);
    QVERIFY(shows("2" + of));
    QCOMPARE(viewOf<BudgetTimelineView>(*page).cursorStep(), stepOf(1));
    QTest::keyClick(&field(), Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClick(&field(), Qt::Key_Return, Qt::ShiftModifier); // over the beginning
    QVERIFY(shows(QByteArray::number(qulonglong(ops.size())) + of));
    // In the plot the letters do it.
    viewOf<BudgetTimelineView>(*page).setFocus();
    QTest::keyClick(&viewOf<BudgetTimelineView>(*page), Qt::Key_N);
    QVERIFY(shows("1" + of));
    QTest::keyClick(&viewOf<BudgetTimelineView>(*page), Qt::Key_N, Qt::ShiftModifier);
    QVERIFY(shows(QByteArray::number(qulonglong(ops.size())) + of));
    QTest::keyClick(&viewOf<BudgetTimelineView>(*page), Qt::Key_Slash);
    QVERIFY(field().hasFocus());
    QCOMPARE(field().selectedText(), QStringLiteral("maxpool"));
    QTest::keyClick(&field(), Qt::Key_Escape);
    QCOMPARE(field().text(), QString{});
    QCOMPARE(field().shownCount(), QString{});
    QVERIFY(viewOf<BudgetTimelineView>(*page).hasFocus());
}

void FindTest::bringsTheStepIntoView()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    viewOf<BudgetTimelineView>(*page).setVisibleRange({0.9, 1.0});
    trigger("edit.find");
    type("conv1.weight");
    QVERIFY(QTest::qWaitFor([&] { return !field().shownCount().isEmpty(); }, kPatience));
    QVERIFY(viewOf<BudgetTimelineView>(*page).visibleRange().begin < 0.5);
    QVERIFY(viewOf<BudgetTimelineView>(*page).visibleRange().end
                - viewOf<BudgetTimelineView>(*page).visibleRange().begin
            < 0.11);
}

void FindTest::saysWhenThereIsNone()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    trigger("edit.find");
    type("no such thing");
    QVERIFY(shows("0 hits"));
    QVERIFY(field().property("fault").toBool());
    QVERIFY(!viewOf<BudgetTimelineView>(*page).cursorStep());
    const QColor danger = m_theme->color(Role::Danger);
    const QImage picture = field().grab().toImage();
    QCOMPARE(picture.pixelColor(picture.width() / 2, 0).name(), danger.name());
    field().clear();
    QVERIFY(!field().property("fault").toBool());
    QCOMPARE(field().shownCount(), QString{});
}

void FindTest::leavesLettersToTextFields()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
    // Each of these is a command where no text field has the focus.
    type("whn/bm");
    QCOMPARE(field().text(), QStringLiteral("whn/bm"));
    QVERIFY(field().hasFocus());
    QCOMPARE(viewOf<BudgetTimelineView>(*page).visibleRange().begin, 0.0);
    QVERIFY(viewOf<BudgetTimelineView>(*page).pinnedSteps().empty());
}

void FindTest::foldsInANarrowWindow()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QVERIFY(field().isVisible());
    QCOMPARE(field().width(), m_theme->px(300));
    m_window->resize(1024, 640);
    QVERIFY(QTest::qWaitFor([&] { return !field().isVisible(); }, kPatience));
    QToolButton* folded = nullptr;
    for (QToolButton* button : m_window->findChild<ViewBar*>()->findChildren<QToolButton*>())
        if (button->isVisible()
            && button->defaultAction()
                   == m_window->findChild<QAction*>(QStringLiteral("edit.find")))
            folded = button;
    QVERIFY(folded != nullptr);
    QTest::mouseClick(folded, Qt::LeftButton);
    QVERIFY(field().isVisible() && field().hasFocus());
    QVERIFY(!folded->isVisible());
    QTest::keyClick(&field(), Qt::Key_Escape);
    QVERIFY(QTest::qWaitFor([&] { return !field().isVisible(); }, kPatience));
    QVERIFY(folded->isVisible());
}

void FindTest::isInstantOnALargeStep()
{
    PlannerPage* page = open(sampleFile("gpt2"));
    QVERIFY(page != nullptr);
    page->document().stopPlanning();
    trigger("edit.find");
    QElapsedTimer clock;
    clock.start();
    type("attn");
    QVERIFY2(clock.elapsed() < 50, qPrintable(QString::number(clock.elapsed())));
    QVERIFY(QTest::qWaitFor([&] { return field().shownCount().contains(QStringLiteral(" of ")); },
                            kPatience));
}

} // namespace

PLIMSOLL_TEST(FindTest, QApplication)
#include "find_test.moc"
