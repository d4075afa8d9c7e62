// SPDX-License-Identifier: Apache-2.0
// Sessions where a memory profile is taken.
#include "core/io/byte_source.h"
#include "core/memtrace/columns/column_file.h"
#include "core/readers/registry.h"
#include "core/session/session_store.h"
#include "core/workspace/waterfall/compared_step.h"

#include "tests/integration/cli/cli_runner.h"
#include "tests/support/recorded_training.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

class CliProfileSessionTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void diagnoseAndLiveTakeIt();
    void everyOtherVerbTakesIt();
    void withoutOneProfileItIsRefused();
    void theGraphThatItKeepsIsUsed();

private:
    tests::TempFolder m_files;
    QString m_first;
};

void CliProfileSessionTest::initTestCase()
{
    m_first = tests::generatedFile(m_files, "first.pickle", {.events = 3000});
    QVERIFY(QFile::exists(m_first));
}

/// Saved with so many profiles; the path of the session.
std::string savedSession(const tests::TempFolder& folder, int profiles)
{
    const std::string path = folder.file(std::to_string(profiles) + ".plimsoll");
    const auto store =
        session::SessionStore::create(path, [&](session::SessionStore& into) -> base::Result<void> {
            for (int i = 0; i < profiles; ++i) {
                tests::RecordedTraining training;
                session::SavedDocument document;
                document.kind = "profile";
                const auto id = into.addDocument(document);
                if (!id
                    || !into.saveBlob(*id, session::kContent,
                                      memtrace::writeColumns(*training.trace())))
                    return base::failure(base::ErrorKind::File, "It can't be saved.");
            }
            return {};
        });
    return store ? path : std::string{};
}

/// The training has 12 weights of 2 MiB from before it, and 24 MiB of activations at its peak.
void CliProfileSessionTest::diagnoseAndLiveTakeIt()
{
    const QString one = QString::fromStdString(savedSession(m_files, 1));
    const CliRun run = runCli({text("diagnose"), one, text("--json")});
    QVERIFY2(run.exit == 0, run.error.constData());
    QCOMPARE(run.json()[text("live_bytes")].toDouble(), 48.5 * tests::kMiB);
    QCOMPARE(runCli({text("live"), one, text("--json")}).json()[text("bytes")].toDouble(),
             48.5 * tests::kMiB);
    compareRefusal({text("diagnose"), QString::fromStdString(savedSession(m_files, 2))}, 3,
                   text("holds several profiles"));
    compareRefusal({text("diagnose"), QString::fromStdString(savedSession(m_files, 0))}, 3,
                   text("holds no memory profile"));
}

/// What is told of a session's profile is what is told of its columns anywhere.
void CliProfileSessionTest::everyOtherVerbTakesIt()
{
    const QString one = QString::fromStdString(savedSession(m_files, 1));
    const QJsonObject told = runCli({text("inspect"), one, text("--json")}).json();
    QCOMPARE(told[text("kind")].toString(), text("profile"));
    QCOMPARE(told[text("format")].toString(), text("plimsoll-session"));
    QVERIFY(told[text("format_version")].toInt() > 0);
    QCOMPARE(told[text("summary")].toObject()[text("peak_bytes")].toDouble(), 48.5 * tests::kMiB);
    QVERIFY(runCli({text("inspect"), one}).out.startsWith("memory profile of 1 device\n"));

    const QString csv = file("session.csv");
    QCOMPARE(runCli({text("export"), one, text("-o"), csv}).exit, 0);
    QCOMPARE(tests::fileBytes(csv).count('\n'),
             1 + told[text("summary")].toObject()[text("allocations")].toInt());
    const QString figures = file("session.json");
    QCOMPARE(runCli({text("export"), one, text("-o"), figures}).exit, 0);
    QCOMPARE(QJsonDocument::fromJson(tests::fileBytes(figures)).object()[text("summary")],
             told[text("summary")]);

    const QJsonObject live = runCli({text("live"), m_first, text("--json")}).json();
    for (const QStringList& files : {QStringList{one, m_first}, QStringList{m_first, one}}) {
        const CliRun run = runCli(QStringList{text("diff")} + files + QStringList{text("--json")});
        QVERIFY2(run.exit == 0, run.error.constData());
        const char* const side = files.first() == one ? "a" : "b";
        const char* const other = files.first() == one ? "b" : "a";
        QCOMPARE(run.json()[text(side)].toObject()[text("bytes")].toDouble(), 48.5 * tests::kMiB);
        QCOMPARE(run.json()[text(other)].toObject()[text("bytes")], live[text("bytes")]);
    }
}

void CliProfileSessionTest::withoutOneProfileItIsRefused()
{
    const QString none = QString::fromStdString(savedSession(m_files, 0));
    const QString two = QString::fromStdString(savedSession(m_files, 2));
    const QString out = file("refused.csv");
    compareRefusal({text("inspect"), none}, 3, text("is a session, not a graph"));
    compareRefusal({text("export"), none, text("-o"), out}, 3, text("holds no memory profile"));
    compareRefusal({text("diff"), none, m_first}, 2, text("is a session and "));
    compareRefusal({text("inspect"), two}, 3, text("holds several profiles"));
    compareRefusal({text("export"), two, text("-o"), out}, 3, text("holds several profiles"));
    compareRefusal({text("diff"), m_first, two}, 3, text("holds several profiles"));
    compareRefusal({text("inspect"), two, text("--chain")}, 2, text("--chain is for graphs"));
    QVERIFY(!QFile::exists(out));
}

/// As in the app: allocations of backward have the names of the graph's ops, and a plan is a
/// remedy.
void CliProfileSessionTest::theGraphThatItKeepsIsUsed()
{
    const std::string sources = PLIMSOLL_SOURCE_DIR;
    const std::string profile = sources + "/resources/samples/encoder_training.stand-in.pickle.gz";
    const auto step =
        workspace::readComparedStep(sources + "/tests/data/encoder.plimsoll.json.gz", {});
    const auto read = readers::readProfile(io::Source{profile});
    QVERIFY(step && read);
    const std::string path = m_files.file("named.plimsoll");
    const auto store =
        session::SessionStore::create(path, [&](session::SessionStore& into) -> base::Result<void> {
            session::SavedDocument document;
            document.kind = "profile";
            document.state = "{\"graph_of_model\": " + workspace::stepState(*step) + "}";
            const auto id = into.addDocument(document);
            if (!id || !into.saveBlob(*id, session::kContent, memtrace::writeColumns(*read->trace)))
                return base::failure(base::ErrorKind::File, "It can't be saved.");
            return workspace::storeStep(*step, into, *id);
        });
    QVERIFY(store);
    const auto diagnosed = [](const std::string& file) {
        const CliRun run = runCli({text("diagnose"), QString::fromStdString(file), text("--json")});
        return run.exit == 0 ? run.json() : QJsonObject{};
    };
    const auto hasPlan = [](const QJsonObject& found) {
        bool has = false;
        for (const QJsonValue remedy : found[text("remedies")].toArray())
            has = has || remedy.toObject()[text("how_known")] == text("plan");
        return has;
    };
    const auto isNameless = [](const QJsonObject& found) {
        bool is = false;
        for (const QJsonValue group : found[text("by_frame")].toArray())
            is = is || group.toObject()[text("name")] == text("(no Python frame)");
        return is;
    };
    const QJsonObject named = diagnosed(path);
    const QJsonObject alone = diagnosed(profile);
    QCOMPARE(named[text("live_bytes")], alone[text("live_bytes")]);
    QVERIFY(hasPlan(named) && !hasPlan(alone));
    QVERIFY(isNameless(alone) && !isNameless(named));
}

} // namespace

PLIMSOLL_TEST(CliProfileSessionTest, QCoreApplication)
#include "cli_profile_session_test.moc"
