// SPDX-License-Identifier: Apache-2.0
// What a schedule of single ops does that regions can't, in the words of the first such thing; and
// that nothing is found in what random regions run again.

#include "core/lower/lower.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace plimsoll;
using graph::OpId;
using graph::Phase;
using graph::StorageClass;
using Rows = std::vector<plan::RecomputeStep>;

const std::string kNothingCertain = "Every value is freed right after its last use: under regions "
                                    "autograd and the model's variables hold some for longer.";

/// a, b(a), c(b), d(a), l(c, d); backward gl, gd(gl, d), gc(gl, c), gb(gc, b), ga(gb, a).
graph::ProgramPtr program()
{
    tests::ProgramBuilder builder = tests::aProgram();
    builder.storage("x", 1, StorageClass::Input);
    int op = 0;
    for (const char* name : {"a", "b", "c", "d", "l", "gl", "gd", "gc", "gb", "ga"}) {
        builder.storage(name, 10, *name == 'l' ? StorageClass::Output : StorageClass::Activation,
                        {.alloc = op});
        ++op;
    }
    builder.op("a", {.reads = {"x"}, .outputs = {"a"}})
        .op("b", {.reads = {"a"}, .outputs = {"b"}})
        .op("c", {.reads = {"b"}, .outputs = {"c"}})
        .op("d", {.reads = {"a"}, .outputs = {"d"}})
        .op("l", {.reads = {"c", "d"}, .outputs = {"l"}, .phase = Phase::Loss})
        .op("gl", {.reads = {"l"}, .outputs = {"gl"}, .phase = Phase::Backward})
        .op("gd", {.reads = {"gl", "d"}, .outputs = {"gd"}, .phase = Phase::Backward})
        .op("gc", {.reads = {"gl", "c"}, .outputs = {"gc"}, .phase = Phase::Backward})
        .op("gb", {.reads = {"gc", "b"}, .outputs = {"gb"}, .phase = Phase::Backward})
        .op("ga", {.reads = {"gb", "a"}, .outputs = {"ga"}, .phase = Phase::Backward});
    return builder.build();
}

std::string reasonOf(const graph::Program& program, Rows rows)
{
    plan::Plan plan;
    plan.decisions = plan::RecomputeSchedule{std::move(rows)};
    return plan::whyNoRegions(program, plan, plan::lower(program, plan));
}

/// What regions run again, at the places where they do, as rows; false where two of them run at
/// one place, which a row doesn't tell apart.
bool rowsOf(const graph::Program& program, const plan::Plan& regions, Rows& rows)
{
    std::set<std::int32_t> running;
    std::set<OpId> ops;
    for (const plan::Step& step : plan::lower(program, regions).steps) {
        if (step.region >= 0) {
            running.insert(step.region);
            ops.insert(step.op);
            continue;
        }
        if (running.size() > 1)
            return false;
        if (!ops.empty())
            rows.push_back(
                {static_cast<graph::OpIndex>(step.op.index()), {ops.begin(), ops.end()}});
        running.clear();
        ops.clear();
    }
    return !rows.empty();
}

class WhyNoRegionsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesTheFirstThingThatRegionsCannot_data();
    void namesTheFirstThingThatRegionsCannot();
    void plansOfRegionsHaveNoReason();
    void nothingIsFoundInWhatRegionsRunAgain();
};

void WhyNoRegionsTest::namesTheFirstThingThatRegionsCannot_data()
{
    QTest::addColumn<Rows>("rows");
    QTest::addColumn<std::string>("reason");
    const auto ops = [](std::initializer_list<std::size_t> numbers) {
        return std::vector<OpId>(numbers.begin(), numbers.end());
    };
    QTest::newRow("nothing runs again") << Rows{} << std::string{};
    QTest::newRow("another order")
        << Rows{{1, ops({3})}}
        << std::string{"Op 3 (d) runs ahead of its place, before op 1: regions keep the recorded "
                       "order."};
    QTest::newRow("backward")
        << Rows{{9, ops({7})}}
        << std::string{
               "Op 7 (gc) of backward is recomputed: regions recompute forward and loss only."};
    QTest::newRow("in forward") << Rows{{3, ops({0})}}
                                << std::string{"Op 0 (a) is recomputed in forward, before op 3: "
                                               "regions are recomputed in backward only."};
    QTest::newRow("a part of a region")
        << Rows{{6, ops({0, 3})}, {8, ops({1})}}
        << std::string{"Op 0 (a) and op 3 are recomputed together before op 6, op 1 between them "
                       "only before op 8: a region is recomputed as a whole."};
    QTest::newRow("apart, then together")
        << Rows{{7, ops({1, 2})}, {8, ops({0, 1})}}
        << std::string{"Op 1 (b) is recomputed before op 7 without op 0, and with it before op 8: "
                       "nested regions recompute both in either place."};
    QTest::newRow("nested") << Rows{{7, ops({0, 1, 2})}, {8, ops({0, 1})}} << kNothingCertain;
    QTest::newRow("one region") << Rows{{7, ops({1, 2})}} << kNothingCertain;
}

void WhyNoRegionsTest::namesTheFirstThingThatRegionsCannot()
{
    QFETCH(Rows, rows);
    QFETCH(std::string, reason);
    QCOMPARE(reasonOf(*program(), rows), reason);
}

void WhyNoRegionsTest::plansOfRegionsHaveNoReason()
{
    const graph::ProgramPtr chain = tests::longChain(3);
    plan::Plan plan;
    plan.asRegions().regions = {tests::regionOf(*chain, {1})};
    QCOMPARE(plan::whyNoRegions(*chain, plan, plan::lower(*chain, plan)), std::string{});
}

void WhyNoRegionsTest::nothingIsFoundInWhatRegionsRunAgain()
{
    int plans = 0;
    int nested = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        const graph::ProgramPtr program =
            seed % 3 == 2 ? tests::randomGatedProgram(seed) : tests::randomProgram(seed);
        plan::Plan regions = tests::randomLegalPlan(*program, seed);
        if (seed % 2 == 0)
            regions = tests::withRandomSaves(*program, regions, seed);
        Rows rows;
        if (!rowsOf(*program, regions, rows))
            continue;
        ++plans;
        nested += plan::flatten(regions.regions()).size() > regions.regions().size() ? 1 : 0;
        QVERIFY2(reasonOf(*program, rows) == kNothingCertain,
                 (std::to_string(seed) + ": " + reasonOf(*program, rows)).c_str());
    }
    qInfo("%d plans, %d with nested regions", plans, nested);
    QVERIFY(plans > 300 && nested > 30);
}

} // namespace

PLIMSOLL_TEST(WhyNoRegionsTest, QCoreApplication)
#include "why_no_regions_test.moc"
