// SPDX-License-Identifier: Apache-2.0
// A process that writes a session is killed at random moments; whatever it had acknowledged by then
// is in the file.
#include "core/session/session_store.h"

#include "tests/support/messages.h"
#include "tests/support/random.h"
#include "tests/support/saved_session.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QProcess>
#include <QTest>

#include <map>

namespace {

using plimsoll::session::SavedRun;
using plimsoll::session::SessionStore;
using plimsoll::tests::SavedSession;

constexpr int kKills = 200;
constexpr unsigned long kLongestLife = 25'000; // µs after the first acknowledged change

/// What the writers have acknowledged so far.
struct Acknowledged
{
    std::map<std::int64_t, std::int64_t> runs; ///< budget by id
    std::int64_t problem = 0;
    std::int64_t view = 0;
    std::int64_t blob = 0;

    void add(const QByteArray& line)
    {
        const QList<QByteArray> words = line.split(' ');
        if (words.size() == 3 && words[0] == "run")
            runs[words[1].toLongLong()] = words[2].toLongLong();
        else if (words.size() == 2 && words[0] == "problem")
            problem = words[1].toLongLong();
        else if (words.size() == 2 && words[0] == "view")
            view = words[1].toLongLong();
        else if (words.size() == 2 && words[0] == "blob")
            blob = words[1].toLongLong();
    }
    [[nodiscard]] std::int64_t last() const { return runs.empty() ? 0 : runs.rbegin()->second; }
};

/// Reads whole lines; what was cut off by the kill was not acknowledged.
void readLines(QProcess& process, QByteArray& rest, Acknowledged& acknowledged)
{
    rest += process.readAllStandardOutput();
    for (qsizetype end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        acknowledged.add(rest.left(end));
        rest.remove(0, end + 1);
    }
}

class SessionKillTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsEverythingAcknowledgedThroughKills();
};

void SessionKillTest::keepsEverythingAcknowledgedThroughKills()
{
    const plimsoll::tests::TempFolder folder;
    const std::string path = folder.file("killed.plimsoll");
    SavedSession session;
    session.document.name = "g";
    session.content = std::string(100'000, 'g');
    session.plan.problem.device = "a100-80gb";
    session.plan.problem.planner = "rotor";
    {
        // A second document, to which the writer writes as well.
        auto store = plimsoll::tests::createSession(path, session);
        QVERIFY(store);
        QVERIFY(plimsoll::tests::addTo(*store, session));
    }

    plimsoll::tests::Random random{20260101};
    Acknowledged acknowledged;
    for (int kill = 0; kill < kKills; ++kill) {
        QProcess process;
        process.start(QStringLiteral(SESSION_WRITER),
                      {QString::fromStdString(path), QString::number(acknowledged.last() + 1)});
        QVERIFY(process.waitForReadyRead(10'000));
        QByteArray rest;
        readLines(process, rest, acknowledged);
        QTest::qSleep(0);
        const auto life = static_cast<unsigned long>(random.below(kLongestLife));
        QThread::usleep(life);
        process.kill();
        QVERIFY(process.waitForFinished(10'000));
        QCOMPARE(process.exitStatus(), QProcess::CrashExit);
        readLines(process, rest, acknowledged);

        const auto store = SessionStore::open(path);
        QVERIFY2(store, plimsoll::tests::messageOf(store));
        const auto saved = plimsoll::tests::loadSession(*store);
        QVERIFY2(saved, plimsoll::tests::messageOf(saved));
        QCOMPARE(saved->content.size(), session.content.size());
        std::map<std::int64_t, std::int64_t> stored;
        for (const SavedRun& run : saved->plan.runs)
            stored[run.id] = run.budgetBytes;
        for (const auto& [id, budget] : acknowledged.runs)
            QVERIFY2(stored.contains(id) && stored[id] == budget,
                     qPrintable(QStringLiteral("run %1 is lost after kill %2").arg(id).arg(kill)));
        QVERIFY(saved->plan.problem.budgetBytes >= acknowledged.problem);
        const QByteArray view = QByteArray::fromStdString(saved->document.view);
        const qlonglong number =
            view.mid(view.indexOf(':') + 1).chopped(view.endsWith('}') ? 1 : 0).toLongLong();
        QVERIFY(number >= acknowledged.view);
        const auto documents = store->documents();
        QVERIFY(documents && documents->size() == 2);
        const auto blob = store->blob(documents->back().id, "number");
        QVERIFY(acknowledged.blob == 0 || (blob && std::stoll(*blob) >= acknowledged.blob));
    }
    QVERIFY(acknowledged.runs.size() >= static_cast<std::size_t>(kKills));
    qInfo("%d kills, %zu runs acknowledged, none lost", kKills, acknowledged.runs.size());
}

} // namespace

PLIMSOLL_TEST(SessionKillTest, QCoreApplication)
#include "session_kill_test.moc"
