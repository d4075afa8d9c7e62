// SPDX-License-Identifier: Apache-2.0

#include "tests/support/graph_dump.h"

#include "core/readers/registry.h"

#include "tests/support/golden.h"
#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <string>

namespace {

using plimsoll::tests::messageOf;
using plimsoll::tests::repositoryPath;

class GraphDumpTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsGraphsAsReviewed_data();
    void readsGraphsAsReviewed();
};

void GraphDumpTest::readsGraphsAsReviewed_data()
{
    QTest::addColumn<std::string>("graph");
    QTest::addColumn<std::string>("golden");
    QTest::addColumn<std::size_t>("rows");

    QTest::newRow("tiny") << std::string{"tests/data/tiny.plimsoll.json"} << std::string{"tiny.txt"}
                          << std::size_t{100};
}

void GraphDumpTest::readsGraphsAsReviewed()
{
    QFETCH(std::string, graph);
    QFETCH(std::string, golden);
    QFETCH(std::size_t, rows);
    const auto read = plimsoll::readers::readProgram(repositoryPath(graph));
    QVERIFY2(read, messageOf(read));
    const std::string difference = plimsoll::tests::differenceFromGolden(
        golden, plimsoll::tests::dumpProgram(*read->program, rows));
    QVERIFY2(difference.empty(), difference.c_str());
}

} // namespace

PLIMSOLL_TEST(GraphDumpTest, QCoreApplication)
#include "graph_dump_test.moc"
