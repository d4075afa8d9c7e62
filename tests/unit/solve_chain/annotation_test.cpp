// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/annotation.h"

#include "tests/support/chain_sequence.h"
#include "tests/support/test_main.h"
#include "tests/unit/solve_chain/chain_examples.h"

#include <QTest>

using namespace plimsoll;
using namespace plimsoll::solve;

namespace {

Labels labelled(const char* text, std::size_t stages)
{
    return annotate(*tests::parseSequence(text), stages);
}

constexpr auto kNone = std::nullopt;

} // namespace

class AnnotationTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nestedLabelsGiveNestedRegions();
    void missingLabelsEndRegions();
    void theNestedExampleHasItsTree();
    void aRegionOpenAtTheLossIsLabelled();
    void nothingRecomputedGivesNoRegion();
};

void AnnotationTest::nestedLabelsGiveNestedRegions()
{
    const Labels labels{{0, 0, 0}, {0, 0, kNone}, {0, 0, 1}, {0, 1, kNone}, {1}, {}};
    const std::vector<Region> wanted{
        {0, 0, 3, {{0, 0, 2, {{0, 0, 0, {}}, {1, 2, 2, {}}}}, {1, 3, 3, {}}}}, {1, 4, 4, {}}};
    QVERIFY(regionTree(labels) == wanted);
}

void AnnotationTest::missingLabelsEndRegions()
{
    const Labels labels{{0}, {0}, {1}, {1}, {}, {2}};
    const std::vector<Region> wanted{{0, 0, 1, {}}, {1, 2, 3, {}}, {2, 5, 5, {}}};
    QVERIFY(regionTree(labels) == wanted);
    QVERIFY(regionTree({}).empty());
}

void AnnotationTest::theNestedExampleHasItsTree()
{
    const Labels labels =
        labelled("CF_0 Fn_1 Fn_2 Fn_3 CF_4 Fn_5 Fn_6 Fe_7 L B_7 CF_4 Fn_5 Fe_6 B_6 CF_4 Fe_5 "
                 "B_5 Fe_4 B_4 CF_0 CF_1 Fn_2 Fe_3 B_3 CF_1 Fe_2 B_2 Fe_1 B_1 Fe_0 B_0",
                 8);
    const std::vector<Region> wanted{
        {0, 0, 3, {{0, 0, 0, {}}, {1, 1, 2, {{0, 1, 1, {}}}}}},
        {1, 4, 6, {{0, 4, 5, {{0, 4, 4, {}}}}}},
    };
    QVERIFY(regionTree(labels) == wanted);
}

void AnnotationTest::aRegionOpenAtTheLossIsLabelled()
{
    const Labels labels = labelled("Fe_0 CF_1 Fn_2 L CF_1 Fe_2 B_2 Fe_1 B_1 B_0", 3);
    const Labels wanted{{}, {0, 0}, {0, kNone}};
    QVERIFY(labels == wanted);
}

void AnnotationTest::nothingRecomputedGivesNoRegion()
{
    const Labels labels = annotate(keepEverything(tests::e1()), 6);
    QCOMPARE(labels, Labels(6));
    QVERIFY(regionTree(labels).empty());
}

PLIMSOLL_TEST(AnnotationTest, QCoreApplication)
#include "annotation_test.moc"
