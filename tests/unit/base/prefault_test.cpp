// SPDX-License-Identifier: Apache-2.0
#include "core/base/prefault.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <numeric>
#include <vector>

namespace {

using namespace plimsoll::base;

class PrefaultTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void leavesWhatIsThere_data();
    void leavesWhatIsThere();
};

void PrefaultTest::leavesWhatIsThere_data()
{
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("begin");
    QTest::addColumn<int>("bytes");
    QTest::newRow("nothing") << 10 << 0 << 0;
    QTest::newRow("a few bytes") << 10 << 3 << 5;
    QTest::newRow("odd ends") << 1'000'001 << 4097 << 500'001;
    QTest::newRow("all of several pieces") << 3'000'000 << 0 << 3'000'000;
}

void PrefaultTest::leavesWhatIsThere()
{
    QFETCH(int, size);
    QFETCH(int, begin);
    QFETCH(int, bytes);
    std::vector<unsigned char> expected(static_cast<std::size_t>(size));
    std::iota(expected.begin(), expected.end(), static_cast<unsigned char>(1));
    std::vector<unsigned char> values = expected;
    prefault(values.data() + begin, static_cast<std::size_t>(bytes));
    QCOMPARE(values, expected);
    QCOMPARE(prefaultedZeros<unsigned char>(values.size()),
             std::vector<unsigned char>(values.size()));
}

} // namespace

PLIMSOLL_TEST(PrefaultTest, QCoreApplication)
#include "prefault_test.moc"
