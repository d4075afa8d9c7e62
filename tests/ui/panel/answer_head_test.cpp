// SPDX-License-Identifier: Apache-2.0
// The answer at the top of the panel: one verdict, whether the plan runs in PyTorch's allocator, of
// the plan that is shown; it is never scrolled away.
#include "ui/plan_panel/answer_head.h"

#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_panel/memory_lines.h"
#include "ui/plan_panel/verdict_box.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QCheckBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using namespace plimsoll::tests;

class AnswerHeadTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void tellsWhetherThePlanRuns_data();
    void tellsWhetherThePlanRuns();
    void expandableSegmentsChangeTheVerdict();
    void aDragShowsNoVerdictOfAnotherPlan();
    void keepsAPlanThatRunsWhilePlanning();
    void staysInView_data();
    void staysInView();
};

QString sentenceOf(PlannerPage& page)
{
    return viewOf<VerdictBox>(page).sentence();
}

bool isJudged(PlannerPage& page)
{
    return QTest::qWaitFor([&] { return !sentenceOf(page).contains(QStringLiteral("Checking")); },
                           kPatience);
}

/// Core's own answer about the plan that is shown.
base::Result<run::RunVerdict> answered(PlannerPage& page, bool isExpandable)
{
    allocator::AllocatorSettings settings;
    settings.expandableSegments = isExpandable;
    const plan::VerifiedPlan& best = *page.document().outcome().best;
    return run::willRun(best, settings, best.problem().budget, {});
}

/// Of the verdict on the plan that is shown.
QString beginning(PlannerPage& page, run::RunStatus status)
{
    if (status == run::RunStatus::Fails)
        return QStringLiteral("Runs out of memory with");
    return status == run::RunStatus::Runs
                   && page.document().outcome().best->plan().recomputesNothing()
               ? QStringLiteral("Fits ")
               : QStringLiteral("Runs with");
}

void AnswerHeadTest::tellsWhetherThePlanRuns_data()
{
    QTest::addColumn<qint64>("mebibytes");
    QTest::addColumn<int>("status");
    QTest::newRow("memory lies in pieces") << qint64{2100} << int(run::RunStatus::Fails);
    QTest::newRow("the cache is emptied") << qint64{2304} << int(run::RunStatus::RunsWithFlushes);
    QTest::newRow("faster plans don't run") << qint64{3072} << int(run::RunStatus::Runs);
    QTest::newRow("all fits") << qint64{8192} << int(run::RunStatus::Runs);
}

void AnswerHeadTest::tellsWhetherThePlanRuns()
{
    QFETCH(qint64, mebibytes);
    QFETCH(int, status);
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    page->document().commitBudget(base::Bytes{mebibytes << 20});
    QVERIFY(QTest::qWaitFor([&] { return isDone(*page); }, kPatience));
    QVERIFY(isJudged(*page));
    const base::Result<run::RunVerdict> expected = answered(*page, false);
    QVERIFY(expected);
    QCOMPARE(int(expected->status), status);
    QVERIFY2(sentenceOf(*page).startsWith(beginning(*page, expected->status)),
             qPrintable(sentenceOf(*page)));
    QCOMPARE(sentenceOf(*page).contains(QStringLiteral("but PyTorch has to empty its cache")),
             expected->status == run::RunStatus::RunsWithFlushes);
    const auto& passed = page->document().choice().passedOver;
    QCOMPARE(passed.has_value(), mebibytes == 2304 || mebibytes == 3072);
    const auto& other = page->document().choice().expandable; // that runs with other settings
    QCOMPARE(other.has_value(), mebibytes != 8192);
    if (other && expected->status == run::RunStatus::Runs)
        QVERIFY(sentenceOf(*page).endsWith(
            QStringLiteral("With expandable segments a faster plan would run, too: %1 a step.")
                .arg(timeText(other->plan->evaluation().stepTime))));
    const StatusText told = page->status();
    QCOMPARE(told.isDanger, expected->status == run::RunStatus::Fails);
    QCOMPARE(told.text, expected->status == run::RunStatus::Fails
                            ? QStringLiteral("Runs out of memory")
                        : expected->status == run::RunStatus::RunsWithFlushes
                            ? QStringLiteral("Runs, but has to empty PyTorch's cache")
                        : mebibytes == 8192 ? QStringLiteral("Unplanned step verified")
                                            : QStringLiteral("Plan verified"));
    // No second verdict: what was reserved without a limit is no fault.
    for (const QLabel* label : viewOf<BudgetPanel>(*page).findChildren<QLabel*>())
        QVERIFY(!label->text().contains(QStringLiteral("over the budget")));
}

void AnswerHeadTest::expandableSegmentsChangeTheVerdict()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    page->document().commitBudget(base::Bytes{qint64{2304} << 20});
    QVERIFY(QTest::qWaitFor([&] { return isDone(*page); }, kPatience));
    QVERIFY(isJudged(*page));
    QVERIFY(sentenceOf(*page).contains(QStringLiteral("empty its cache")));
    const plan::EvaluationPtr before = page->document().outcome().best->evaluationPtr();
    auto& panel = viewOf<BudgetPanel>(*page);
    auto* details = panel.findChild<QToolButton*>();
    QVERIFY(details != nullptr && !panel.areDetailsShown());
    QTest::mouseClick(details, Qt::LeftButton);
    QVERIFY(panel.areDetailsShown());
    auto* box = panel.memoryLines().findChild<QCheckBox*>();
    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint{8, box->height() / 2});
    QVERIFY(box->isChecked());
    QVERIFY(sentenceOf(*page).contains(QStringLiteral("Checking"))); // not the other's verdict
    QVERIFY(isJudged(*page));
    const base::Result<run::RunVerdict> expected = answered(*page, true);
    QVERIFY(expected && expected->status == run::RunStatus::Runs);
    QVERIFY(sentenceOf(*page).startsWith(QStringLiteral("Runs with 2.25")));
    QVERIFY(page->document().outcome().best->evaluationPtr() != before); // another one runs there
    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint{8, box->height() / 2});
    QVERIFY(sentenceOf(*page).contains(QStringLiteral("empty its cache"))); // known: at once
    QVERIFY(page->document().outcome().best->evaluationPtr() == before);
}

void AnswerHeadTest::aDragShowsNoVerdictOfAnotherPlan()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QVERIFY(isJudged(*page));
    // What plans reserve is known, which is more than their peaks.
    QVERIFY(QTest::qWaitFor(
        [&document = page->document()] {
            return document.chooser().plans().front().budget > document.planned()->smallestPeak;
        },
        kPatience));
    auto& timeline = viewOf<BudgetTimelineView>(*page);
    const QPoint from = budgetHandle(*page);
    int judged = 0;
    QTest::mousePress(&timeline, Qt::LeftButton, {}, from);
    for (int dy = -120; dy <= 60; dy += 4) {
        QTest::mouseMove(&timeline, from + QPoint{0, dy});
        const plan::VerifiedPlanPtr best = page->document().outcome().best;
        if (!best)
            continue;
        // In the same frame: the verdict of the plan that is drawn, or that it is being checked.
        QCOMPARE(best->problem().budget.count(), page->document().budget().count());
        const bool isChecking = sentenceOf(*page).contains(QStringLiteral("Checking"));
        if (!isChecking)
            QVERIFY2(sentenceOf(*page).startsWith(beginning(*page, answered(*page, false)->status)),
                     qPrintable(sentenceOf(*page)));
        judged += isChecking ? 0 : 1;
    }
    QVERIFY(judged > 0);
    QVERIFY(isJudged(*page)); // the hand is down, but rests
    const plan::EvaluationPtr resting = page->document().outcome().best->evaluationPtr();
    QTest::mouseRelease(&timeline, Qt::LeftButton, {}, from + QPoint{0, 60});
    QVERIFY(isJudged(*page));
    QVERIFY(page->document().outcome().best->evaluationPtr() == resting);
    const base::Result<run::RunVerdict> expected = answered(*page, false);
    QVERIFY(expected && sentenceOf(*page).startsWith(beginning(*page, expected->status)));
}

/// A plan that runs stays while better ones are searched, until it is known that they run.
void AnswerHeadTest::keepsAPlanThatRunsWhilePlanning()
{
    PlannerPage* page = open(plimsoll::tests::sampleFile("gpt2"));
    QVERIFY(page != nullptr);
    page->document().commitBudget(base::Bytes{std::int64_t{12} << 30});
    QStringList sentences;
    QElapsedTimer time;
    time.start();
    const DocumentController& document = page->document();
    while (!(document.isPlanned() && document.chooser().isByRun()) && time.elapsed() < kPatience) {
        if (const QString now = sentenceOf(*page); sentences.isEmpty() || sentences.back() != now)
            sentences << now;
        QTest::qWait(10);
    }
    const auto runs = std::ranges::find_if(sentences, [](const QString& sentence) {
        return sentence.startsWith(QStringLiteral("Runs with"));
    });
    QVERIFY2(runs != sentences.end(), qPrintable(sentences.join(u'\n')));
    QVERIFY2(std::none_of(runs, sentences.end(),
                          [](const QString& sentence) {
                              return sentence.contains(QStringLiteral("Checking"));
                          }),
             qPrintable(sentences.join(u'\n')));
}

void AnswerHeadTest::staysInView_data()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("large") << QSize{1440, 900};
    QTest::newRow("small") << QSize{1024, 640};
}

void AnswerHeadTest::staysInView()
{
    QFETCH(QSize, size);
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    m_window->resize(size);
    auto& panel = viewOf<BudgetPanel>(*page);
    panel.showDetails(true);
    QTest::qWait(50);
    auto* bar = panel.findChild<QScrollArea*>()->verticalScrollBar();
    bar->setValue(bar->maximum());
    QVERIFY(bar->maximum() > 0);
    const auto& head = viewOf<AnswerHead>(*page);
    const auto isInView = [&head] {
        return head.isVisible() && head.visibleRegion().contains(head.rect());
    };
    const bool isNarrow = size.width() < 1200;
    const QWidget* under = isNarrow ? page->centralWidget() : &panel;
    QCOMPARE(head.mapTo(under, QPoint{}), (QPoint{0, 0}));
    QCOMPARE(head.width(), under->width());
    QVERIFY(isInView());
    // Whatever page is chosen, and in whatever state the forms are.
    PagesDock& dock = planDock(*page);
    constexpr int kTabs = 5;
    for (int tab = 0; tab < kTabs; ++tab) {
        dock.setCurrentPage(tab);
        QTest::qWait(20);
        QVERIFY2(isInView(), qPrintable(QString::number(tab)));
    }
    // Another sentence moves nothing.
    const QRect place = head.geometry();
    page->document().commitBudget(plimsoll::base::Bytes{200 << 20});
    QVERIFY(QTest::qWaitFor([&] { return page->document().isRefined(); }, kPatience));
    QTest::qWait(20);
    QCOMPARE(head.geometry(), place);
    QVERIFY(page->strip().isVisible()); // beside it
    QVERIFY(isInView());
    m_window->resize(isNarrow ? QSize{1440, 900} : QSize{1024, 640});
    QTRY_VERIFY(isInView());
    QCOMPARE(panel.isAncestorOf(&head), isNarrow);
    m_window->resize(size);
    QTRY_COMPARE(head.geometry(), place);
    QCOMPARE(panel.isAncestorOf(&head), !isNarrow);
}

} // namespace

PLIMSOLL_TEST(AnswerHeadTest, QApplication)
#include "answer_head_test.moc"
