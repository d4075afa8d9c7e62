// SPDX-License-Identifier: Apache-2.0
// Texts at small window sizes: nothing in the budget panel is cut.
#include "ui/base/widgets.h"
#include "ui/models/run_model.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/tables/column_fitter.h"

#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractSpinBox>
#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTest>

#include <algorithm>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;
using plimsoll::base::Bytes;

class FittingTextsTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow({1280, 800}); }
    void cleanup() { closeWindow(); }
    void cutsNothingInThePanel_data();
    void cutsNothingInThePanel();
    void tellsTheGpuWhole();
    void tellsRunsWhole();
    void tellsAllOfAFieldsFault_data();
    void tellsAllOfAFieldsFault();
};

/// The texts that are cut, each with the width it has.
QStringList cutTexts(const QWidget& panel)
{
    QStringList cut;
    for (TextLabel* label : panel.findChildren<TextLabel*>()) {
        if (!label->isVisible())
            continue;
        label->grab(); // decides on the tool tip
        if (!label->toolTip().isEmpty())
            cut << QStringLiteral("%1 (in %2 px)").arg(label->text()).arg(label->width());
    }
    for (const QCheckBox* box : panel.findChildren<QCheckBox*>())
        if (box->isVisible() && box->width() < box->sizeHint().width())
            cut << box->text();
    return cut;
}

void FittingTextsTest::cutsNothingInThePanel_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<bool>("isParallel");
    if (isExhaustive()) // the sample that takes longest to plan
        QTest::newRow("two long figures") << QStringLiteral("densenet121") << false;
    QTest::newRow("all fields") << QStringLiteral("gpt2") << false;
    QTest::newRow("data parallel") << QStringLiteral("resnet18") << true;
}

void FittingTextsTest::cutsNothingInThePanel()
{
    QFETCH(QString, sample);
    PlannerPage* page = openPlanned(qPrintable(sample));
    QVERIFY(page != nullptr);
    QFETCH(bool, isParallel);
    if (isParallel) {
        for (QCheckBox* box : viewOf<BudgetPanel>(*page).findChildren<QCheckBox*>())
            if (box->text() == QStringLiteral("Data parallel (DDP)"))
                box->click();
        QVERIFY(QTest::qWaitFor([&] { return page->document().isPlanned(); }, kPatience));
        QVERIFY(page->document().document().choices.parallel);
    }
    const auto* area = page->findChild<QScrollArea*>();
    QVERIFY(area->verticalScrollBar()->isVisible()); // beside which they have the least room
    const Bytes smallest = page->document().planned()->smallestPeak;
    const Bytes unplanned = page->document().planned()->unplanned->evaluation().peak;
    const Bytes bound = page->document().planned()->peakBound.bytes;
    for (const Bytes budget : {unplanned, smallest, Bytes{(smallest + unplanned).count() / 2},
                               Bytes{(bound + smallest).count() / 2}, Bytes{bound.count() / 2}}) {
        page->document().commitBudget(budget);
        QVERIFY(QTest::qWaitFor([&] { return page->document().isRefined(); }, kPatience));
        const QStringList cut = cutTexts(viewOf<BudgetPanel>(*page));
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(u'\n')));
    }
}

/// The memory of an H100 is written with two decimals; the icon gives way to it.
void FittingTextsTest::tellsTheGpuWhole()
{
    m_window->resize(1280, 720);
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto& combo = viewOf<FittingCombo>(*page);
    const QString text = QStringLiteral("H100 80GB SXM · 79.65\u00a0GiB");
    combo.setCurrentIndex(combo.findText(text));
    QCOMPARE(combo.shown().currentText, text);
    QVERIFY(combo.shown().currentIcon.isNull());
    combo.setCurrentIndex(combo.findText(QStringLiteral("L4 24GB"), Qt::MatchStartsWith));
    QCOMPARE(combo.shown().currentText, combo.currentText());
    QVERIFY(!combo.shown().currentIcon.isNull());
    combo.resize(120, combo.height());
    const QString elided = combo.shown().currentText;
    QVERIFY2(elided.contains(u'…') && elided.endsWith(QStringLiteral("GiB")), qPrintable(elided));
}

/// In a small window only what is known of a run's plan gives way.
void FittingTextsTest::tellsRunsWhole()
{
    m_window->resize(1024, 640);
    PlannerPage* page = openKept("gpt2");
    QVERIFY(page != nullptr);
    page->document().commitBudget(Bytes{1 << 30}); // without a plan
    QVERIFY(isDone(*page));
    chooseTab(*page, QStringLiteral("Runs"));
    const RunModel& runs = viewOf<RunModel>(*page);
    QCOMPARE(runs.rowCount(), 2);
    const auto& table = *qobject_cast<QTableView*>(runs.parent());
    QTRY_COMPARE(table.horizontalHeader()->length(), table.viewport()->width());
    for (int column = 0; column < RunModel::ColumnCount; ++column) {
        int needed = headWidth(*table.horizontalHeader(), column);
        for (int row = 0; row < runs.rowCount(); ++row)
            needed = std::max(needed, cellWidth(table.font(), runs.index(row, column)));
        if (column != RunModel::StatusColumn)
            QVERIFY2(table.columnWidth(column) >= needed,
                     qPrintable(runs.headerData(column, Qt::Horizontal).toString()));
    }
    QVERIFY(table.columnWidth(RunModel::StatusColumn) >= m_theme->px(90));
}

/// What may be written stands at the end of the sentence.
void FittingTextsTest::tellsAllOfAFieldsFault_data()
{
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("fault");
    QTest::newRow("budget") << QStringLiteral("Budget") << QStringLiteral("lots")
                            << QStringLiteral(
                                   "\"lots\" is not an amount of memory. Write 7.25, 7.25 GiB, "
                                   "7424 MiB, 90 % of the unplanned peak or the GPU's name.");
    QTest::newRow("size")
        << QStringLiteral("Sequence") << QStringLiteral("1023")
        << QStringLiteral("The model can't be resized to sequence 1023: the model's sizes are "
                          "known for 256 plus multiples of 32 only, because it "
                          "rounds others; the next is 1024.");
}

void FittingTextsTest::tellsAllOfAFieldsFault()
{
    QFETCH(QString, field);
    QFETCH(QString, typed);
    QFETCH(QString, fault);
    PlannerPage* page = openKept("gpt2");
    QVERIFY(page != nullptr);
    QLineEdit* edit = nullptr;
    for (QWidget* widget : viewOf<BudgetPanel>(*page).findChildren<QWidget*>())
        if (widget->accessibleName() == field && widget->focusPolicy() == Qt::StrongFocus)
            edit = qobject_cast<QAbstractSpinBox*>(widget) != nullptr
                       ? widget->findChild<QLineEdit*>()
                       : qobject_cast<QLineEdit*>(widget);
    QVERIFY(edit != nullptr);
    QTest::mouseDClick(edit, Qt::LeftButton, {}, {20, edit->height() / 2});
    edit->selectAll();
    QTest::keyClicks(edit, typed);
    QTest::keyClick(edit, Qt::Key_Return);
    const QLabel* told = nullptr;
    for (const QLabel* label : viewOf<BudgetPanel>(*page).findChildren<QLabel*>())
        if (label->text() == fault)
            told = label;
    QVERIFY(told != nullptr && told->isVisible());
    QTRY_COMPARE(told->height(), told->heightForWidth(told->width()));
    QVERIFY(told->height() > 2 * told->fontMetrics().height()); // more than one line
}

} // namespace

PLIMSOLL_TEST(FittingTextsTest, QApplication)
#include "fitting_texts_test.moc"
