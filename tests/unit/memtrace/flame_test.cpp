// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/flame.h"

#include "tests/support/recorded_training.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

namespace {

using plimsoll::tests::RecordedTraining;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

class FlameTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void weighsBytesByLifetimes_data();
    void weighsBytesByLifetimes();
    void ordersCallersAboveWhatTheyCall();
    void countsOnlyWhatAFilterKeeps();

private:
    [[nodiscard]] const DeviceTrace& device() const { return m_trace->devices().front(); }
    [[nodiscard]] Flame flame(std::size_t first, std::size_t last,
                              const Matches& matches = {}) const
    {
        const Layering layering{classLayers(), classify(*m_trace, device()).classOf};
        return flameOf(*m_trace, device(), layering, first, last, matches);
    }

    MemoryTracePtr m_trace;
};

void FlameTest::initTestCase()
{
    m_trace = RecordedTraining{}.trace();
    QVERIFY(m_trace);
}

void FlameTest::weighsBytesByLifetimes_data()
{
    QTest::addColumn<std::size_t>("first");
    QTest::addColumn<std::size_t>("last");
    QTest::newRow("all") << std::size_t{0} << device().stepCount() - 1;
    QTest::newRow("a part") << std::size_t{7} << std::size_t{40};
    QTest::newRow("one step") << std::size_t{12} << std::size_t{12};
}

void FlameTest::weighsBytesByLifetimes()
{
    QFETCH(std::size_t, first);
    QFETCH(std::size_t, last);
    // The area below the curve.
    double area = 0;
    const auto& times = device().axisTimes();
    for (std::size_t step = first; step <= last; ++step)
        for (std::size_t i = 0; i < device().allocations().size(); ++i)
            if (device().firstStep(i) <= step && step <= device().lastStep(i))
                area += static_cast<double>(device().allocations().bytes[i])
                        * static_cast<double>(times[step + 1] - times[step]);
    const Flame found = flame(first, last);
    QVERIFY(area > 0);
    QVERIFY(std::abs(found.nodes[0].weight - area) < 1e-9 * area);
    for (std::size_t i = 0; i < found.nodes.size(); ++i) {
        double below = 0;
        double before = found.nodes[i].weight;
        for (const std::uint32_t child : found.nodes[i].children) {
            QVERIFY(child > i);
            QCOMPARE(found.nodes[child].parent, static_cast<std::uint32_t>(i));
            QCOMPARE(found.nodes[child].depth, found.nodes[i].depth + 1);
            QVERIFY(found.nodes[child].weight <= before);
            before = found.nodes[child].weight;
            below += found.nodes[child].weight;
        }
        QVERIFY(below <= found.nodes[i].weight * (1 + 1e-12));
    }
}

void FlameTest::ordersCallersAboveWhatTheyCall()
{
    const Flame found = flame(0, device().stepCount() - 1);
    const auto& root = found.nodes[0];
    QCOMPARE(root.name, std::string{"all"});
    QCOMPARE(root.blocks, std::size_t{60});
    QCOMPARE(root.children.size(), std::size_t{3});
    const FlameNode* main = nullptr;
    for (const std::uint32_t child : root.children)
        if (found.nodes[child].name == "train/train.py:40:main")
            main = &found.nodes[child];
    QVERIFY(main != nullptr);
    QCOMPARE(main->blocks, std::size_t{24});
    QCOMPARE(main->children.size(), std::size_t{12});
    QCOMPARE(found.layers->at(main->mainLayer).id, std::string{"activations"});
    QVERIFY(found.nodes[main->children[0]].name.starts_with("train/model.py:"));
    QCOMPARE(found.nodes[main->children[0]].blocks, std::size_t{2}); // one in each step
}

void FlameTest::countsOnlyWhatAFilterKeeps()
{
    const auto matches = matchesOf({{FilterField::Class, "temporaries"}}, *m_trace, device(),
                                   classify(*m_trace, device()), phasesOf(*m_trace, device()));
    QVERIFY(matches);
    const Flame found = flame(0, device().stepCount() - 1, *matches);
    QCOMPARE(found.nodes.size(), std::size_t{2});
    QCOMPARE(found.nodes[1].name, std::string{"(no Python frame)"});
    QCOMPARE(found.nodes[1].blocks, std::size_t{24});
    // 512 KiB for 50 µs, 24 times.
    QCOMPARE(found.nodes[1].weight, 24.0 * 524288 * 50'000);
}

} // namespace

PLIMSOLL_TEST(FlameTest, QCoreApplication)
#include "flame_test.moc"
