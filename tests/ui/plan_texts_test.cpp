// SPDX-License-Identifier: Apache-2.0
// What the window says about plans: names, rounding, the two curves matched op by op.
#include "ui/planner_page/plan_texts.h"

#include "core/device/known_devices.h"
#include "core/writers/formats.h"
#include "ui/base/numbers.h"
#include "ui/base/tokens.h"

#include "tests/support/messages.h"
#include "tests/support/planned_sample.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <utility>

namespace {

using plimsoll::base::Bytes;
using namespace plimsoll::ui;
namespace plan = plimsoll::plan;
namespace tests = plimsoll::tests;
namespace workspace = plimsoll::workspace;

class PlanTextsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void roundsBudgetsUpToWhatIsShown_data();
    void roundsBudgetsUpToWhatIsShown();
    void namesOpsAndPlaces();
    void matchesTheCurvesOpByOp();
    void tellsWhatARecomputedStepIs();
    void putsTheBoundOnItsStep();
    void saysHowFarABudgetFallsShort();
    void agreesWithWhoeverSubtracts_data();
    void agreesWithWhoeverSubtracts();
    void listsDevicesWithTheChosenOneFirst();
    void exportedPicturesHaveTheLightThemesColours();

private:
    workspace::PlanDocument m_document;
    workspace::PlannedPtr m_planned;
};

void PlanTextsTest::initTestCase()
{
    auto sample = tests::planSample("resnet18");
    QVERIFY2(sample, tests::messageOf(sample));
    m_document = std::move(sample->document);
    m_planned = std::move(sample->planned);
}

void PlanTextsTest::roundsBudgetsUpToWhatIsShown_data()
{
    QTest::addColumn<qlonglong>("bytes");
    for (const qlonglong bytes :
         {1LL, 1000LL, 1048576LL, 1048577LL, 800'000'000LL, 1073741823LL, 1073741824LL,
          8'500'000'001LL, 15'103'507'656LL, 90'000'000'001LL, 70'650'000'000'001LL})
        QTest::addRow("%lld", bytes) << bytes;
}

void PlanTextsTest::roundsBudgetsUpToWhatIsShown()
{
    QFETCH(qlonglong, bytes);
    const Bytes exact{bytes};
    const Bytes shown = shownCeiling(exact);
    QVERIFY(shown >= exact);
    QVERIFY((shown - exact).count() <= std::max<qlonglong>(bytes / 100, 1 << 20));
    // A peak, rounded up, reads the same as the budget.
    if (bytes >= 1 << 20)
        QCOMPARE(bytesText(shown), bytesText(exact, Rounding::Up));
    QCOMPARE(bytesText(shownCeiling(shown)), bytesText(shown));
}

void PlanTextsTest::namesOpsAndPlaces()
{
    const auto& program = *m_document.graph.program;
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const plimsoll::graph::OpId op{i};
        const QString title = opTitle(program, op);
        QVERIFY(!title.isEmpty());
        QVERIFY(!title.startsWith(QStringLiteral("aten.")));
        QVERIFY2(!title.contains(u'.'), qPrintable(title)); // "mul.Tensor" is "mul"
        QVERIFY(opPlace(program, op).contains(QStringLiteral(", ")));
    }
}

void PlanTextsTest::matchesTheCurvesOpByOp()
{
    const plan::VerifiedPlan& unplanned = *m_planned->unplanned;
    QVERIFY(!timelinesOf(unplanned, unplanned).unplannedStepAt);
    for (const plan::VerifiedPlanPtr& point : m_planned->frontier->points()) {
        const TimelineSet set = timelinesOf(*point, unplanned);
        QVERIFY(set.planned == point->evaluation().timeline);
        if (point->plan().regions().empty())
            continue;
        const auto& steps = point->evaluation().schedule->steps;
        QCOMPARE(set.unplannedStepAt->size(), steps.size());
        std::uint32_t last = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const std::uint32_t at = (*set.unplannedStepAt)[i];
            QVERIFY(at >= last && at < unplanned.evaluation().timeline->stepCount());
            if (steps[i].region < 0)
                QVERIFY(unplanned.evaluation().schedule->steps[at].op == steps[i].op);
            last = at;
        }
    }
}

void PlanTextsTest::tellsWhatARecomputedStepIs()
{
    const plan::VerifiedPlan& smallest = *m_planned->frontier->points().front();
    const auto& steps = smallest.evaluation().schedule->steps;
    int recomputed = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const HoverContent content = hoverContentOf(smallest, i);
        QVERIFY(!content.title.isEmpty());
        QCOMPARE(content.title.endsWith(QStringLiteral(", recomputed")), steps[i].region >= 0);
        if (steps[i].region >= 0) {
            ++recomputed;
            QVERIFY(content.where.endsWith(QStringLiteral("backward")));
            QVERIFY(!content.note.isEmpty());
        }
        QVERIFY(!content.source.contains(u'/'));
    }
    QVERIFY(recomputed > 0);
}

void PlanTextsTest::putsTheBoundOnItsStep()
{
    for (const plan::VerifiedPlanPtr& point : m_planned->frontier->points()) {
        const LowerBound bound = lowerBoundOf(*m_planned, *point);
        QVERIFY(bound.step);
        QVERIFY(point->evaluation().schedule->steps[*bound.step].op == m_planned->peakBound.op);
        QVERIFY(bound.bytes <= point->evaluation().peak);
    }
}

void PlanTextsTest::saysHowFarABudgetFallsShort()
{
    const Bytes bound = m_planned->peakBound.bytes;
    const Message below = infeasibleMessage(*m_planned, bound - Bytes{100 << 20}, {});
    QVERIFY(below.first.startsWith(QStringLiteral("No plan fits")));
    QVERIFY(below.rest.contains(bytesText(Bytes{100 << 20})));
    if (bound < m_planned->smallestPeak) {
        const Message between = infeasibleMessage(*m_planned, bound, bound + Bytes{50 << 20});
        QVERIFY(between.rest.contains(QStringLiteral("With ") + bytesText(Bytes{50 << 20})));
        QVERIFY(between.first.contains(QStringLiteral("was found")));
        QVERIFY(between.rest.contains(QStringLiteral("There may be one")));
    }
    QCOMPARE(readoutOf(*m_planned, nullptr, bound - Bytes{1}, bound).size(), std::size_t{1});
    QVERIFY(readoutOf(*m_planned, nullptr, bound - Bytes{1}, {}).empty());
}

void PlanTextsTest::agreesWithWhoeverSubtracts_data()
{
    QTest::addColumn<qlonglong>("budget");
    const qlonglong bound = m_planned->peakBound.bytes.count();
    for (const qlonglong budget : {1LL, 1LL << 20, 10LL << 20, 200LL << 20, 500LL << 20, bound / 2,
                                   bound - (3LL << 20), bound - 512})
        QTest::addRow("%lld", budget) << budget;
}

/// "No plan fits A. C short: at least B must be live." must read as B - A = C.
void PlanTextsTest::agreesWithWhoeverSubtracts()
{
    QFETCH(qlonglong, budget);
    const Message message = infeasibleMessage(*m_planned, Bytes{budget}, {});
    static const QRegularExpression number{QStringLiteral("([0-9.]+)\u00a0([KMGT]?i?B)")};
    const auto parse = [](const QRegularExpressionMatch& match) {
        const QString unit = match.captured(2);
        const double factor = unit == QStringLiteral("GiB")   ? 1 << 30
                              : unit == QStringLiteral("MiB") ? 1 << 20
                              : unit == QStringLiteral("KiB") ? 1 << 10
                                                              : 1;
        return std::pair{match.captured(1).toDouble() * factor, factor};
    };
    const auto [has, hasUnit] = parse(number.match(message.first));
    // Never the same figure twice: the exact bytes tell them apart.
    const Bytes bound = m_planned->peakBound.bytes;
    const bool alike = bytesText(Bytes{budget}) == bytesText(bound, Rounding::Up);
    QCOMPARE(message.rest.contains(exactBytesText(bound)), alike);
    if (alike) {
        QVERIFY(message.first.contains(exactBytesText(Bytes{budget})));
        return;
    }
    auto matches = number.globalMatch(message.rest);
    const auto [missing, missingUnit] = parse(matches.next());
    const auto [needs, needsUnit] = parse(matches.next());
    QVERIFY(missing > 0);
    QVERIFY(has < needs);
    QVERIFY(missing <= needs);
    if (missingUnit == needsUnit) {
        const double digit = missingUnit >= (1 << 30) ? missingUnit / 100 : missingUnit / 10;
        QVERIFY(std::abs(needs - has - missing) < digit * 1.001);
        if (hasUnit == needsUnit)
            QVERIFY(std::abs(needs - has - missing) < digit / 100);
    }
}

void PlanTextsTest::listsDevicesWithTheChosenOneFirst()
{
    workspace::Choices choices = m_document.choices;
    choices.reserve = Bytes{1 << 30};
    const std::vector<CapacityMark> marks = capacityMarksOf(choices);
    QCOMPARE(marks.size(), plan::builtInDevices().size());
    QVERIFY(marks.front().chosen);
    // The budget holds the reserve, so it is compared with all the device has.
    QCOMPARE(marks.front().size.count(), choices.device.memory.count());
}

/// Core can't ask the window for its colours, so the picture has a copy of them.
void PlanTextsTest::exportedPicturesHaveTheLightThemesColours()
{
    const QString picture =
        QString::fromStdString(plimsoll::writers::timelinePicture(m_planned->unplanned));
    int classes = 0;
    for (std::size_t place = 0; place < plimsoll::timeline::kCategoryCount; ++place) {
        const QString area = QStringLiteral("<path class=\"%1\" fill=\"")
                                 .arg(QString::fromUtf8(plimsoll::timeline::categoryName(
                                     static_cast<plimsoll::timeline::Category>(place))));
        const qsizetype at = picture.indexOf(area);
        if (at < 0)
            continue;
        ++classes;
        QCOMPARE(picture.mid(at + area.size(), 7), tokenColor(classRole(place), false).name());
    }
    QVERIFY(classes >= 5);
}

} // namespace

PLIMSOLL_TEST(PlanTextsTest, QCoreApplication)
#include "plan_texts_test.moc"
