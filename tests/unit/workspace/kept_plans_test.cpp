// SPDX-License-Identifier: Apache-2.0
// The result of a search, kept as text: shown again as it was, or not at all.
#include "core/workspace/kept_plans.h"

#include "tests/support/messages.h"
#include "tests/support/planned_sample.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace {

using namespace plimsoll;

constexpr const char* kHash = "b0b0";

class KeptPlansTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void comesBackAsItWas();
    void isOfOneQuestionOnly();
    void isNotTakenIfAnythingIsWrong_data();
    void isNotTakenIfAnythingIsWrong();
    void stops();

private:
    [[nodiscard]] workspace::PlannedPtr from(const std::string& text,
                                             const workspace::Choices& choices,
                                             const base::JobContext& job = {}) const
    {
        return workspace::plannedFrom(text, kHash, m_sample->document.graph.program, choices, job);
    }

    std::optional<tests::PlannedSample> m_sample;
    std::string m_text;
};

void KeptPlansTest::initTestCase()
{
    auto sample = tests::planSample("resnet18");
    QVERIFY2(sample, tests::messageOf(sample));
    m_sample = *std::move(sample);
    m_text = workspace::keptPlans(*m_sample->planned, kHash);
}

void KeptPlansTest::comesBackAsItWas()
{
    const workspace::Planned& before = *m_sample->planned;
    const workspace::PlannedPtr after = from(m_text, before.choices);
    QVERIFY(after != nullptr);
    QVERIFY(after->choices == before.choices);
    QVERIFY(after->took == before.took);
    QVERIFY(after->peakBound.bytes == before.peakBound.bytes);
    QVERIFY(after->smallestPeak == before.smallestPeak);
    QVERIFY(after->unplannedNeeds == before.unplannedNeeds);
    QVERIFY(after->frontier->leftOut() == before.frontier->leftOut());
    QVERIFY(!before.frontier->dominated().empty());
    const auto was = before.frontier->candidates();
    const auto is = after->frontier->candidates();
    QCOMPARE(after->frontier->points().size(), before.frontier->points().size());
    QVERIFY(was.size() > 50);
    QCOMPARE(is.size(), was.size());
    for (std::size_t i = 0; i < is.size(); ++i) {
        QCOMPARE(is[i]->evaluation().peak.count(), was[i]->evaluation().peak.count());
        QCOMPARE(is[i]->evaluation().stepTime.count(), was[i]->evaluation().stepTime.count());
        QVERIFY(is[i]->plan() == was[i]->plan());
        QVERIFY(*is[i].provenance == *was[i].provenance);
    }
    QVERIFY(before.frontier->parts() && after->frontier->parts());
    const auto parts = before.frontier->parts()->read();
    const auto again = after->frontier->parts()->read();
    QCOMPARE(again.size(), parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        QCOMPARE(again[i].call, parts[i].call);
        QVERIFY(again[i].state == parts[i].state && again[i].took == parts[i].took);
        QVERIFY(again[i].found == parts[i].found);
    }
    // Kept again, it is the same text.
    QCOMPARE(workspace::keptPlans(*after, kHash), m_text);
}

void KeptPlansTest::isOfOneQuestionOnly()
{
    const workspace::Choices& asked = m_sample->planned->choices;
    const std::vector<std::function<void(workspace::Choices&)>> changes{
        [](workspace::Choices& choices) { choices.device = *plan::findDevice("rtx-4070"); },
        [](workspace::Choices& choices) { choices.reserve += base::Bytes{512}; },
        [](workspace::Choices& choices) { choices.rounding = graph::Rounding::Exact; },
        [](workspace::Choices& choices) { choices.planner = "rotor"; },
        [](workspace::Choices& choices) { choices.options["granularity"] = std::string{"op"}; },
        [](workspace::Choices& choices) { choices.pins = {"keep:layer1*"}; },
    };
    for (const auto& change : changes) {
        workspace::Choices other = asked;
        change(other);
        QVERIFY(other != asked);
        QVERIFY(from(m_text, other) == nullptr);
    }
    QVERIFY(workspace::plannedFrom(m_text, "other", m_sample->document.graph.program, asked, {})
            == nullptr);
    QVERIFY(from(m_text, asked) != nullptr);
}

/// The text with its first `what` replaced.
std::string replaced(std::string text, const std::string& what, const std::string& with)
{
    const std::size_t at = text.find(what);
    return at == std::string::npos ? std::string{} : text.replace(at, what.size(), with);
}

void KeptPlansTest::isNotTakenIfAnythingIsWrong_data()
{
    QTest::addColumn<std::string>("text");
    const std::size_t headEnd = m_text.find('\n');
    QTest::addRow("empty") << std::string{};
    QTest::addRow("no JSON") << std::string{"plans\n"};
    QTest::addRow("head only") << m_text.substr(0, headEnd + 1);
    QTest::addRow("cut in a plan") << m_text.substr(0, m_text.size() - 100);
    QTest::addRow("another version") << replaced(m_text, "\"plimsoll\":\"", "\"plimsoll\":\"9");
    QTest::addRow("another format") << replaced(m_text, "\"format\":2", "\"format\":3");
    QTest::addRow("a field without value") << replaced(m_text, "\"took_ns\":", "\"took\":");
    QTest::addRow("an unknown state") << replaced(m_text, "\"state\":", "\"state\":1");
    QTest::addRow("garbage in a plan") << m_text + "{\"plan\":}\n";
    QTest::addRow("another graph's plan") << replaced(m_text, "\"first\":", "\"first\":1000");
    // A planner that claims a plan of one byte that takes no time.
    QTest::addRow("a claim that no plan bears out")
        << replaced(m_text, "\"found\":[", "\"found\":[[1,0],");
    const auto points = std::to_string(m_sample->planned->frontier->points().size());
    QTest::addRow("a dominated plan in the frontier")
        << replaced(m_text, "\"points\":" + points, "\"points\":9999");
    QTest::addRow("a plan of the frontier among the dominated ones")
        << replaced(m_text, "\"points\":" + points, "\"points\":1");
    QTest::addRow("deeply nested") << std::string(200'000, '[') + '\n';
}

void KeptPlansTest::isNotTakenIfAnythingIsWrong()
{
    QFETCH(std::string, text);
    QVERIFY(text != m_text);
    QVERIFY(from(text, m_sample->planned->choices) == nullptr);
}

void KeptPlansTest::stops()
{
    std::stop_source source;
    source.request_stop();
    base::JobContext job;
    job.stop = source.get_token();
    QVERIFY(from(m_text, m_sample->planned->choices, job) == nullptr);
}

} // namespace

PLIMSOLL_TEST(KeptPlansTest, plimsoll::tests::NoApplication)
#include "kept_plans_test.moc"
