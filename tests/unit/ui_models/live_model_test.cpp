// SPDX-License-Identifier: Apache-2.0
// The tree of what is live at a step: sums, groups, and the rules of Qt's models.
#include "ui/models/live_model.h"

#include "ui/base/theme.h"

#include "tests/support/messages.h"
#include "tests/support/planned_sample.h"
#include "tests/support/test_main.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include <memory>

namespace {

using namespace plimsoll::ui;
using plimsoll::base::Bytes;
namespace plan = plimsoll::plan;
namespace tests = plimsoll::tests;
namespace timeline = plimsoll::timeline;

class LiveModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void groupsAddUpAtEveryStep_data();
    void groupsAddUpAtEveryStep();
    void putsModulesIntoOneAnother();
    void namesWhatBelongsToAParameter();
    void keepsTheRulesOfModels();

private:
    std::unique_ptr<Theme> m_theme;
    plan::VerifiedPlanPtr m_unplanned;
    plan::VerifiedPlanPtr m_planned;
};

Bytes sumOf(const LiveTree& tree, const std::vector<int>& nodes)
{
    Bytes sum;
    for (const int node : nodes)
        sum += tree.nodes[static_cast<std::size_t>(node)].bytes;
    return sum;
}

const LiveNode* nodeNamed(const LiveTree& tree, const QString& name, int parent)
{
    for (const LiveNode& node : tree.nodes)
        if (node.name == name && node.parent == parent)
            return &node;
    return nullptr;
}

int indexOf(const LiveTree& tree, const LiveNode* node)
{
    return static_cast<int>(node - tree.nodes.data());
}

void LiveModelTest::initTestCase()
{
    m_theme = std::make_unique<Theme>();
    const auto sample = tests::planSample("resnet18", Bytes{std::int64_t{300} << 20});
    QVERIFY2(sample, tests::messageOf(sample));
    m_unplanned = sample->planned->unplanned;
    m_planned = sample->planned->frontier->points().front();
}

void LiveModelTest::groupsAddUpAtEveryStep_data()
{
    QTest::addColumn<bool>("planned");
    QTest::addColumn<int>("grouping");
    for (const bool planned : {false, true})
        for (const LiveGrouping grouping : {LiveGrouping::Module, LiveGrouping::Class})
            QTest::addRow("%s by %s", planned ? "planned" : "unplanned",
                          grouping == LiveGrouping::Module ? "module" : "class")
                << planned << static_cast<int>(grouping);
}

void LiveModelTest::groupsAddUpAtEveryStep()
{
    QFETCH(bool, planned);
    QFETCH(int, grouping);
    const plan::VerifiedPlan& plan = planned ? *m_planned : *m_unplanned;
    const timeline::Timeline& timeline = *plan.evaluation().timeline;
    for (std::size_t step = 0; step < timeline.stepCount(); ++step) {
        const LiveTreePtr tree = liveTree(plan, step, static_cast<LiveGrouping>(grouping));
        QVERIFY(tree->total == timeline.totalAt(step));
        QVERIFY(sumOf(*tree, tree->top) == timeline.totalAt(step));
        for (const LiveNode& node : tree->nodes) {
            QVERIFY(!node.name.isEmpty());
            QCOMPARE(node.isGroup, !node.children.empty());
            if (node.isGroup)
                QVERIFY(sumOf(*tree, node.children) == node.bytes);
        }
        if (grouping == static_cast<int>(LiveGrouping::Class))
            for (const int top : tree->top) {
                const LiveNode& node = tree->nodes[static_cast<std::size_t>(top)];
                QVERIFY(node.bytes
                        == timeline.stackAt(step)[static_cast<std::size_t>(*node.category)]);
            }
    }
}

void LiveModelTest::putsModulesIntoOneAnother()
{
    const std::size_t peak = m_unplanned->evaluation().peakStep;
    const LiveTreePtr tree = liveTree(*m_unplanned, peak, LiveGrouping::Module);
    const LiveNode* layer = nodeNamed(*tree, QStringLiteral("layer1"), -1);
    QVERIFY(layer != nullptr && layer->isGroup);
    const LiveNode* block = nodeNamed(*tree, QStringLiteral("0"), indexOf(*tree, layer));
    QVERIFY(block != nullptr && block->isGroup);
    QVERIFY(block->bytes < layer->bytes);
    const LiveNode* conv = nodeNamed(*tree, QStringLiteral("conv1"), indexOf(*tree, block));
    QVERIFY(conv != nullptr && conv->isGroup);
    const LiveNode* reserve = nodeNamed(*tree, QStringLiteral("Reserve"), -1);
    QVERIFY(reserve != nullptr);
    QCOMPARE(reserve->bytes.count(), std::int64_t{300} << 20);
}

void LiveModelTest::namesWhatBelongsToAParameter()
{
    // When the step ends, every gradient is there.
    const std::size_t last = m_unplanned->evaluation().timeline->stepCount() - 1;
    const LiveTreePtr tree = liveTree(*m_unplanned, last, LiveGrouping::Module);
    const LiveNode* fc = nodeNamed(*tree, QStringLiteral("fc"), -1);
    QVERIFY(fc != nullptr);
    const int group = indexOf(*tree, fc);
    const LiveNode* weight = nodeNamed(*tree, QStringLiteral("weight"), group);
    QVERIFY(weight != nullptr);
    QVERIFY(weight->category == timeline::Category::Parameters);
    QVERIFY(!weight->since);
    QCOMPARE(weight->made, QStringLiteral("before the step"));
    const LiveNode* gradient = nodeNamed(*tree, QStringLiteral("weight, gradient"), group);
    QVERIFY(gradient != nullptr);
    QVERIFY(gradient->category == timeline::Category::Gradients);
    QVERIFY(gradient->since);
    QVERIFY(gradient->made.endsWith(QStringLiteral(", backward")));
    const LiveNode* state = nodeNamed(*tree, QStringLiteral("weight, state 1"), group);
    QVERIFY(state != nullptr);
    QVERIFY(state->category == timeline::Category::OptimizerState);
}

void LiveModelTest::keepsTheRulesOfModels()
{
    LiveModel model;
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    QCOMPARE(model.rowCount(), 0);
    model.setTree(liveTree(*m_planned, m_planned->evaluation().peakStep, LiveGrouping::Module));
    QVERIFY(model.rowCount() > 1);
    const QModelIndex first = model.index(0, LiveModel::BytesColumn);
    const QModelIndex second = model.index(1, LiveModel::BytesColumn);
    QVERIFY(!first.data().toString().isEmpty());
    QVERIFY(first.data(Qt::ToolTipRole).toString().endsWith(QStringLiteral("B)")));
    const auto bytesOf = [&](const QModelIndex& index) {
        return model.tree()->nodes[static_cast<std::size_t>(index.internalId())].bytes;
    };
    QVERIFY(bytesOf(first) >= bytesOf(second));
    model.setTree(liveTree(*m_planned, 0, LiveGrouping::Class));
    model.setTree(nullptr);
    QCOMPARE(model.rowCount(), 0);
}

} // namespace

PLIMSOLL_TEST(LiveModelTest, QApplication)
#include "live_model_test.moc"
