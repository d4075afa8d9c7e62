// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/comparison/phase_axis.h"

#include "tests/support/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <string_view>

namespace {

using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

/// "fbo": spans named after the letters, "-" without a name, of the given lengths or of 10 each.
std::vector<PhaseSpan> spansOf(std::string_view letters,
                               const std::vector<std::int64_t>& lengths = {})
{
    std::vector<PhaseSpan> spans;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const std::int64_t length = lengths.empty() ? 10 : lengths[i];
        spans.push_back(
            {letters[i] == '-' ? std::string{} : std::string{letters[i]}, at, at + length});
        at += length;
    }
    return spans;
}

/// The phases of an axis as letters; in brackets, which sides have them.
QString textOf(const PhaseAxis& axis)
{
    QString text;
    for (const AxisPhase& phase : axis.phases()) {
        text += phase.name.empty() ? QStringLiteral("-") : QString::fromStdString(phase.name);
        for (std::size_t side = 0; side < phase.spans.size(); ++side)
            if (phase.spans[side])
                text += QString::number(side);
    }
    return text;
}

/// The most phases with a name that both sequences have in one order: tries each subset.
std::size_t mostInCommon(std::string_view first, std::string_view second)
{
    std::size_t most = 0;
    for (unsigned chosen = 0; chosen < 1U << first.size(); ++chosen) {
        std::size_t named = 0;
        std::size_t at = 0;
        bool fits = true;
        for (std::size_t i = 0; i < first.size() && fits; ++i) {
            if ((chosen >> i & 1U) == 0)
                continue;
            at = second.find(first[i], at);
            fits = at != std::string_view::npos;
            ++at;
            named += first[i] != '-';
        }
        if (fits)
            most = std::max(most, named);
    }
    return most;
}

class PhaseAxisTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void alignsPhasesByNameAndOrder_data();
    void alignsPhasesByNameAndOrder();
    void scalesWithinAPhase();
    void startsAllAtZeroWithoutCommonPhases();
    void leavesNumbersOfStepsOut_data();
    void leavesNumbersOfStepsOut();
    void pairsAsManyPhasesAsPossible();
    void keepsOrderAndEnds();
};

void PhaseAxisTest::alignsPhasesByNameAndOrder_data()
{
    QTest::addColumn<QByteArray>("first");
    QTest::addColumn<QByteArray>("second");
    QTest::addColumn<QString>("phases");
    QTest::newRow("the same") << QByteArray{"fbo"} << QByteArray{"fbo"} << "f01b01o01";
    QTest::newRow("one step more in B")
        << QByteArray{"fbo"} << QByteArray{"fbofbo"} << "f01b01o01f1b1o1";
    QTest::newRow("A begins within a step")
        << QByteArray{"bofbo"} << QByteArray{"fbofbo"} << "f1b01o01f01b01o01";
    QTest::newRow("a phase of A only") << QByteArray{"flb"} << QByteArray{"fb"} << "f01l0b01";
    QTest::newRow("a phase of B only") << QByteArray{"fb"} << QByteArray{"flb"} << "f01l1b01";
    QTest::newRow("other phases at one place")
        << QByteArray{"fxb"} << QByteArray{"fyb"} << "f01x0y1b01";
    QTest::newRow("names before what has none")
        << QByteArray{"---f"} << QByteArray{"f---"} << "-0-0-0f01-1-1-1";
}

void PhaseAxisTest::alignsPhasesByNameAndOrder()
{
    QFETCH(QByteArray, first);
    QFETCH(QByteArray, second);
    QFETCH(QString, phases);
    const PhaseAxis axis{{spansOf(first.toStdString()), spansOf(second.toStdString())}};
    QVERIFY(axis.isAligned());
    QCOMPARE(textOf(axis), phases);
}

void PhaseAxisTest::scalesWithinAPhase()
{
    // Forward takes 100 and 50, backward 30 in A; the loss, of B only, is as long as there.
    const PhaseAxis axis{{spansOf("fb", {100, 30}), spansOf("flb", {50, 7, 60})}};
    QCOMPARE(axis.length(), 100 + 7 + 30);
    QCOMPARE(axis.positionOf(0, 99), 99);
    QCOMPARE(axis.positionOf(0, 100), 107); // where backward begins
    QCOMPARE(axis.positionOf(0, 130), 137);
    QCOMPARE(axis.positionOf(1, 0), 0);
    QCOMPARE(axis.positionOf(1, 25), 50);
    QCOMPARE(axis.positionOf(1, 50), 100);
    QCOMPARE(axis.positionOf(1, 56), 106);
    QCOMPARE(axis.positionOf(1, 57 + 30), 107 + 15);
    QCOMPARE(axis.positionOf(1, 117), 137);
    QCOMPARE(axis.ownPositionOf(0, 99), 99);
    QCOMPARE(axis.ownPositionOf(0, 103), 100); // it has no loss
    QCOMPARE(axis.ownPositionOf(0, 107), 100);
    QCOMPARE(axis.ownPositionOf(0, 137), 130);
    QCOMPARE(axis.ownPositionOf(1, 50), 25);
    QCOMPARE(axis.ownPositionOf(1, 106), 56);
    QCOMPARE(axis.ownPositionOf(1, 107 + 15), 57 + 30);
    QCOMPARE(axis.phaseAt(100)->name, std::string{"l"});
    QCOMPARE(axis.phaseAt(137)->name, std::string{"b"});
}

void PhaseAxisTest::startsAllAtZeroWithoutCommonPhases()
{
    const std::vector<std::vector<PhaseSpan>> sides{spansOf("-", {40}), spansOf("fb", {50, 7})};
    const PhaseAxis axis{sides};
    QVERIFY(!axis.isAligned());
    QVERIFY(axis.phases().empty());
    QCOMPARE(axis.length(), 57);
    QCOMPARE(axis.positionOf(0, 33), 33);
    QCOMPARE(axis.positionOf(1, 50), 50);
    QVERIFY(axis.phaseAt(3) == nullptr);
    // One that shares nothing takes the alignment from the others.
    QVERIFY(!(PhaseAxis{{spansOf("fb"), spansOf("fb"), spansOf("x")}}.isAligned()));
    QVERIFY((PhaseAxis{{spansOf("fb"), spansOf("fb"), spansOf("b")}}.isAligned()));
}

void PhaseAxisTest::leavesNumbersOfStepsOut_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("key");
    QTest::newRow("number of a step") << "ProfilerStep#12"
                                      << "ProfilerStep";
    QTest::newRow("after a space") << "step 7"
                                   << "step";
    QTest::newRow("an optimizer") << "Optimizer.step#AdamW.step"
                                  << "Optimizer.step#AdamW.step";
    QTest::newRow("a module's number") << "h.11"
                                       << "h.11";
    QTest::newRow("only digits") << "12"
                                 << "12";
    QTest::newRow("nothing") << ""
                             << "";
}

void PhaseAxisTest::leavesNumbersOfStepsOut()
{
    QFETCH(QString, name);
    QFETCH(QString, key);
    QCOMPARE(QString::fromStdString(phaseKey(name.toStdString())), key);
}

void PhaseAxisTest::pairsAsManyPhasesAsPossible()
{
    plimsoll::tests::Random random{7};
    const auto letters = [&random] {
        std::string text(random.below(8) + 1, ' ');
        for (char& letter : text)
            letter = "fbo-"[random.below(4)];
        return text;
    };
    for (int round = 0; round < 400; ++round) {
        const std::string first = letters();
        const std::string second = letters();
        const PhaseAxis axis{{spansOf(first), spansOf(second)}};
        std::size_t common = 0;
        for (const AxisPhase& phase : axis.phases())
            common += !phase.name.empty() && phase.spans[0] && phase.spans[1];
        QCOMPARE(common, axis.isAligned() ? mostInCommon(first, second) : 0);
        QCOMPARE(axis.isAligned(), mostInCommon(first, second) > 0);
    }
}

void PhaseAxisTest::keepsOrderAndEnds()
{
    plimsoll::tests::Random random{11};
    for (int round = 0; round < 200; ++round) {
        std::vector<std::vector<PhaseSpan>> sides(1 + random.below(4));
        for (std::vector<PhaseSpan>& spans : sides) {
            std::string text{"f"};
            std::vector<std::int64_t> lengths{random.between(1, 50)};
            for (std::size_t more = random.below(7); more > 0; --more) {
                text += "fbo-"[random.below(4)];
                lengths.push_back(random.between(1, 50));
            }
            spans = spansOf(text, lengths);
        }
        const PhaseAxis axis{sides};
        QVERIFY(axis.isAligned());
        std::int64_t end = 0;
        std::vector<std::size_t> next(sides.size());
        for (const AxisPhase& phase : axis.phases()) {
            QCOMPARE(phase.begin, end);
            end = phase.end;
            for (std::size_t side = 0; side < sides.size(); ++side) {
                if (!phase.spans[side])
                    continue;
                QCOMPARE(*phase.spans[side], next[side]++);
                const PhaseSpan& span = sides[side][*phase.spans[side]];
                QCOMPARE(span.name, phase.name);
                QCOMPARE(axis.positionOf(side, span.begin), phase.begin);
                std::int64_t before = phase.begin;
                for (std::int64_t at = span.begin; at < span.end; ++at) {
                    const std::int64_t position = axis.positionOf(side, at);
                    QVERIFY(position >= before && position <= phase.end);
                    before = position;
                }
            }
        }
        QCOMPARE(axis.length(), end);
        for (std::size_t side = 0; side < sides.size(); ++side)
            QCOMPARE(next[side], sides[side].size());
    }
}

} // namespace

PLIMSOLL_TEST(PhaseAxisTest, QCoreApplication)
#include "phase_axis_test.moc"
