// SPDX-License-Identifier: Apache-2.0
#include "core/base/nearest.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <string>
#include <vector>

namespace {

using namespace plimsoll::base;

class NearestTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsEdits_data();
    void countsEdits();
    void offersTheNearestFirst();
};

void NearestTest::countsEdits_data()
{
    QTest::addColumn<QString>("one");
    QTest::addColumn<QString>("other");
    QTest::addColumn<int>("edits");
    QTest::newRow("same") << "layer1"
                          << "layer1" << 0;
    QTest::newRow("empty") << ""
                           << "abc" << 3;
    QTest::newRow("left out") << "layr1"
                              << "layer1" << 1;
    QTest::newRow("replaced") << "layer1"
                              << "layer2" << 1;
    QTest::newRow("kitten") << "kitten"
                            << "sitting" << 3;
    QTest::newRow("Saturday") << "Saturday"
                              << "Sunday" << 3;
}

void NearestTest::countsEdits()
{
    QFETCH(QString, one);
    QFETCH(QString, other);
    QFETCH(int, edits);
    const auto expected = static_cast<std::size_t>(edits);
    QCOMPARE(editDistance(one.toStdString(), other.toStdString()), expected);
    QCOMPARE(editDistance(other.toStdString(), one.toStdString()), expected);
}

void NearestTest::offersTheNearestFirst()
{
    const std::vector<std::string> names{"conv1", "layer1", "layer2", "fc"};
    QCOMPARE(nearestNames("layr2", names, 2), (std::vector<std::string>{"layer2", "layer1"}));
    QCOMPARE(nearestNames("layer", names, 2), (std::vector<std::string>{"layer1", "layer2"}));
    QCOMPARE(nearestNames("x", names, 9).size(), names.size());
    QVERIFY(nearestNames("x", {}, 3).empty());
}

} // namespace

PLIMSOLL_TEST(NearestTest, QCoreApplication)
#include "nearest_test.moc"
