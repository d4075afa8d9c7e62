// SPDX-License-Identifier: Apache-2.0
// Sessions hold what was put into them, and refuse what is none with one sentence.
#include "core/session/session_store.h"

#include "tests/support/messages.h"
#include "tests/support/temp_folder.h"

#include <QFile>
#include <QTest>

#include <sqlite3.h>

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace {

using plimsoll::session::SavedMeasurement;
using plimsoll::session::SavedProblem;
using plimsoll::session::SavedRun;
using plimsoll::session::SavedSession;
using plimsoll::session::SessionStore;
using plimsoll::support::isOneSentence;
using plimsoll::support::messageOf;
using plimsoll::support::TempFolder;

SavedSession aSession()
{
    SavedSession session;
    std::string content = "graph with a zero ";
    content += '\0';
    content += " and bytes \xff\xfe";
    session.graph = {"GPT-2", "folder/gpt2.json", "0123456789abcdef", content};
    session.problem = {"a100-80gb",
                       1 << 20,
                       512,
                       "rotor",
                       {{"boundaries", "layer2,layer3.1"}, {"slots", 500}},
                       7'784'628'224,
                       {{"batch", 16}, {"sequence", 512}},
                       {},
                       "world=8,busbw=100000000000,latency=5000ns"};
    SavedRun run;
    run.name = "über den Daumen";
    run.budgetBytes = 7'784'628'224;
    run.planner = "rotor";
    run.status = "feasible";
    run.peakBytes = 7'600'000'000;
    run.stepTimeNs = 164'000'000;
    run.plan = R"({"plan": 1})";
    run.sizes = {{"batch", 4}};
    session.runs.push_back(run);
    run = {};
    run.budgetBytes = 1;
    run.planner = "rotor";
    run.status = "infeasible";
    session.runs.push_back(run);
    session.measurement = {"step.measurement.json", content, {{"batch", 16}}};
    session.view = R"({"begin":0.25})";
    return session;
}

void execute(const std::string& path, const char* sql)
{
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
}

std::string contentOf(const std::string& path)
{
    QFile file{QString::fromStdString(path)};
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string{};
}

class SessionStoreTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesBackWhatWasPutIn();
    void keepsEachChange();
    void replacesASessionButNothingElse();
    void refusesWhatIsNoSession_data();
    void refusesWhatIsNoSession();
    void tellsWhatIsThereInsteadOfAFile();
    void bringsTheFirstVersionUpToDate();
    void refusesANewerVersion();
    void refusesAVersionThatNeverWas();
    void refusesViewsAndTriggers();
    void refusesAnotherProgramsDatabase();
    void refusesATruncatedFile();
    void saysThatAnotherProgramWrites();
    void tellsSessionsFromGraphs();
    void compactsWithoutLoss();
    void keepsTheOldSessionWhenTheNewOneFails();
    void leavesASessionAloneThatIsOpen();
    void leavesOtherDatabasesAlone();
    void noticesThatItsFileIsGone();
    void looksWithoutDroppingLocks();
    void callsAMissingTableDamage();
};

void SessionStoreTest::givesBackWhatWasPutIn()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    SavedSession expected = aSession();
    {
        const auto created = SessionStore::create(path, expected);
        QVERIFY2(created, messageOf(created));
    }
    const auto store = SessionStore::open(path);
    QVERIFY2(store, messageOf(store));
    const auto saved = store->load();
    QVERIFY(saved);
    QVERIFY(saved->graph == expected.graph);
    QVERIFY(saved->problem == expected.problem);
    QVERIFY(saved->measurement == expected.measurement);
    QCOMPARE(saved->view, expected.view);
    for (std::size_t i = 0; i < expected.runs.size(); ++i)
        expected.runs[i].id = static_cast<std::int64_t>(i) + 1;
    QVERIFY(saved->runs == expected.runs);
}

void SessionStoreTest::keepsEachChange()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    auto store = SessionStore::create(path, aSession());
    QVERIFY(store);
    SavedProblem problem = aSession().problem;
    problem.budgetBytes = 42;
    problem.options = {};
    QVERIFY(store->saveProblem(problem));
    QVERIFY(store->renameRun(1, "first"));
    QVERIFY(store->removeRun(2));
    SavedRun run;
    run.budgetBytes = 5;
    run.planner = "rotor";
    run.status = "optimal";
    const auto id = store->addRun(run);
    QVERIFY(id);
    QVERIFY(store->saveView("{}"));
    QVERIFY(store->saveMeasurement(SavedMeasurement{"other", "text", {}}));

    // A second reader sees all of it while the writer is still open.
    const auto other = SessionStore::open(path);
    QVERIFY2(other, messageOf(other));
    const auto saved = other->load();
    QVERIFY(saved);
    QVERIFY(saved->problem == problem);
    QCOMPARE(saved->runs.size(), std::size_t{2});
    QCOMPARE(saved->runs.front().name, std::string{"first"});
    QCOMPARE(saved->runs.back().id, *id);
    QCOMPARE(saved->view, std::string{"{}"});
    QVERIFY((saved->measurement == SavedMeasurement{"other", "text", {}}));
    QVERIFY(store->saveMeasurement(std::nullopt));
    const auto without = other->load();
    QVERIFY(without);
    QVERIFY(!without->measurement);
    QCOMPARE(without->runs.size(), std::size_t{2});
}

void SessionStoreTest::replacesASessionButNothingElse()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(SessionStore::create(path, aSession()));
    SavedSession other = aSession();
    other.runs.clear();
    QVERIFY(SessionStore::create(path, other));
    const auto store = SessionStore::open(path);
    QVERIFY(store);
    QCOMPARE(store->load()->runs.size(), std::size_t{0});

    const std::string letter = folder.fileWith("letter.txt", "Dear reader");
    const auto refused = SessionStore::create(letter, other);
    QVERIFY(!refused);
    QVERIFY(isOneSentence(refused.error().message));
    QCOMPARE(contentOf(letter), std::string{"Dear reader"});
}

void SessionStoreTest::refusesWhatIsNoSession_data()
{
    QTest::addColumn<std::string>("content");
    QTest::newRow("empty") << std::string{};
    QTest::newRow("text") << std::string{"hello, this is no database at all"};
    QTest::newRow("magic only") << std::string{"SQLite format 3", 16};
    QTest::newRow("magic and noise")
        << std::string{"SQLite format 3", 16} + std::string(5000, '\x5a');
}

void SessionStoreTest::refusesWhatIsNoSession()
{
    QFETCH(std::string, content);
    const TempFolder folder;
    const auto store = SessionStore::open(folder.fileWith("x.plimsoll", content));
    QVERIFY(!store);
    QVERIFY2(isOneSentence(store.error().message), store.error().message.c_str());
}

void SessionStoreTest::tellsWhatIsThereInsteadOfAFile()
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

void SessionStoreTest::bringsTheFirstVersionUpToDate()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    const std::string schema =
        contentOf(PLIMSOLL_SOURCE_DIR "/core/session/schema/001_initial.sql");
    QVERIFY(!schema.empty());
    execute(path, (schema
                   + "PRAGMA application_id = 0x504c4d53; PRAGMA user_version = 1;"
                     "INSERT INTO graph VALUES (1, 'a', 'b', 'c', 'd');"
                     "INSERT INTO problem VALUES (1, 'l4', 1, 512, 'rotor', '{\"slots\": 7}', 9);"
                     "INSERT INTO run VALUES (3, 'mine', 9, 'rotor', 'feasible', 8, 7, NULL);"
                     "INSERT INTO view VALUES (1, '{}');")
                      .c_str());
    const std::string before = contentOf(path);
    const auto store = SessionStore::open(path);
    QVERIFY2(store, messageOf(store));
    const auto saved = store->load();
    QVERIFY2(saved, messageOf(saved));
    QVERIFY((saved->problem == SavedProblem{"l4", 1, 512, "rotor", {{"slots", 7}}, 9, {}, {}, {}}));
    QCOMPARE(saved->runs.size(), std::size_t{1});
    QCOMPARE(saved->runs.front().name, std::string{"mine"});
    QVERIFY(saved->runs.front().sizes.empty());
    QVERIFY(!saved->measurement);
    QCOMPARE(contentOf(path + ".v1.bak"), before); // as it was
}

void SessionStoreTest::refusesANewerVersion()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(SessionStore::create(path, aSession()));
    execute(path, "PRAGMA user_version = 99");
    const auto store = SessionStore::open(path);
    QVERIFY(!store);
    QVERIFY(isOneSentence(store.error().message));
    QVERIFY(store.error().message.find("newer") != std::string::npos);
}

void SessionStoreTest::refusesAVersionThatNeverWas()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(SessionStore::create(path, aSession()));
    for (const char* sql : {"PRAGMA user_version = -3", "PRAGMA user_version = 0"}) {
        execute(path, sql);
        const auto store = SessionStore::open(path);
        QVERIFY(!store);
        QVERIFY(isOneSentence(store.error().message));
        QVERIFY(store.error().message.find("not a Plimsoll session") != std::string::npos);
    }
}

/// In place of a table, a view could give rows without end.
void SessionStoreTest::refusesViewsAndTriggers()
{
    for (const char* sql :
         {"DROP TABLE run; CREATE VIEW run AS SELECT 1 AS id, 'a' AS name, 1 AS budget_bytes, "
          "'b' AS planner, 'c' AS status, 1 AS peak_bytes, 1 AS step_time_ns, NULL AS plan",
          "CREATE TRIGGER forget AFTER INSERT ON run BEGIN DELETE FROM run; END"}) {
        const TempFolder folder;
        const std::string path = folder.file("a.plimsoll");
        QVERIFY(SessionStore::create(path, aSession()));
        execute(path, sql);
        const auto store = SessionStore::open(path);
        QVERIFY(!store);
        QVERIFY(isOneSentence(store.error().message));
    }
}

void SessionStoreTest::refusesAnotherProgramsDatabase()
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

void SessionStoreTest::refusesATruncatedFile()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    {
        SavedSession large = aSession();
        large.graph.content = std::string(200'000, 'q');
        auto store = SessionStore::create(path, large);
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
        const auto saved = store->load();
        QVERIFY(!saved);
        QVERIFY2(isOneSentence(saved.error().message), saved.error().message.c_str());
    }
}

void SessionStoreTest::saysThatAnotherProgramWrites()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    auto store = SessionStore::create(path, aSession());
    QVERIFY(store);
    sqlite3* other = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &other), SQLITE_OK);
    QCOMPARE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    const auto saved = store->saveView("{}");
    QVERIFY(!saved);
    QVERIFY2(isOneSentence(saved.error().message), saved.error().message.c_str());
    QVERIFY(saved.error().message.find("another program") != std::string::npos);
    QCOMPARE(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
    QVERIFY(store->saveView("{}"));
}

void SessionStoreTest::tellsSessionsFromGraphs()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(SessionStore::create(path, aSession()));
    QVERIFY(plimsoll::session::looksLikeSession(path));
    QVERIFY(!plimsoll::session::looksLikeSession(folder.fileWith("g.json", "{\"format\": 1}")));
    QVERIFY(!plimsoll::session::looksLikeSession(folder.file("missing")));
    // Opened by the window for whatever was dropped: a pipe must not hold it.
    const std::string pipe = folder.file("pipe");
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    QVERIFY(!plimsoll::session::looksLikeSession(pipe));
}

void SessionStoreTest::compactsWithoutLoss()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    auto store = SessionStore::create(path, aSession());
    QVERIFY(store);
    SavedRun run;
    run.planner = "rotor";
    run.status = "feasible";
    run.plan = std::string(100'000, 'p');
    for (int i = 0; i < 20; ++i)
        QVERIFY(store->addRun(run));
    for (std::int64_t id = 3; id <= 22; ++id)
        QVERIFY(store->removeRun(id));
    QVERIFY(store->compact());
    QVERIFY(std::filesystem::file_size(path) < 500'000);
    QCOMPARE(store->load()->runs.size(), std::size_t{2});
}

void SessionStoreTest::keepsTheOldSessionWhenTheNewOneFails()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(SessionStore::create(path, aSession()));
    SavedSession impossible = aSession();
    impossible.problem.reserveBytes = -1; // the schema refuses it
    const auto refused = SessionStore::create(path, impossible);
    QVERIFY(!refused);
    QVERIFY2(isOneSentence(refused.error().message), refused.error().message.c_str());
    const auto store = SessionStore::open(path);
    QVERIFY2(store, store ? "" : store.error().message.c_str());
    QCOMPARE(store->load()->runs.size(), std::size_t{2});
    for (const auto& entry : std::filesystem::directory_iterator{folder.path()})
        QVERIFY2(entry.path().extension() != ".tmp", entry.path().c_str());
}

/// What its owner writes later would go into a file without a name.
void SessionStoreTest::leavesASessionAloneThatIsOpen()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    {
        auto owner = SessionStore::create(path, aSession());
        QVERIFY(owner);
        const auto refused = SessionStore::create(path, aSession());
        QVERIFY(!refused);
        QVERIFY(isOneSentence(refused.error().message));
        QVERIFY(refused.error().message.find("open in another") != std::string::npos);
        QVERIFY(owner->saveView(R"({"begin":0.5})"));
    }
    QCOMPARE(SessionStore::open(path)->load()->view, std::string{R"({"begin":0.5})"});
    QVERIFY(SessionStore::create(path, aSession()));
}

void SessionStoreTest::leavesOtherDatabasesAlone()
{
    const TempFolder folder;
    const std::string path = folder.file("songs.db");
    execute(path, "CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('x')");
    const std::string before = contentOf(path);
    const auto refused = SessionStore::create(path, aSession());
    QVERIFY(!refused);
    QVERIFY(isOneSentence(refused.error().message));
    QVERIFY(contentOf(path) == before);
}

void SessionStoreTest::noticesThatItsFileIsGone()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    auto store = SessionStore::create(path, aSession());
    QVERIFY(store);
    QVERIFY(store->saveView("{}"));
    std::filesystem::rename(path, folder.file("b.plimsoll"));
    const auto lost = store->saveView("{}");
    QVERIFY(!lost);
    QVERIFY2(isOneSentence(lost.error().message), lost.error().message.c_str());
    QVERIFY(lost.error().message.find("new name") != std::string::npos);
}

/// The system drops a process's locks on a file with any descriptor of it that is closed; another
/// program would then take itself for the last one and remove the log that is still written.
void SessionStoreTest::looksWithoutDroppingLocks()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    const auto owner = SessionStore::create(path, aSession());
    QVERIFY(owner);
    const auto isLocked = [&path] {
        // Locks are told to other processes only.
        const pid_t child = fork();
        if (child == 0) {
            struct flock lock = {};
            lock.l_type = F_WRLCK;
            const int file = ::open(path.c_str(), O_RDWR);
            _exit(fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 1 : 0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        return WIFEXITED(status) && WEXITSTATUS(status) == 1;
    };
    QVERIFY(isLocked());
    QVERIFY(plimsoll::session::looksLikeSession(path));
    QVERIFY(isLocked());
    QVERIFY(SessionStore::open(path)); // as the start page does for a recent file
    QVERIFY(isLocked());
}

void SessionStoreTest::callsAMissingTableDamage()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(SessionStore::create(path, aSession()));
    execute(path, "DROP TABLE run");
    const auto store = SessionStore::open(path);
    QVERIFY(store);
    const auto saved = store->load();
    QVERIFY(!saved);
    QVERIFY(isOneSentence(saved.error().message));
    QVERIFY(saved.error().message.find("damaged") != std::string::npos);
}

} // namespace

QTEST_GUILESS_MAIN(SessionStoreTest)
#include "session_store_test.moc"
