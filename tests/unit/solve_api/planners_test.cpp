// SPDX-License-Identifier: Apache-2.0
// What every planner tells about itself.
#include "core/solve/registry.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <set>

namespace {

using namespace plimsoll;

class PlannersTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void explainsItself_data();
    void explainsItself();
    void namesOnePlannerEach();
};

void PlannersTest::explainsItself_data()
{
    QTest::addColumn<std::size_t>("index");
    for (std::size_t index = 0; index < solve::planners().size(); ++index)
        QTest::newRow(solve::planners()[index]->descriptor().id.c_str()) << index;
}

void PlannersTest::explainsItself()
{
    QFETCH(std::size_t, index);
    const solve::PlannerDescriptor& descriptor = solve::planners()[index]->descriptor();
    const auto isSentence = [](const std::string& text) {
        return text.size() > 10 && text.back() == '.';
    };
    QVERIFY(!descriptor.name.empty());
    QVERIFY(isSentence(descriptor.sentence));
    QVERIFY(isSentence(descriptor.source));
    for (const std::string& sentence : descriptor.leavesOut)
        QVERIFY2(isSentence(sentence), sentence.c_str());
    for (const solve::OptionRecord& option : descriptor.options)
        QVERIFY2(isSentence(option.sentence), option.name.c_str());
}

void PlannersTest::namesOnePlannerEach()
{
    std::set<std::string> ids;
    for (const auto& planner : solve::planners()) {
        const std::string& id = planner->descriptor().id;
        QVERIFY2(ids.insert(id).second, id.c_str());
        QCOMPARE(*solve::findPlanner(id), planner.get());
    }
    QVERIFY(!solve::findPlanner("nobody").has_value());
}

} // namespace

PLIMSOLL_TEST(PlannersTest, QCoreApplication)
#include "planners_test.moc"
