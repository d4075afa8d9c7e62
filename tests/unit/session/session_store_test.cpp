// SPDX-License-Identifier: Apache-2.0
// Sessions store what was put into them, and everything else is refused with one sentence.
#include "core/session/plan_records.h"
#include "core/session/session_file.h"

#include "tests/support/file_locks.h"
#include "tests/support/messages.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"
#include "tests/unit/session/sample_session.h"

#include <QProcess>
#include <QTest>

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace {

using namespace plimsoll;
using namespace plimsoll::session;
using namespace plimsoll::tests;

constexpr session::DocumentId kFirst{1};

class SessionStoreTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesBackWhatWasPutIn();
    void keepsEachChange();
    void keepsDocumentsApart();
    void takesAllBackWhenOneFails();
    void replacesASessionButNothingElse();
    void saysThatAnotherProgramWrites();
    void tellsSessionsFromGraphs();
    void compactsWithoutLoss();
    void keepsTheOldSessionWhenTheNewOneFails();
    void leavesASessionAloneThatIsOpen();
    void leavesOtherDatabasesAlone();
    void noticesThatItsFileIsGone();
    void takesNoNameWithTheLogOfAnother();
    void replacesNoSessionMadeMeanwhile();
    void followsALinkToNothing();
    void looksWithoutDroppingLocks();
    void losesNothingWhenItsLocksWereDropped_data();
    void losesNothingWhenItsLocksWereDropped();
};

void SessionStoreTest::givesBackWhatWasPutIn()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    SavedSession expected = aSession();
    {
        const auto created = createSession(path, expected);
        QVERIFY2(created, messageOf(created));
    }
    const auto saved = loadSession(path);
    QVERIFY2(saved, messageOf(saved));
    expected.document.id = session::DocumentId{1};
    QVERIFY(saved->document == expected.document);
    QCOMPARE(saved->content, expected.content);
    QVERIFY(saved->plan == expected.plan);
}

void SessionStoreTest::keepsEachChange()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    auto store = createSession(path, aSession());
    QVERIFY(store);
    SavedProblem problem = aSession().plan.problem;
    problem.budgetBytes = 42;
    problem.options = {};
    QVERIFY(session::saveProblem(*store, kFirst, problem));
    SavedRun renamed = aSession().plan.runs.front();
    renamed.name = "first";
    QVERIFY(session::saveRun(*store, kFirst, renamed));
    QVERIFY(session::removeRun(*store, kFirst, 2));
    SavedRun run;
    run.id = 7;
    run.budgetBytes = 5;
    run.planner = "rotor";
    run.status = "optimal";
    QVERIFY(session::saveRun(*store, kFirst, run));
    QVERIFY(store->saveView(kFirst, "{}"));
    QVERIFY(store->saveState(kFirst, R"({"a":1})"));
    QVERIFY(session::saveMeasurement(*store, kFirst, SavedMeasurement{"other", "text", {}}));

    // A second reader sees all of it while the writer is still open.
    const auto other = SessionStore::open(path);
    QVERIFY2(other, messageOf(other));
    const auto saved = loadSession(*other);
    QVERIFY(saved);
    QVERIFY(saved->plan.problem == problem);
    QVERIFY((saved->plan.runs == std::vector{renamed, run}));
    QCOMPARE(saved->document.view, std::string{"{}"});
    QCOMPARE(saved->document.state, std::string{R"({"a":1})"});
    QVERIFY((saved->plan.measurement == SavedMeasurement{"other", "text", {}}));
    QVERIFY(session::saveMeasurement(*store, kFirst, std::nullopt));
    const auto without = loadSession(*other);
    QVERIFY(without);
    QVERIFY(!without->plan.measurement);
    QCOMPARE(without->plan.runs.size(), std::size_t{2});
}

/// Runs, settings, measurement and blobs belong to one document each; removing one leaves the
/// others.
void SessionStoreTest::keepsDocumentsApart()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    auto store = createSession(path, aSession());
    QVERIFY(store);
    SavedSession second = aSession();
    second.document.name = "BERT";
    second.content = "another";
    second.plan.problem.budgetBytes = 3;
    second.plan.measurement.reset();
    second.plan.runs.pop_back();
    second.plan.runs.front().name = "of the second";
    const auto id = tests::addTo(*store, second);
    QVERIFY2(id, messageOf(id));
    const auto third = store->addDocument({{}, "other kind", "numbers", "", "", "{}", "{}"});
    QVERIFY(third);
    QVERIFY(store->saveBlob(*third, session::kContent, "1 2 3"));

    const auto documents = store->documents();
    QVERIFY(documents);
    QCOMPARE(documents->size(), std::size_t{3});
    QCOMPARE(documents->at(1).name, std::string{"BERT"});
    QCOMPARE(documents->at(2).kind, std::string{"other kind"});
    QVERIFY(session::loadPlan(*store, kFirst) == aSession().plan);
    QVERIFY(session::loadPlan(*store, *id) == second.plan);
    QCOMPARE(store->blob(*third, session::kContent).value_or(""), std::string{"1 2 3"});
    QVERIFY(!session::loadPlan(*store, *third));
    QVERIFY(!store->blob(*third, "nothing"));
    std::string large; // of several of the pieces in which it is read
    for (int i = 0; large.size() < 2'500'000; ++i)
        large += std::to_string(i);
    QVERIFY(store->saveBlob(*third, "large", large));
    QVERIFY(store->blob(*third, "large").value_or("") == large);
    QVERIFY(store->saveBlob(*third, "empty", ""));
    QCOMPARE(store->blob(*third, "empty").value_or("?"), std::string{});

    QVERIFY(store->execute("DELETE FROM document WHERE id = ?", kFirst));
    QCOMPARE(store->documents()->size(), std::size_t{2});
    QVERIFY(!session::loadPlan(*store, kFirst));
    QVERIFY(!store->blob(kFirst, session::kContent));
    QVERIFY(session::loadPlan(*store, *id) == second.plan);
}

/// An error in a transaction of several calls rolls all of them back.
void SessionStoreTest::takesAllBackWhenOneFails()
{
    const TempFolder folder;
    auto store = createSession(folder.file("a.plimsoll"), aSession());
    QVERIFY(store);
    const auto done = store->transaction([](SessionStore& open) -> plimsoll::base::Result<void> {
        if (auto viewed = open.saveView(kFirst, R"({"lost":1})"); !viewed)
            return viewed;
        SavedProblem impossible = aSession().plan.problem;
        impossible.reserveBytes = -1;
        return session::saveProblem(open, kFirst, impossible);
    });
    QVERIFY(!done);
    QCOMPARE(loadSession(*store)->document.view, aSession().document.view);
}

void SessionStoreTest::replacesASessionButNothingElse()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(createSession(path, aSession()));
    SavedSession other = aSession();
    other.plan.runs.clear();
    QVERIFY(createSession(path, other));
    const auto store = SessionStore::open(path);
    QVERIFY(store);
    QCOMPARE(loadSession(*store)->plan.runs.size(), std::size_t{0});

    const std::string letter = folder.fileWith("letter.txt", "Dear reader");
    const auto refused = createSession(letter, other);
    QVERIFY(!refused);
    QVERIFY(isOneSentence(refused.error().message));
    QCOMPARE(contentOf(letter), std::string{"Dear reader"});
}

void SessionStoreTest::saysThatAnotherProgramWrites()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    auto store = createSession(path, aSession());
    QVERIFY(store);
    sqlite3* other = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &other), SQLITE_OK);
    QCOMPARE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    const auto saved = store->saveView(kFirst, "{}");
    QVERIFY(!saved);
    QVERIFY2(isOneSentence(saved.error().message), saved.error().message.c_str());
    QVERIFY(saved.error().message.find("another program") != std::string::npos);
    QCOMPARE(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
    QVERIFY(store->saveView(kFirst, "{}"));
}

void SessionStoreTest::tellsSessionsFromGraphs()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(createSession(path, aSession()));
    QVERIFY(plimsoll::session::looksLikeSession(path));
    QVERIFY(!plimsoll::session::looksLikeSession(folder.fileWith("g.json", "{\"format\": 1}")));
    // A database that another program marked as its own.
    const std::string marked = std::string{"SQLite format 3", 16} + std::string(52, 'x');
    QVERIFY(!plimsoll::session::looksLikeSession(folder.fileWith("m.db", marked + "MPBX")));
    QVERIFY(plimsoll::session::looksLikeSession(folder.fileWith("s.db", marked + "PLMS")));
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
    auto store = createSession(path, aSession());
    QVERIFY(store);
    SavedRun run;
    run.planner = "rotor";
    run.status = "feasible";
    run.plan = std::string(100'000, 'p');
    for (run.id = 3; run.id <= 22; ++run.id)
        QVERIFY(session::saveRun(*store, kFirst, run));
    for (std::int64_t id = 3; id <= 22; ++id)
        QVERIFY(session::removeRun(*store, kFirst, id));
    QVERIFY(store->compact());
    QVERIFY(std::filesystem::file_size(path) < 500'000);
    QCOMPARE(loadSession(*store)->plan.runs.size(), std::size_t{2});
}

void SessionStoreTest::keepsTheOldSessionWhenTheNewOneFails()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    QVERIFY(createSession(path, aSession()));
    SavedSession impossible = aSession();
    impossible.plan.problem.reserveBytes = -1; // the schema refuses it
    const auto refused = createSession(path, impossible);
    QVERIFY(!refused);
    QVERIFY2(isOneSentence(refused.error().message), refused.error().message.c_str());
    const auto store = SessionStore::open(path);
    QVERIFY2(store, store ? "" : store.error().message.c_str());
    QCOMPARE(loadSession(*store)->plan.runs.size(), std::size_t{2});
    for (const auto& entry : std::filesystem::directory_iterator{folder.path()})
        QVERIFY2(entry.path().extension() != ".tmp", entry.path().c_str());
}

/// If it were replaced, its owner's later writes would go to an unlinked file.
void SessionStoreTest::leavesASessionAloneThatIsOpen()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    {
        auto owner = createSession(path, aSession());
        QVERIFY(owner);
        const auto refused = createSession(path, aSession());
        QVERIFY(!refused);
        QVERIFY(isOneSentence(refused.error().message));
        QVERIFY(refused.error().message.find("open in another") != std::string::npos);
        QVERIFY(owner->saveView(kFirst, R"({"begin":0.5})"));
    }
    QCOMPARE(loadSession(path)->document.view, std::string{R"({"begin":0.5})"});
    QVERIFY(createSession(path, aSession()));
}

void SessionStoreTest::leavesOtherDatabasesAlone()
{
    const TempFolder folder;
    const std::string path = folder.file("songs.db");
    execute(path, "CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('x')");
    const std::string before = contentOf(path);
    const auto refused = createSession(path, aSession());
    QVERIFY(!refused);
    QVERIFY(isOneSentence(refused.error().message));
    QVERIFY(contentOf(path) == before);
}

void SessionStoreTest::noticesThatItsFileIsGone()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    auto store = createSession(path, aSession());
    QVERIFY(store);
    QVERIFY(store->saveView(kFirst, "{}"));
    std::filesystem::rename(path, folder.file("b.plimsoll"));
    const auto lost = store->saveView(kFirst, "{}");
    QVERIFY(!lost);
    QVERIFY2(isOneSentence(lost.error().message), lost.error().message.c_str());
    QVERIFY(lost.error().message.find("new name") != std::string::npos);
}

/// SQLite takes a log for the database's of that name: it would write the old pages into the new
/// file, or drop changes that only the log holds.
void SessionStoreTest::takesNoNameWithTheLogOfAnother()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    const std::string moved = folder.file("b.plimsoll");
    const std::string log = path + "-wal";
    {
        auto store = createSession(path, aSession());
        QVERIFY(store);
        QVERIFY(store->saveView(kFirst, R"({"begin":0.5})"));
        QVERIFY(std::filesystem::file_size(log) > 0);
        std::filesystem::rename(path, moved);
        const auto refused = createSession(path, aSession());
        QVERIFY(!refused);
        QVERIFY2(isOneSentence(refused.error().message), refused.error().message.c_str());
        QVERIFY2(refused.error().message.starts_with(log), refused.error().message.c_str());
        QVERIFY(!std::filesystem::exists(path));
        std::filesystem::rename(moved, path);
    }
    QCOMPARE(loadSession(path)->document.view, std::string{R"({"begin":0.5})"});
    std::filesystem::remove(path);
    QVERIFY(createSession(path, aSession()));
}

/// As two programs do that find no session at the same time.
void SessionStoreTest::replacesNoSessionMadeMeanwhile()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    const auto refused = SessionStore::create(path, [&](SessionStore& /*store*/) {
        return createSession(path, aSession()).map([](const auto& /*other*/) {});
    });
    QVERIFY(!refused);
    QVERIFY2(isOneSentence(refused.error().message), refused.error().message.c_str());
    QVERIFY(refused.error().message.find("another program") != std::string::npos);
    QCOMPARE(loadSession(path)->plan.runs.size(), std::size_t{2});
    for (const auto& entry : std::filesystem::directory_iterator{folder.path()})
        QVERIFY2(entry.path().extension() != ".tmp", entry.path().c_str());
}

void SessionStoreTest::followsALinkToNothing()
{
    const TempFolder folder;
    const std::string link = folder.file("a.plimsoll");
    std::filesystem::create_symlink(folder.file("nothing.plimsoll"), link);
    const auto made = createSession(link, aSession());
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(loadSession(link)->plan.runs.size(), std::size_t{2});
}

/// The system drops a process's locks on a file with any descriptor of it that is closed; another
/// program would then take itself for the last one and remove the log that is still written.
void SessionStoreTest::looksWithoutDroppingLocks()
{
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    const auto owner = createSession(path, aSession());
    QVERIFY(owner);
    QVERIFY(holdsLocks(path));
    QVERIFY(plimsoll::session::looksLikeSession(path));
    QVERIFY(holdsLocks(path));
    QVERIFY(SessionStore::open(path)); // as the start page does for a recent file
    QVERIFY(holdsLocks(path));
}

void SessionStoreTest::losesNothingWhenItsLocksWereDropped_data()
{
    QTest::addColumn<bool>("writes");
    QTest::newRow("writes afterwards") << true;
    QTest::newRow("closes only") << false;
}

/// A file dialog that looks into files drops them; then another program takes the session for
/// closed, writes it and removes the log.
void SessionStoreTest::losesNothingWhenItsLocksWereDropped()
{
    QFETCH(bool, writes);
    const TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    session::SessionFile file{path};
    QVERIFY(file.create([](SessionStore& store) {
        return tests::addTo(store, aSession()).map([](session::DocumentId) {});
    }));
    const auto saveView = [&](const char* view) {
        return file.write([&](SessionStore& store) { return store.saveView(kFirst, view); });
    };
    QVERIFY(saveView("{\"before\":1}"));
    ::close(::open(path.c_str(), O_RDONLY));
    const auto elsewhere = [&path](const char* sql) {
        const QString program = QStringLiteral(
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
            "rows = c.execute(sys.argv[2]).fetchall(); c.commit(); c.close(); print(rows)");
        QProcess python;
        python.start(
            QStringLiteral("python3"),
            {QStringLiteral("-c"), program, QString::fromStdString(path), QString::fromUtf8(sql)});
        python.waitForFinished();
        return python.readAllStandardOutput().trimmed();
    };
    QCOMPARE(elsewhere("UPDATE document SET name = 'other'"), QByteArray{"[]"});
    QVERIFY(!std::filesystem::exists(path + "-wal"));
    if (writes) {
        QVERIFY(saveView("{\"after\":1}"));
        QCOMPARE(elsewhere("SELECT view FROM document"), QByteArray{"[('{\"after\":1}',)]"});
    }
    file.close();
    const auto saved = loadSession(path);
    QVERIFY2(saved, messageOf(saved));
    QCOMPARE(saved->document.name, std::string{"other"});
    QCOMPARE(saved->document.view, std::string{writes ? "{\"after\":1}" : "{\"before\":1}"});
    QCOMPARE(saved->content, aSession().content);
}

} // namespace

PLIMSOLL_TEST(SessionStoreTest, QCoreApplication)
#include "session_store_test.moc"
