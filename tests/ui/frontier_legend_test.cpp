// SPDX-License-Identifier: Apache-2.0
// The legend of the frontier: who made its points, with the marks that stand on the curve; what is
// told of a point, and what a click on it does.
#include "ui/base/numbers.h"
#include "ui/frontier/frontier_view.h"

#include "tests/support/planned_samples.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

namespace {

using namespace plimsoll;        // NOLINT(google-build-using-namespace)
using namespace plimsoll::ui;    // NOLINT(google-build-using-namespace)
using namespace plimsoll::tests; // NOLINT(google-build-using-namespace)

class FrontierLegendTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void namesWhoMadeThePoints();
    void leavesOutWhatHasNoRoom();
    void theLabelHidesNoMark_data();
    void theLabelHidesNoMark();
    void theAxisIsBrokenForOutliers();
    void aClickTakesThePlan();
};

void FrontierLegendTest::namesWhoMadeThePoints()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto* view = page->findChild<FrontierView*>();
    QVERIFY(view != nullptr);
    std::set<QString> makers;
    for (const auto& point : page->document().planned()->frontier->candidates())
        makers.insert(QString::fromStdString(point.provenance->madeBy().planner));
    QVERIFY(makers.size() >= 2); // auto took plans of several
    const std::set<QString> marked{QStringLiteral("auto"), QStringLiteral("rotor"),
                                   QStringLiteral("remat"), QStringLiteral("chen"),
                                   QStringLiteral("capuchin")};
    std::set<QString> expected;
    for (const QString& maker : makers)
        expected.insert(marked.contains(maker) ? maker : QStringLiteral("others"));
    const std::vector<FrontierLegendEntry> legend = view->legend();
    std::set<QString> named;
    for (const FrontierLegendEntry& entry : legend)
        named.insert(entry.name);
    QCOMPARE(named, expected);
    QCOMPARE(legend.size(), named.size()); // each once
    // The marks are those of the curve, in its colours.
    const QImage picture = view->grab().toImage();
    const double ratio = picture.devicePixelRatio();
    for (const FrontierLegendEntry& entry : legend) {
        QVERIFY(view->accessibleDescription().contains(entry.name));
        const Role role = entry.name == QStringLiteral("rotor")   ? Role::PlannerRotor
                          : entry.name == QStringLiteral("remat") ? Role::PlannerRemat
                                                                  : Role::Panel;
        if (role != Role::Panel)
            QCOMPARE(picture.pixelColor((entry.mark * ratio).toPoint()),
                     Theme::current().color(role));
    }
}

/// The one that the tool tip tells about, where it is ever taken.
void FrontierLegendTest::aClickTakesThePlan()
{
    PlannerPage* page = openPlanned("unet");
    QVERIFY(page != nullptr);
    const PlanChooser& chooser = page->document().chooser();
    QVERIFY(QTest::qWaitFor([&] { return chooser.isByRun(); }, kPatience));
    auto* view = page->findChild<FrontierView*>();
    const auto hover = [view](QPoint at) {
        QTest::mouseMove(view, at + QPoint{40, 40});
        QTest::mouseMove(view, at);
        return view->toolTip();
    };
    int taken = 0;
    int never = 0;
    const auto points = page->document().planned()->frontier->candidates();
    for (const plan::FrontierPoint& point : points) {
        const QPoint at = view->positionOf(*point).toPoint();
        const QString tip = hover(at);
        // Others may lie under the same pixel: the tip says which one is meant.
        const auto isTold = [&tip](const plan::FrontierPoint& other) {
            return tip.contains(ui::bytesText(other->evaluation().peak, Rounding::Up))
                   && tip.contains(timeText(other->evaluation().stepTime));
        };
        if (!isTold(point) || std::ranges::count_if(points, isTold) != 1)
            continue;
        const auto stop = std::ranges::find(chooser.plans(), point, &run::PlanFrom::plan);
        const bool isTaken = stop != chooser.plans().end();
        QCOMPARE(tip.contains(QStringLiteral("A faster plan runs wherever this one does.")),
                 !isTaken);
        if (!isTaken) { // never below what the plan itself needs
            QTest::mouseClick(view, Qt::LeftButton, {}, at);
            QVERIFY(page->document().budget() == shownCeiling(point->evaluation().peak));
            ++never;
            continue;
        }
        QVERIFY(tip.contains(QStringLiteral("Runs without cache flushes from %1 on.")
                                 .arg(ui::bytesText(stop->budget, Rounding::Up))));
        const base::Bytes budget = stop->budget;
        QTest::mouseClick(view, Qt::LeftButton, {}, at);
        QCOMPARE(page->document().budget().count(), budget.count());
        QVERIFY(isDone(*page));
        QVERIFY(page->document().outcome().best->evaluationPtr() == point->evaluationPtr());
        if (++taken == 8)
            break;
    }
    QVERIFY(taken > 3 && never > 0);
}

void FrontierLegendTest::leavesOutWhatHasNoRoom()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto* view = page->findChild<FrontierView*>();
    QVERIFY(view != nullptr);
    const std::size_t all = view->legend().size();
    QVERIFY(all >= 2);
    FrontierView narrow;
    narrow.setFrontier(page->document().planned()->frontier,
                       page->document().planned()->unplanned->evaluation().stepTime, {});
    narrow.resize(120, 120);
    QVERIFY(narrow.legend().size() < all);
    for (const FrontierLegendEntry& entry : narrow.legend())
        QVERIFY(entry.mark.x() < narrow.width());
}

void FrontierLegendTest::theLabelHidesNoMark_data()
{
    QTest::addColumn<double>("gib");
    QTest::newRow("above it is the only plan of chen") << 2.25;
    QTest::newRow("at the smallest plan") << 1.8;
    QTest::newRow("at the right") << 2.75;
}

/// Of the plan that is shown.
void FrontierLegendTest::theLabelHidesNoMark()
{
    QFETCH(double, gib);
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    page->document().commitBudget(base::Bytes{std::llround(gib * (1 << 30))});
    QVERIFY(isDone(*page) && page->document().outcome().best);
    const auto& view = viewOf<FrontierView>(*page);
    const QRectF label = view.labelRect();
    QVERIFY(!label.isEmpty() && QRectF{view.rect()}.contains(label));
    for (const plan::FrontierPoint& point : page->document().planned()->frontier->candidates())
        QVERIFY2(!label.contains(view.positionOf(*point)),
                 point.provenance->madeBy().planner.c_str());
}

/// Few slow plans don't squash the others: above the break they share a strip.
void FrontierLegendTest::theAxisIsBrokenForOutliers()
{
    const plan::FrontierPtr all = frontierOf(QStringLiteral("gpt2"));
    const auto& points = all->points();
    const base::Nanoseconds fastest = points.back()->evaluation().stepTime;
    auto few = std::make_shared<plan::Frontier>();
    few->insert(points.front());
    for (const plan::FrontierPoint& point : points)
        if (slowDown(point->evaluation().stepTime, fastest) < 0.1)
            few->insert(point);
    FrontierView view;
    view.resize(380, 220);
    const auto heights = [&](const plan::FrontierPtr& frontier) {
        view.setFrontier(frontier, fastest, base::Bytes{});
        QList<double> at;
        for (const plan::FrontierPoint& point : frontier->points())
            at << view.positionOf(*point).y();
        return at;
    };
    // A plan that the frontier doesn't have, slower than all of its plans, has a place, too.
    auto one = std::make_shared<plan::Frontier>();
    one->insert(points.back());
    view.setFrontier(one, fastest, base::Bytes{});
    view.setCurrent(points.front());
    QVERIFY(std::isfinite(view.positionOf(*points.front()).y()));
    QVERIFY(!view.grab().isNull());
    view.setCurrent(nullptr);
    QList<double> at = heights(few);
    QVERIFY(view.accessibleDescription().contains(QStringLiteral("axis of slow-downs is broken")));
    // The slowest is at the top; the others use much of what is below the break.
    const double height = at.back() - at.front();
    QVERIFY(at[1] - at.front() > 0.1 * height);
    QVERIFY(at.back() - at[1] > 0.1 * height);
    for (qsizetype i = 1; i < at.size(); ++i)
        QVERIFY(at[i] >= at[i - 1]);
    // Without outliers it is in scale.
    at = heights(all);
    QVERIFY(!view.accessibleDescription().contains(QStringLiteral("broken")));
    const auto slower = [&](std::size_t i) {
        return double((points[i]->evaluation().stepTime - fastest).count());
    };
    const double scale = (at.back() - at.front()) / slower(0);
    for (std::size_t i = 0; i < points.size(); ++i)
        QVERIFY(std::abs(at.back() - at[qsizetype(i)] - slower(i) * scale) < 1e-6 * at.back());
}

} // namespace

PLIMSOLL_TEST(FrontierLegendTest, QApplication)
#include "frontier_legend_test.moc"
