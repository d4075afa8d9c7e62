// SPDX-License-Identifier: Apache-2.0
// The mouse wheel over a form changes no setting: the form gets it, and scrolls.
#include "ui/plan_panel/budget_panel.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QTest>
#include <QWheelEvent>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;

class WheelTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void changesNoSetting();
};

/// Whether the widget, or the part of it that is under the pointer, takes the event: else Qt passes
/// it on to the parents.
bool takesWheel(QWidget& widget)
{
    QWidget* part = widget.childAt(widget.rect().center());
    QWidget& under = part != nullptr ? *part : widget;
    const QPointF middle{under.rect().center()};
    QWheelEvent event{middle,         under.mapToGlobal(middle), {},   {0, -120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase,         false};
    QCoreApplication::sendEvent(&under, &event);
    return event.isAccepted();
}

void WheelTest::changesNoSetting()
{
    PlannerPage* page = openPlanned("gpt2");
    QVERIFY(page != nullptr);
    const auto choices = page->document().document().choices;
    auto& panel = viewOf<BudgetPanel>(*page);
    int combos = 0;
    for (QComboBox* combo : panel.findChildren<QComboBox*>()) {
        if (!combo->isVisibleTo(&panel) || !combo->isEnabled() || combo->count() < 2)
            continue;
        for (const bool hasFocus : {false, true}) {
            if (hasFocus)
                combo->setFocus();
            const int before = combo->currentIndex();
            combo->setCurrentIndex(before);
            QVERIFY2(!takesWheel(*combo), qPrintable(combo->accessibleName()));
            QCOMPARE(combo->currentIndex(), before);
        }
        ++combos;
    }
    panel.findChild<QComboBox*>()->setFocus();
    int numbers = 0;
    for (QAbstractSpinBox* box : panel.findChildren<QAbstractSpinBox*>()) {
        if (!box->isVisibleTo(&panel) || !box->isEnabled())
            continue;
        const QString before = box->text();
        QVERIFY2(!takesWheel(*box), qPrintable(box->accessibleName()));
        QCOMPARE(box->text(), before);
        ++numbers;
    }
    QVERIFY2(combos >= 3 && numbers >= 3,
             qPrintable(QStringLiteral("%1 lists, %2 numbers").arg(combos).arg(numbers)));
    QTest::qWait(50);
    QVERIFY(page->document().document().choices == choices);
    QVERIFY(!page->document().isPlanning());
}

} // namespace

PLIMSOLL_TEST(WheelTest, QApplication)
#include "wheel_test.moc"
