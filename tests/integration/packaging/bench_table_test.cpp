// SPDX-License-Identifier: Apache-2.0
// The one table that packaging/test --bench makes of what all benchmarks print.
#include "tests/integration/program_run.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <filesystem>

namespace {

using namespace plimsoll;

class BenchTableTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rowsOfAllProgramsAreSortedByGoal();
    void aMissIsToldAndFails();
    void whatDoesNotReportIsARow_data();
    void whatDoesNotReportIsARow();
    void noBenchmarksAtAllFail();

private:
    [[nodiscard]] std::string program(const char* name, const std::string& body) const
    {
        const std::string path = m_folder.fileWith(name, "#!/bin/sh\n" + body + "\n");
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        return path;
    }
    /// The table and, as its last line, what was counted.
    [[nodiscard]] QStringList table(const std::vector<std::string>& programs) const
    {
        std::string script = "set -u; bench_limit=3; . '" PLIMSOLL_SOURCE_DIR
                             "/packaging/lib/common.sh'; logs='"
                             + m_folder.path().string()
                             + "'; . packaging/lib/results.sh; . packaging/lib/benches.sh; "
                               "run_benches";
        for (const std::string& path : programs)
            script += " '" + path + "'";
        script += " >/dev/null 2>&1; print_bench_table; "
                  "echo \"$passed passed, $failed failed: ${failures[*]:-}\"";
        const tests::ProgramRun run = tests::runProgram(
            QStringLiteral("bash"), {QStringLiteral("-c"), QString::fromStdString(script)});
        return QString::fromUtf8(run.out).trimmed().split(QLatin1Char('\n'));
    }

    tests::TempFolder m_folder;
    const std::string m_rows{ROWS_EXAMPLE};
};

void BenchTableTest::rowsOfAllProgramsAreSortedByGoal()
{
    const QStringList lines = table({program("b_bench", m_rows), program("a_bench", m_rows)});
    QCOMPARE(lines.size(), 8);
    for (int row = 2; row < 6; ++row) {
        QVERIFY2(lines[row].startsWith(row < 4 ? QStringLiteral("| 2   | earlier goal: above it ")
                                               : QStringLiteral("| 10  | later goal: at the ")),
                 qPrintable(lines[row]));
        QCOMPARE(lines[row].size(), lines[0].size());
    }
    QCOMPARE(lines[6].trimmed(), QStringLiteral("4 pass  0 MISS  0 FAIL"));
    QCOMPARE(lines[7], QStringLiteral("1 passed, 0 failed:"));
}

void BenchTableTest::aMissIsToldAndFails()
{
    const QStringList lines =
        table({program("a_bench", m_rows), program("b_bench", m_rows + " more")});
    QVERIFY(lines.filter(QStringLiteral("own goal: no figure"))
                .value(0)
                .endsWith(QStringLiteral("|         - |      <= 1 | MISS |")));
    QCOMPARE(lines[lines.size() - 2].trimmed(), QStringLiteral("4 pass  1 MISS  0 FAIL"));
    QCOMPARE(lines.last(), QStringLiteral("0 passed, 1 failed: 1 of the benchmarks' 5 rows miss "
                                          "their targets"));
}

void BenchTableTest::whatDoesNotReportIsARow_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("row");
    QTest::newRow("crashed") << QStringLiteral(ROWS_EXAMPLE "; kill -SEGV $$")
                             << QStringLiteral("bad_bench ended with status 139: rows may be");
    QTest::newRow("silent") << QStringLiteral("echo '| no row |'")
                            << QStringLiteral("bad_bench printed no rows");
    QTest::newRow("endless") << QStringLiteral("exec sleep 600")
                             << QStringLiteral("bad_bench ended with status 124: rows may be");
}

void BenchTableTest::whatDoesNotReportIsARow()
{
    QFETCH(QString, body);
    QFETCH(QString, row);
    const QStringList lines =
        table({program("a_bench", m_rows), program("bad_bench", body.toStdString())});
    const QStringList found = lines.filter(row);
    QCOMPARE(found.size(), 1);
    QVERIFY(found[0].endsWith(QStringLiteral("| FAIL |")));
    QVERIFY(lines.last().startsWith(QStringLiteral("0 passed, 1 failed")));
}

void BenchTableTest::noBenchmarksAtAllFail()
{
    QCOMPARE(table({}),
             QStringList{QStringLiteral("0 passed, 1 failed: the benchmarks: none was run")});
}

} // namespace

PLIMSOLL_TEST(BenchTableTest, plimsoll::tests::NoApplication)
#include "bench_table_test.moc"
