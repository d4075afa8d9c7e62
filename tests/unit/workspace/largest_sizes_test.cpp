// SPDX-License-Identifier: Apache-2.0
// The largest size that runs: against every size below it, planned one by one.
#include "core/workspace/largest_sizes.h"

#include "tests/support/planned_sample.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <stop_token>

namespace {

using namespace plimsoll;
using base::Bytes;
using workspace::Choices;
using workspace::LargestSize;
using workspace::SizeQuestion;
using workspace::SizeStatus;

constexpr Bytes kBudget{10 * 1024 * base::kMiB};

class LargestSizesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithEverySize_data();
    void agreesWithEverySize();
    void aSizeThatDoesNotRunIsLeftDownwards();
    void nothingRuns();
    void theEndOfTheLawsIsTheLast();
    void everyTrialIsTold();
    void aStopKeepsWhatIsKnown();
    void refusesWithASentence();
    void comparesThePlannersOfAuto();

private:
    [[nodiscard]] Choices choicesFor(const char* planner) const
    {
        Choices choices = tests::defaultChoices();
        choices.planner = planner;
        choices.reserve = workspace::reservedWorkspaces(*m_gpt2, choices.device).all();
        return choices;
    }
    [[nodiscard]] LargestSize largest(const SizeQuestion& question, Bytes budget = kBudget) const
    {
        return workspace::largestSizes(m_gpt2, {question}, budget, {}, {}).value().front();
    }
    /// Whether a plan runs at that size, asked directly.
    [[nodiscard]] bool runsAt(const SizeQuestion& question, std::int64_t size) const
    {
        Choices choices = question.choices;
        choices.sizes[question.axis] = size;
        const auto planned = workspace::planGraph(m_gpt2, choices, {}).value();
        const auto answer = workspace::answerAt(*planned, kBudget, {}, {}).value();
        return answer.choice.plan && answer.choice.verdict->status != run::RunStatus::Fails;
    }

    graph::ProgramPtr m_gpt2 = tests::programOf(tests::samplePath("gpt2"));
    graph::ProgramPtr m_varied =
        tests::programOf(tests::repositoryPath("tests/data/varied.plimsoll.json"));
};

void LargestSizesTest::agreesWithEverySize_data()
{
    QTest::addColumn<QString>("planner");
    QTest::addColumn<QString>("axis");
    QTest::addColumn<qint64>("from");
    QTest::addColumn<qint64>("step");
    QTest::newRow("trunk, batch") << QStringLiteral("trunk") << QStringLiteral("batch") << qint64{4}
                                  << qint64{1};
    QTest::newRow("none, batch") << QStringLiteral("none") << QStringLiteral("batch") << qint64{4}
                                 << qint64{1};
    QTest::newRow("none, sequence")
        << QStringLiteral("none") << QStringLiteral("sequence") << qint64{256} << qint64{32};
}

void LargestSizesTest::agreesWithEverySize()
{
    QFETCH(QString, planner);
    QFETCH(QString, axis);
    QFETCH(qint64, from);
    QFETCH(qint64, step);
    const SizeQuestion question{axis.toStdString(), choicesFor(planner.toUtf8().constData())};
    const LargestSize found = largest(question);
    QVERIFY(found.isOver);
    QCOMPARE(found.next->size, found.largest->size + step);
    std::int64_t size = from;
    while (runsAt(question, size))
        size += step;
    QCOMPARE(found.next->size, size);
    QVERIFY(found.next->status != SizeStatus::Runs);

    const plan::VerifiedPlan& plan = *found.largest->plan;
    QVERIFY(plan.evaluation().peak <= kBudget);
    QCOMPARE(plan.problem().budget, kBudget);
    QVERIFY(plan.evaluation().stepTime >= found.largest->unplanned->evaluation().stepTime);
    const auto& axes = plan.problem().step()->vary->axes;
    QVERIFY(std::ranges::any_of(axes, [&](const graph::Axis& at) {
        return at.name == question.axis && at.size == found.largest->size;
    }));
}

void LargestSizesTest::aSizeThatDoesNotRunIsLeftDownwards()
{
    SizeQuestion question{"batch", choicesFor("none")};
    const LargestSize up = largest(question);
    question.choices.sizes = {{"batch", 64}};
    const LargestSize down = largest(question);
    QCOMPARE(down.largest->size, up.largest->size);
    QCOMPARE(down.next->size, up.next->size);
    // Other axes stay as chosen.
    question.choices.sizes = {{"sequence", 512}};
    QVERIFY(largest(question).largest->size > up.largest->size);
}

void LargestSizesTest::nothingRuns()
{
    const LargestSize found = largest({"batch", choicesFor("none")}, Bytes{base::kMiB});
    QVERIFY(found.isOver && !found.largest);
    QCOMPARE(found.next->size, std::int64_t{4});
    QVERIFY(found.next->status == SizeStatus::Infeasible);
}

void LargestSizesTest::theEndOfTheLawsIsTheLast()
{
    const SizeQuestion question{"batch", choicesFor("none")};
    const auto found =
        workspace::largestSizes(m_varied, {question}, plan::kUnlimited, {}, {}).value();
    QVERIFY(found[0].isOver && found[0].largest);
    QCOMPARE(found[0].next->size, found[0].largest->size + 1);
    QVERIFY(found[0].next->status == SizeStatus::Refused);
    QVERIFY(!found[0].next->refusal.empty());
    QVERIFY(!found[0].largest->run); // a step for the CPU
}

void LargestSizesTest::everyTrialIsTold()
{
    const std::vector<SizeQuestion> questions{{"batch", choicesFor("none")},
                                              {"sequence", choicesFor("none")}};
    std::vector<std::size_t> told;
    std::vector<LargestSize> last(questions.size());
    const auto found = workspace::largestSizes(m_gpt2, questions, kBudget, {}, {},
                                               [&](std::size_t row, const LargestSize& known) {
                                                   told.push_back(row);
                                                   last[row] = known;
                                               })
                           .value();
    QVERIFY(std::ranges::is_sorted(told));
    for (std::size_t row = 0; row < found.size(); ++row) {
        QVERIFY(std::ranges::count(told, row) > 2);
        QVERIFY(last[row].isOver);
        QCOMPARE(last[row].largest->size, found[row].largest->size);
    }
}

void LargestSizesTest::aStopKeepsWhatIsKnown()
{
    const std::vector<SizeQuestion> questions{{"batch", choicesFor("none")},
                                              {"sequence", choicesFor("none")}};
    std::stop_source stop;
    const auto found =
        workspace::largestSizes(m_gpt2, questions, kBudget * 4, {}, {.stop = stop.get_token()},
                                [&stop](std::size_t, const LargestSize&) { stop.request_stop(); })
            .value();
    QCOMPARE(found.size(), questions.size());
    QCOMPARE(found[0].largest->size, std::int64_t{8}); // the first trial: the recorded size
    QVERIFY(!found[0].isOver && !found[0].next);
    QVERIFY(!found[1].isOver && !found[1].largest && !found[1].next);
}

void LargestSizesTest::refusesWithASentence()
{
    const auto why = [](const graph::ProgramPtr& program, const SizeQuestion& question) {
        const auto found = workspace::largestSizes(program, {question}, kBudget, {}, {});
        return found || found.error().kind != base::ErrorKind::Usage
                   ? QString{}
                   : QString::fromStdString(found.error().message);
    };
    SizeQuestion question{"height", choicesFor("none")};
    QVERIFY(why(m_gpt2, question).contains(QLatin1String("no axis \"height\" that varies")));
    question.axis = "batch";
    question.choices.sizes = {{"batch", 3}};
    QVERIFY(why(m_gpt2, question).contains(QLatin1String("batch 3 is below 4")));
    question.choices.sizes = {};
    QVERIFY(why(tests::programOf(tests::samplePath("resnet18")), question)
                .contains(QLatin1String("traced at one size only")));
}

void LargestSizesTest::comparesThePlannersOfAuto()
{
    const Choices rotor = choicesFor("rotor");
    QCOMPARE(workspace::choicesByPlanner(rotor), std::vector<Choices>{rotor});
    const std::vector<Choices> all = workspace::choicesByPlanner(choicesFor("auto"));
    QVERIFY(all.size() > 5);
    QCOMPARE(all.front().planner, std::string{"auto"});
    QCOMPARE(all.back().planner, std::string{"none"});
    std::vector<std::string> calls;
    for (const Choices& choices : all) {
        const solve::Planner* planner = solve::findPlanner(choices.planner).value();
        QVERIFY(solve::checkOptions(planner->descriptor(), choices.options));
        calls.push_back(workspace::plannerCall(choices));
    }
    QVERIFY(std::ranges::count(calls, "rotor --ways on") == 1);
    std::ranges::sort(calls);
    QVERIFY(std::ranges::adjacent_find(calls) == calls.end());
}

} // namespace

PLIMSOLL_TEST(LargestSizesTest, QCoreApplication)
#include "largest_sizes_test.moc"
