// SPDX-License-Identifier: Apache-2.0
// Low-water cuts, by hand.
#include "core/solve/pack/decompose.h"
#include "core/solve/pack/solve_pack.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;
using namespace plimsoll::solve;

namespace {

class PackDecomposeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cuts_data();
    void cuts();
    void whatIsNestedNeedsNoSearch();
};

using Indices = std::vector<std::vector<std::uint32_t>>;

void PackDecomposeTest::cuts_data()
{
    QTest::addColumn<PackBuffers>("buffers");
    QTest::addColumn<PackOffsets>("offsets");
    QTest::addColumn<PackOffsets>("bases");
    QTest::addColumn<Indices>("parts");
    const auto row = [](const char* name, const PackBuffers& buffers, const PackOffsets& offsets,
                        const PackOffsets& bases, const Indices& parts) {
        QTest::newRow(name) << buffers << offsets << bases << parts;
    };
    row("nothing", {}, {}, {}, {});
    row("nothing takes room", {{0, 4, 0}}, {0}, {}, {});
    // 0 and 2 meet; 3 begins where they end and is alone; 1 takes no room.
    row("a time that nothing crosses", {{0, 4, 4}, {3, 6, 0}, {1, 5, 4}, {5, 8, 2}}, {0, 0, 0, 0},
        {0}, {{0, 2}});
    row("a time without buffers", {{0, 2, 4}, {1, 3, 4}, {5, 7, 1}, {6, 8, 1}}, {0, 0, 0, 0},
        {0, 0}, {{0, 1}, {2, 3}});
    row("only what lasts crosses time 5", {{0, 10, 3}, {0, 3, 2}, {2, 5, 2}, {5, 8, 1}, {7, 10, 4}},
        {0, 0, 0, 0, 0}, {3, 3}, {{1, 2}, {3, 4}});
    // Below [0, 6) another one lasts, and what is left of [6, 10) lasts there.
    row("cuts within cuts", {{0, 10, 3}, {0, 6, 2}, {0, 4, 1}, {3, 6, 1}, {6, 10, 5}},
        {0, 3, 0, 0, 3}, {5}, {{2, 3}});
    // Time 5 is crossed by 1 as well, which doesn't last.
    row("no cut", {{0, 10, 3}, {4, 6, 2}, {0, 5, 2}, {5, 10, 2}}, {0, 0, 0, 0}, {3}, {{2, 1, 3}});
}

void PackDecomposeTest::cuts()
{
    QFETCH(PackBuffers, buffers);
    QFETCH(PackOffsets, offsets);
    QFETCH(PackOffsets, bases);
    QFETCH(Indices, parts);
    const Decomposition cut = decompose(buffers);
    QCOMPARE(cut.offsets, offsets);
    QCOMPARE(cut.parts.size(), parts.size());
    for (std::size_t k = 0; k < parts.size(); ++k) {
        QCOMPARE(cut.parts[k].base, bases[k]);
        QCOMPARE(cut.parts[k].buffers, parts[k]);
    }
}

/// As a training step's activations are: each lasts from the forward pass to its own backward.
void PackDecomposeTest::whatIsNestedNeedsNoSearch()
{
    constexpr std::int64_t kLayers = 20000;
    PackBuffers buffers;
    std::int64_t sum = 0;
    for (std::int64_t layer = 0; layer < kLayers; ++layer) {
        buffers.push_back({layer, 2 * kLayers - layer, 1 + layer % 7});
        sum += buffers.back().size;
    }
    QVERIFY(decompose(buffers).parts.empty());
    const base::Result<PackAnswer> answer = solvePack(buffers, {}, {});
    QVERIFY(answer.has_value());
    QCOMPARE(answer->status, Status::Optimal);
    QCOMPARE(answer->height, sum);
}

} // namespace

PLIMSOLL_TEST(PackDecomposeTest, plimsoll::tests::NoApplication)
#include "pack_decompose_test.moc"
