// SPDX-License-Identifier: Apache-2.0
// Which files are opened as sessions: those of older versions are brought up to date, what is none
// is refused with one sentence.
#include "core/session/plan_records.h"

#include "tests/support/messages.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"
#include "tests/unit/session/sample_session.h"

#include <QTest>

#include <fmt/format.h>

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace {

using namespace plimsoll;
using namespace plimsoll::session;
using namespace plimsoll::tests;

constexpr session::DocumentId kFirst{1};

class SessionFilesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refusesWhatIsNoSession_data();
    void refusesWhatIsNoSession();
    void tellsWhatIsThereInsteadOfAFile();
    void bringsOldVersionsUpToDate_data();
    void bringsOldVersionsUpToDate();
    void refusesANewerVersion();
    void refusesAVersionThatNeverWas();
    void refusesViewsAndTriggers();
    void refusesAnotherProgramsDatabase();
    void refusesATruncatedFile();
    void callsAMissingTableDamage();
};

void SessionFilesTest::refusesWhatIsNoSession_data()
{
    QTest::addColumn<std::string>("content");
    QTest::newRow("empty") << std::string{};
    QTest::newRow("text") << std::string{"hello, this is no database at all"};
    QTest::newRow("magic only") << std::string{"SQLite format 3", 16};
    QTest::newRow("magic and noise")
        << std::string{"SQLite format 3", 16} + std::string(5000, '\x5a');
}

void SessionFilesTest::refusesWhatIsNoSession()
{
    QFETCH(std::string, content);
    const TempFolder folder;
    const auto store = SessionStore::open(folder.fileWith("x.plimsoll", content));
    QVERIFY(!store);
    QVERIFY2(isOneSentence(store.error().message), store.error().message.c_str());
}

void SessionFilesTest::tellsWhatIsThereInsteadOfAFile()
{
    const TempFolder folder;
    const std::string pipe = folder.file("pipe");
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    const std::string inside = folder.path().string();
    for (const auto& [path, says] :
         {std::pair{folder.file("missing.plimsoll"), " does not exist; check the path."},
          {inside, " is a folder; name a file inside it."},
          {pipe, " is not a regular file; copy its content to one."},
          {folder.fileWith("0.plimsoll", ""), " is empty (0 bytes); write or copy it again."}}) {
        const auto store = SessionStore::open(path);
        QVERIFY(!store);
        QCOMPARE(store.error().message, path + says);
    }
}

void SessionFilesTest::bringsOldVersionsUpToDate_data()
{
    QTest::addColumn<int>("version");
    for (int version = 1; version <= 5; ++version)
        QTest::addRow("version %d", version) << version;
}

/// A file as that version wrote it: its schema, and rows with all columns that it had.
void SessionFilesTest::bringsOldVersionsUpToDate()
{
    QFETCH(int, version);
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    constexpr std::array kSchemas{"001_initial", "002_sizes", "003_measurement", "004_pins",
                                  "005_data_parallel"};
    std::string sql;
    for (int i = 0; i < version; ++i) {
        const std::string schema =
            contentOf(fmt::format(PLIMSOLL_SOURCE_DIR "/core/session/schema/{}.sql",
                                  kSchemas.at(static_cast<std::size_t>(i))));
        QVERIFY(!schema.empty());
        sql += schema;
    }
    const bool hasSizes = version >= 2;
    const bool hasMeasurement = version >= 3;
    const bool hasPins = version >= 4;
    const bool hasParallel = version >= 5;
    sql += fmt::format(
        "PRAGMA application_id = 0x504c4d53; PRAGMA user_version = {};"
        "INSERT INTO graph VALUES (1, 'a', 'b', 'c', 'd');"
        "INSERT INTO problem VALUES (1, 'l4', 1, 512, 'rotor', '{{\"slots\": 7}}', "
        "9{}{}{});"
        "INSERT INTO run VALUES (3, 'mine', 9, 'rotor', 'feasible', 8, 7, NULL{});"
        "INSERT INTO view VALUES (1, '{{\"begin\":0.5}}');{}",
        version, hasSizes ? R"(, '{"batch":4}')" : "", hasPins ? R"(, '["keep:a"]')" : "",
        hasParallel ? ", 'world=8'" : "", hasSizes ? R"(, '{"batch":2}')" : "",
        hasMeasurement ? "INSERT INTO measurement VALUES (1, 'm', 'text', '{}');" : "");
    execute(path, sql.c_str());
    const std::string before = contentOf(path);
    using Sizes = std::map<std::string, std::int64_t>;
    SavedSession expected;
    expected.document = {kFirst, "plan", "a", "b", "c", "{}", R"({"begin":0.5})"};
    expected.content = "d";
    expected.plan.problem = {"l4",
                             1,
                             512,
                             "rotor",
                             {{"slots", 7}},
                             9,
                             hasSizes ? Sizes{{"batch", 4}} : Sizes{},
                             hasPins ? std::vector<std::string>{"keep:a"}
                                     : std::vector<std::string>{},
                             hasParallel ? "world=8" : ""};
    if (hasMeasurement)
        expected.plan.measurement = SavedMeasurement{"m", "text", {}};
    SavedRun run;
    run.id = 3;
    run.name = "mine";
    run.budgetBytes = 9;
    run.planner = "rotor";
    run.status = "feasible";
    run.peakBytes = 8;
    run.stepTimeNs = 7;
    run.sizes = hasSizes ? Sizes{{"batch", 2}} : Sizes{};
    expected.plan.runs = {run};
    for (const char* time : {"brought up to date", "opened again"}) {
        const auto saved = loadSession(path);
        QVERIFY2(saved, messageOf(saved));
        QVERIFY2(saved->document == expected.document, time);
        QCOMPARE(saved->content, expected.content);
        QVERIFY2(saved->plan == expected.plan, time);
    }
    QCOMPARE(contentOf(fmt::format("{}.v{}.bak", path, version)), before); // as it was
}

void SessionFilesTest::refusesANewerVersion()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(createSession(path, aSession()));
    execute(path, "PRAGMA user_version = 99");
    const auto store = SessionStore::open(path);
    QVERIFY(!store);
    QVERIFY(isOneSentence(store.error().message));
    QVERIFY(store.error().message.find("newer") != std::string::npos);
}

void SessionFilesTest::refusesAVersionThatNeverWas()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(createSession(path, aSession()));
    for (const char* sql : {"PRAGMA user_version = -3", "PRAGMA user_version = 0"}) {
        execute(path, sql);
        const auto store = SessionStore::open(path);
        QVERIFY(!store);
        QVERIFY(isOneSentence(store.error().message));
        QVERIFY(store.error().message.find("not a Plimsoll session") != std::string::npos);
    }
}

/// In place of a table, a view could give rows without end.
void SessionFilesTest::refusesViewsAndTriggers()
{
    for (const char* sql :
         {"DROP TABLE run; CREATE VIEW run AS SELECT 1 AS id, 'a' AS name, 1 AS budget_bytes, "
          "'b' AS planner, 'c' AS status, 1 AS peak_bytes, 1 AS step_time_ns, NULL AS plan",
          "CREATE TRIGGER forget AFTER INSERT ON run BEGIN DELETE FROM run; END"}) {
        const TempFolder folder;
        const std::string path = folder.file("a.plimsoll");
        QVERIFY(createSession(path, aSession()));
        execute(path, sql);
        const auto store = SessionStore::open(path);
        QVERIFY(!store);
        QVERIFY(isOneSentence(store.error().message));
    }
}

void SessionFilesTest::refusesAnotherProgramsDatabase()
{
    const TempFolder folder;
    const std::string path = folder.file("songs.db");
    execute(path, "CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('x')");
    const auto store = SessionStore::open(path);
    QVERIFY(!store);
    QVERIFY(isOneSentence(store.error().message));
    // It was only looked at.
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database, "SELECT title FROM song", nullptr, nullptr, nullptr),
             SQLITE_OK);
    sqlite3_close(database);
}

void SessionFilesTest::refusesATruncatedFile()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    {
        SavedSession large = aSession();
        large.content = std::string(200'000, 'q');
        auto store = createSession(path, large);
        QVERIFY(store);
        QVERIFY(store->compact());
    }
    const std::string whole = contentOf(path);
    for (const double part : {0.1, 0.5, 0.9}) {
        const auto length = static_cast<std::size_t>(static_cast<double>(whole.size()) * part);
        const auto store = SessionStore::open(
            folder.fileWith("cut" + std::to_string(length), whole.substr(0, length)));
        if (!store) {
            QVERIFY2(isOneSentence(store.error().message), store.error().message.c_str());
            continue;
        }
        const auto saved = loadSession(*store);
        QVERIFY(!saved);
        QVERIFY2(isOneSentence(saved.error().message), saved.error().message.c_str());
    }
}

void SessionFilesTest::callsAMissingTableDamage()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(createSession(path, aSession()));
    execute(path, "DROP TABLE run");
    const auto store = SessionStore::open(path);
    QVERIFY(store);
    const auto saved = loadSession(*store);
    QVERIFY(!saved);
    QVERIFY(isOneSentence(saved.error().message));
    QVERIFY(saved.error().message.find("damaged") != std::string::npos);
}

} // namespace

PLIMSOLL_TEST(SessionFilesTest, QCoreApplication)
#include "session_files_test.moc"
