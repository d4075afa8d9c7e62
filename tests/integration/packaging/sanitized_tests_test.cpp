// SPDX-License-Identifier: Apache-2.0
// What packaging/test makes of tests that are wrong, slow or stopped under a sanitizer.
#include "tests/integration/program_run.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <filesystem>

namespace {

using namespace plimsoll;

class SanitizedTestsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void onlyWhatIsWrongAloneFails_data();
    void onlyWhatIsWrongAloneFails();
};

void SanitizedTestsTest::onlyWhatIsWrongAloneFails_data()
{
    QTest::addColumn<QString>("first"); ///< what a ctest does that runs all
    QTest::addColumn<QString>("alone"); ///< and one that is told names
    QTest::addColumn<int>("left");      ///< seconds of the run
    QTest::addColumn<QString>("report");
    const auto row = [](const char* name, const char* first, const char* alone, int left,
                        const char* report) {
        QTest::newRow(name) << QString::fromLatin1(first) << QString::fromLatin1(alone) << left
                            << QString::fromLatin1(report);
    };
    row("right", "right 1 a_test; right 2 b_test", "exit 1", 100,
        "asan: passed (2 programs); 0 failed");
    row("wrong while others ran", "wrong 1 a_test; right 2 b_test; wrong 3 c_test; exit 8",
        "[ \"$names\" = '^(a_test|c_test)$' ] || exit 1; right 1 a_test; right 3 c_test", 100,
        "asan: passed (3 programs); 0 failed");
    row("wrong alone, too", "wrong 1 a_test; right 2 b_test; exit 8", "wrong 1 a_test; exit 8", 100,
        "asan: failed: a_test; 1 failed");
    row("crashed alone, too", "crashed 1 a_test; crashed 2 b_test; exit 8",
        "crashed 1 a_test; crashed 2 b_test; exit 8", 100,
        "asan: failed: a_test, b_test; 1 failed");
    row("slow while others ran", "slow 1 a_test; right 2 b_test; exit 8", "right 1 a_test", 100,
        "asan: passed (2 programs); 0 failed");
    row("slow alone, too", "slow 1 a_test; right 2 b_test; exit 8", "slow 1 a_test; exit 8", 100,
        "asan: failed: a_test; 1 failed");
    row("no time to look again", "sleep 2; wrong 1 a_test; exit 8", "exit 1", 17,
        "asan: failed: out of time, wrong before: a_test; 1 failed");
    row("stopped", "right 1 a_test; exit 124", "exit 1", 100,
        "asan: failed: out of time; 1 failed");
    row("stopped, wrong before", "wrong 1 a_test; exit 124", "exit 1", 100,
        "asan: failed: out of time, wrong before: a_test; 1 failed");
    row("stopped, crashed then", "crashed 1 a_test; exit 124", "exit 1", 100,
        "asan: failed: out of time; 1 failed");
    row("stopped when it ran alone", "wrong 1 a_test; exit 8", "exit 124", 100,
        "asan: failed: out of time, wrong before: a_test; 1 failed");
    row("not there", "absent 1 a_test; exit 8", "exit 1", 100, "asan: failed: a_test; 1 failed");
    row("no tests at all", "exit 8", "exit 1", 100, "asan: failed; 1 failed");
}

void SanitizedTestsTest::onlyWhatIsWrongAloneFails()
{
    QFETCH(QString, first);
    QFETCH(QString, alone);
    QFETCH(int, left);
    QFETCH(QString, report);
    const tests::TempFolder folder;
    const std::string ctest = folder.fileWith(
        "ctest", "#!/bin/bash\n"
                 "tell() { echo \"$1/9 Test #$1: $2 .....$3 1.00 sec\"; }\n"
                 "right() { tell $1 $2 '   Passed   '; }\n"
                 "wrong() { tell $1 $2 '***Failed   '; }\n"
                 "slow() { tell $1 $2 '***Timeout   '; }\n"
                 "absent() { tell $1 $2 '***Not Run   '; }\n"
                 "crashed() { tell $1 $2 '***Exception: SegFault '; }\n"
                 "names=\n"
                 "while [ $# -gt 0 ]; do [ \"$1\" != -R ] || names=\"$2\"; shift; done\n"
                 "if [ -z \"$names\" ]; then "
                     + first.toStdString() + "; else " + alone.toStdString() + "; fi\n");
    std::filesystem::permissions(ctest, std::filesystem::perms::owner_all);
    const std::string path = folder.path().string();
    const std::string script = "set -u; . '" PLIMSOLL_SOURCE_DIR "/packaging/lib/common.sh'; logs='"
                               + path
                               + "'; . packaging/lib/results.sh; . packaging/lib/checks.sh; PATH='"
                               + path + "':\"$PATH\"; time_limit=" + std::to_string(left)
                               + "; SECONDS=0; run_sanitized_tests asan 80 >/dev/null 2>&1; "
                                 "echo \"${checks[*]}; $failed failed\"";
    const tests::ProgramRun run = tests::runProgram(
        QStringLiteral("bash"), {QStringLiteral("-c"), QString::fromStdString(script)});
    QCOMPARE(QString::fromUtf8(run.out).simplified(), report);
}

} // namespace

PLIMSOLL_TEST(SanitizedTestsTest, plimsoll::tests::NoApplication)
#include "sanitized_tests_test.moc"
