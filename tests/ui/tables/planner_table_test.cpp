// SPDX-License-Identifier: Apache-2.0
// The planners side by side, in the window: by mouse and by key, while one searches, under the hand
// that drags, in a narrow dock.
#include "ui/plan_tables/planner_table.h"

#include "core/solve/registry.h"
#include "ui/base/drawn_text.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/frontier/frontier_view.h"
#include "ui/plan_panel/budget_panel.h"

#include "tests/support/gui_time.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QComboBox>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <set>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using namespace plimsoll::tests;

constexpr std::size_t kMostPoints = 24; ///< of the frontier, at which all rows are compared

class PlannerTableTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void showsWhatEachPlannerHas();
    void aClickPlansWithThatPlanner();
    void isReachedAndUsedByKey();
    void followsASearch();
    void tellsWhoRefuses();
    void tellsWhoHasLargerPlansOnly();
    void standsStillInADrag();
    void figuresAreNeverCut();
    void theUnitOfPeaksIsNeverCut();

private:
    static PlannerTable& tableOf(PlannerPage& page) { return viewOf<BudgetPanel>(page).planners(); }
    static int rowOf(const PlannerTable& table, const char* planner)
    {
        for (int row = 0; row < table.model()->rowCount(); ++row)
            if (table.model()->rowAt(row).planner == QLatin1String{planner})
                return row;
        return -1;
    }
    /// Compares each row with the planner's summary at the current budget.
    static void compare(PlannerPage& page);
};

void PlannerTableTest::compare(PlannerPage& page)
{
    const PlannerModel& model = *tableOf(page).model();
    const DocumentController& document = page.document();
    const auto standings = document.plannerSummaries();
    QCOMPARE(model.rowCount(), static_cast<int>(standings.size()));
    int used = 0;
    for (std::size_t i = 0; i < standings.size(); ++i) {
        const workspace::PlannerSummary& standing = standings[i];
        const PlannerRow& row = model.rowAt(static_cast<int>(i));
        QCOMPARE(row.planner.toStdString(), standing.report.planner);
        QCOMPARE(row.isChosen, standing.report.planner == document.document().choices.planner);
        const base::Bytes most = document.choice().comparablePeak(document.budget());
        const auto& best = document.outcome().best;
        const auto at =
            workspace::summaryAt(standing, most, {},
                                 best && !document.isOutdated() && (row.isChosen || row.isUsed)
                                     ? std::optional{plan::progressPoint(*best)}
                                     : std::nullopt);
        QCOMPARE(row.peak.has_value(), at.best.has_value());
        if (row.isUsed) {
            ++used;
            QCOMPARE(standing.report.planner, document.outcome().best.provenance->madeBy().planner);
        }
        if (!at.best)
            continue;
        QVERIFY(*row.peak == at.best->peak && at.best->peak <= document.budget());
        const auto unplanned = document.planned()->unplanned->evaluation().stepTime;
        QCOMPARE(*row.slower, static_cast<double>(at.best->stepTime.count())
                                      / static_cast<double>(unplanned.count())
                                  - 1.0);
        if (row.isChosen && best) // the plan that is shown, to the byte
            QVERIFY(*row.peak == best->evaluation().peak
                    && at.best->stepTime == best->evaluation().stepTime);
        if (row.isUsed)
            QVERIFY(at.best->stepTime == best->evaluation().stepTime);
    }
    QCOMPARE(used, document.outcome().best ? 1 : 0);
}

void PlannerTableTest::showsWhatEachPlannerHas()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const PlannerTable& table = tableOf(*page);
    QCOMPARE(table.model()->rowCount(), static_cast<int>(solve::planners().size()));
    compare(*page);
    const workspace::Planned& planned = *page->document().planned();
    const auto stateOf = [&table](const char* planner) {
        return table.model()->rowAt(rowOf(table, planner)).state;
    };
    QVERIFY(stateOf("auto").contains(QStringLiteral(", ") + timeText(planned.took)));
    QCOMPARE(stateOf("none"), QStringLiteral("not run"));
    QCOMPARE(stateOf("capuchin"), QStringLiteral("makes no such plans")); // it makes no regions
    QVERIFY(table.model()
                ->rowAt(rowOf(table, "capuchin"))
                .tip.contains(QStringLiteral("It makes no plans with runtime checkpoint.")));
    // In brief times are whole milliseconds: with a point the narrow column cut their unit off.
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        const QString brief = table.model()->rowAt(row).shortState;
        QVERIFY2(!brief.endsWith(QStringLiteral("ms")) || !brief.contains(u'.'), qPrintable(brief));
    }
    // A row has a plan only if one is known, and says optimal only if that is proved.
    const auto& points = planned.frontier->points();
    const std::size_t stride = std::max<std::size_t>(1, points.size() / kMostPoints);
    for (std::size_t at = 0; at < points.size(); at += stride) {
        page->document().commitBudget(points[at]->evaluation().peak);
        QVERIFY(isDone(*page));
        compare(*page);
        const bool isOptimal = page->document().outcome().status == solve::Status::Optimal;
        QCOMPARE(stateOf("auto").startsWith(QStringLiteral("optimal")), isOptimal);
        QCOMPARE(stateOf("auto").startsWith(QStringLiteral("feasible")), !isOptimal);
    }
    page->document().commitBudget(planned.smallestPeak - base::Bytes{1});
    QVERIFY(isDone(*page));
    compare(*page);
    QVERIFY(stateOf("auto").startsWith(QStringLiteral("none")));
    for (int row = 0; row < table.model()->rowCount(); ++row)
        QVERIFY(!table.model()->rowAt(row).peak && !table.model()->rowAt(row).isUsed);
}

void PlannerTableTest::aClickPlansWithThatPlanner()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    PlannerTable& table = tableOf(*page);
    const auto click = [&](const char* planner) {
        const QModelIndex cell = table.model()->index(rowOf(table, planner), 1);
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(cell).center());
    };
    const auto chosen = [page] { return page->document().document().choices.planner; };
    QSignalSpy started{&page->document(), &DocumentController::choicesChanged};
    click("auto"); // is chosen
    QVERIFY(started.isEmpty());
    click("chen");
    QCOMPARE(chosen(), std::string{"chen"});
    for (const QComboBox* combo : viewOf<BudgetPanel>(*page).findChildren<QComboBox*>())
        if (combo->accessibleName() == QStringLiteral("Planner"))
            QCOMPARE(combo->currentData().toString(), QStringLiteral("chen"));
    QVERIFY(isDone(*page));
    compare(*page);
    // What the others found before is still there to compare with.
    QVERIFY(table.model()->rowAt(rowOf(table, "auto")).peak.has_value());
    QVERIFY(table.model()->rowAt(rowOf(table, "chen")).isChosen);
    QVERIFY(!page->document().outcome().best
            || page->document().outcome().best.provenance->asked.planner == "chen");
    trigger("edit.undo");
    QCOMPARE(chosen(), std::string{"auto"});
    QVERIFY(isDone(*page));
    compare(*page);
}

void PlannerTableTest::isReachedAndUsedByKey()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    PlannerTable& table = tableOf(*page);
    QComboBox* combo = nullptr;
    for (QComboBox* box : viewOf<BudgetPanel>(*page).findChildren<QComboBox*>())
        if (box->accessibleName() == QStringLiteral("Planner"))
            combo = box;
    QVERIFY(combo != nullptr);
    combo->setFocus();
    const QImage plain = table.grab().toImage();
    QTest::keyClick(combo, Qt::Key_Tab);
    QVERIFY(table.hasFocus());
    QCOMPARE(table.currentIndex().row(), rowOf(table, "auto"));
    QVERIFY(table.grab().toImage() != plain); // the ring
    QTest::keyClick(&table, Qt::Key_Down);
    QCOMPARE(table.currentIndex().row(), rowOf(table, "rotor"));
    QCOMPARE(page->document().document().choices.planner, std::string{"auto"}); // only looked at
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(page->document().document().choices.planner, std::string{"rotor"});
    QVERIFY(isDone(*page));
    compare(*page);
    QVERIFY(table.hasFocus());
    QTest::keyClick(&table, Qt::Key_Up);
    QTest::keyClick(&table, Qt::Key_Space);
    QCOMPARE(page->document().document().choices.planner, std::string{"auto"});
    QTest::keyClick(&table, Qt::Key_Tab); // goes on, is no trap
    QVERIFY(!table.hasFocus());
}

/// Plans that are in while others still search are in the picture, the frontier and the table.
void PlannerTableTest::followsASearch()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    PlannerTable& table = tableOf(*page);
    DocumentController& document = page->document();
    page->document().commitBudget(
        base::Bytes{document.planned()->unplanned->evaluation().peak.count() / 10 * 8});
    workspace::Choices choices = document.document().choices;
    choices.options["granularity"] = 1; // takes long
    const QSize size = table.size();
    QSignalSpy reset{table.model(), &QAbstractItemModel::modelReset};
    QSignalSpy layout{table.model(), &QAbstractItemModel::layoutChanged};
    document.commitChoices(choices);
    std::set<QString> states;
    int interim = 0;
    plan::FrontierPtr seen;
    const GuiTime time;
    QVERIFY(QTest::qWaitFor(
        [&] {
            for (int row = 0; row < table.model()->rowCount(); ++row)
                states.insert(table.model()->rowAt(row).state);
            const workspace::Planned& planned = *document.planned();
            if (document.isPlanning() && !document.isOutdated() && planned.frontier != seen) {
                ++interim;
                seen = planned.frontier;
                compare(*page);
                const PlannerRow& chosen = table.model()->rowAt(rowOf(table, "auto"));
                if (!chosen.perMille || !chosen.peak || table.size() != size)
                    QTest::qFail("an interim plan is not told", __FILE__, __LINE__);
                // The point of the plan that is shown stands on the frontier's curve.
                const QPointF at = viewOf<FrontierView>(*page).positionOf(*document.outcome().best);
                if (!viewOf<FrontierView>(*page).rect().contains(at.toPoint()))
                    QTest::qFail("the frontier shows other plans", __FILE__, __LINE__);
            }
            return document.isPlanned() && document.isRefined();
        },
        kPatience));
    QVERIFY(interim > 0);
    QVERIFY(states.contains(QStringLiteral("waiting"))
            || std::any_of(states.begin(), states.end(), [](const QString& state) {
                   return state.endsWith(u'%') && state != QStringLiteral("0\u00a0%");
               }));
    QVERIFY(reset.isEmpty() && layout.isEmpty());
    QCOMPARE(table.size(), size);
    QVERIFY2(time.longest() < kFreeze, qPrintable(QString::number(time.longest())));
    compare(*page);
    for (int row = 0; row < table.model()->rowCount(); ++row)
        QVERIFY(!table.model()->rowAt(row).perMille);
}

void PlannerTableTest::tellsWhoRefuses()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const PlannerTable& table = tableOf(*page);
    workspace::Choices choices = page->document().document().choices;
    choices.planner = "trunk";
    choices.options = {{"boundaries", std::string{"layr3"}}};
    page->document().commitChoices(choices);
    QVERIFY(QTest::qWaitFor([page] { return !page->document().isPlanning(); }, kPatience));
    const PlannerRow& row = table.model()->rowAt(rowOf(table, "trunk"));
    QVERIFY(row.isChosen && !row.isUsed && !row.peak);
    QCOMPARE(row.state, QStringLiteral("refused"));
    QVERIFY2(row.tip.contains(QStringLiteral("layr3")), qPrintable(row.tip));
    trigger("edit.undo");
    QVERIFY(isDone(*page));
    QVERIFY(row.state != QStringLiteral("refused"));
    compare(*page);
}

/// Each move updates the numbers, and repaints nothing but cells.
void PlannerTableTest::standsStillInADrag()
{
    PlannerPage* page = openPlanned("gpt2");
    QVERIFY(page != nullptr);
    PlannerTable& table = tableOf(*page);
    QVERIFY(table.isVisible());
    const QPoint place = table.mapTo(&viewOf<BudgetPanel>(*page), QPoint{});
    const QSize size = table.size();
    QSignalSpy reset{table.model(), &QAbstractItemModel::modelReset};
    QSignalSpy layout{table.model(), &QAbstractItemModel::layoutChanged};
    QSignalSpy changed{table.model(), &QAbstractItemModel::dataChanged};
    BudgetTimelineView& view = viewOf<BudgetTimelineView>(*page);
    const QPoint from = budgetHandle(*page);
    QTest::mousePress(&view, Qt::LeftButton, {}, from);
    std::set<qint64> peaks;
    for (int move = 1; move <= 60; ++move) {
        const base::Bytes before = page->document().budget();
        changed.clear();
        QTest::mouseMove(&view, from + QPoint{0, move <= 40 ? -2 * move : 6 * (move - 40) - 80});
        QVERIFY(page->document().isDragging());
        compare(*page);
        if (QTest::currentTestFailed())
            return;
        if (page->document().budget() == before)
            QVERIFY(changed.isEmpty());
        for (const QList<QVariant>& cells : changed)
            QCOMPARE(cells[0].toModelIndex(), cells[1].toModelIndex()); // one cell each
        if (const auto& peak = table.model()->rowAt(rowOf(table, "auto")).peak)
            peaks.insert(peak->count());
        QCOMPARE(table.mapTo(&viewOf<BudgetPanel>(*page), QPoint{}), place);
        QCOMPARE(table.size(), size);
    }
    QTest::mouseRelease(&view, Qt::LeftButton, {}, from + QPoint{0, 40});
    QVERIFY(isDone(*page));
    compare(*page);
    QVERIFY(peaks.size() > 5);
    QVERIFY(reset.isEmpty() && layout.isEmpty());
    QCOMPARE(table.size(), size);
}

/// Compared at the peak of a plan that runs, a planner may have plans that are larger, within the
/// budget nevertheless.
void PlannerTableTest::tellsWhoHasLargerPlansOnly()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    PlannerTable table;
    const auto summaries = page->document().plannerSummaries();
    table.setSummaries(summaries);
    const auto& standing = summaries[static_cast<std::size_t>(rowOf(table, "every-block"))];
    const base::Bytes least = standing.report.found.front().peak;
    const auto stateAt = [&](base::Bytes budget, base::Bytes mostPeak) {
        PlannersAt asked;
        asked.budget = budget;
        asked.mostPeak = mostPeak;
        table.showAt(asked);
        return table.model()->rowAt(rowOf(table, "every-block")).state;
    };
    const auto briefly = [&] {
        return table.model()->rowAt(rowOf(table, "every-block")).shortState;
    };
    QVERIFY(stateAt(least, least).startsWith(QStringLiteral("feasible")));
    QVERIFY(stateAt(least, least - base::Bytes{1}).startsWith(QStringLiteral("larger only")));
    QCOMPARE(table.note()->text(), QStringLiteral("Up to the peak shown, whether they run or not"));
    QCOMPARE(briefly(), QStringLiteral("larger"));
    const base::Bytes below = least - base::Bytes{1};
    QVERIFY(stateAt(below, below).startsWith(QStringLiteral("none")));
}

/// The state gives way, then the names; peak and slow-down have their whole width.
void PlannerTableTest::figuresAreNeverCut()
{
    PlannerPage* page = openPlanned("gpt2");
    QVERIFY(page != nullptr);
    for (const int percent : {100, 150}) {
        m_theme->setScalePercent(percent);
        PlannerTable table;
        table.setSummaries(page->document().plannerSummaries());
        PlannersAt asked;
        asked.mostPeak = page->document().planned()->unplanned->evaluation().peak;
        asked.budget = asked.mostPeak;
        table.showAt(asked);
        for (const int width : {640, 294, 260, 200, 150}) {
            table.resize(width * percent / 100, 200);
            table.show();
            QVERIFY(QTest::qWaitForWindowExposed(&table));
            int end = 0;
            for (int column = 0; column < PlannerModel::ColumnCount; ++column)
                end += table.isColumnHidden(column) ? 0 : table.columnWidth(column);
            QVERIFY2(end <= table.viewport()->width(), qPrintable(QString::number(width)));
            QCOMPARE(table.isColumnHidden(PlannerModel::StateColumn), width < 294);
            const QFont& font = m_theme->font(TextRole::Strong);
            for (int row = 0; row < table.model()->rowCount(); ++row)
                for (const int column : {PlannerModel::PeakColumn, PlannerModel::SlowerColumn}) {
                    const QString text = table.model()->index(row, column).data().toString();
                    QVERIFY(numberWidth(font, text) + m_theme->px(8) <= table.columnWidth(column));
                }
        }
        // All rows where there is room, six at least.
        const int rowHeight = table.verticalHeader()->defaultSectionSize();
        const int head = table.horizontalHeader()->height();
        QCOMPARE(table.minimumSizeHint().height(), head + 6 * rowHeight);
        QCOMPARE(table.maximumHeight(), head + table.model()->rowCount() * rowHeight);
    }
    m_theme->setScalePercent(100);
}

/// That of another step, after the columns were sized.
void PlannerTableTest::theUnitOfPeaksIsNeverCut()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    PlannerTable table;
    auto summaries = page->document().plannerSummaries();
    table.setSummaries(summaries);
    table.resize(294, 200);
    table.show();
    QVERIFY(QTest::qWaitForWindowExposed(&table));
    const auto head = [&table] {
        return table.model()->headerData(PlannerModel::PeakColumn, Qt::Horizontal).toString();
    };
    QCOMPARE(head(), QStringLiteral("Peak, GiB"));
    for (workspace::PlannerSummary& summary : summaries)
        for (auto& found : summary.report.found)
            found.peak = base::Bytes{700 << 20};
    table.setSummaries(summaries);
    QCOMPARE(head(), QStringLiteral("Peak, MiB"));
    QVERIFY(nameWidth(m_theme->font(TextRole::Small), head()) + m_theme->px(8)
            <= table.columnWidth(PlannerModel::PeakColumn));
}

} // namespace

PLIMSOLL_TEST(PlannerTableTest, QApplication)
#include "planner_table_test.moc"
