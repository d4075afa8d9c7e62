// SPDX-License-Identifier: Apache-2.0
// No action in the window loses work: files that contain work are not replaced, nothing blocks, and
// what is shown matches the choices.
#include "ui/base/message_strip.h"
#include "ui/shell/status_line.h"

#include "tests/support/saved_session.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAction>
#include <QElapsedTimer>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <sqlite3.h>

#include <filesystem>
#include <sys/stat.h>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;
using plimsoll::base::Bytes;
using plimsoll::tests::SavedSession;
namespace plan = plimsoll::plan;
namespace workspace = plimsoll::workspace;

constexpr qint64 kFreeze = 50; ///< ms that the window may stand still

Bytes mebi(std::int64_t count)
{
    return Bytes{count << 20};
}

class LostWorkTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void exportsOntoNoSession();
    void takesAMessageAwayOnceItIsDone();
    void savesOntoNoSessionOfAnotherTab();
    void opensWhatWasClosedOfAnOpenSession();
    void savesUnderANewNameWithoutWaiting();
    void noticesThatTheSessionIsGone();
    void asksBeforeItClosesWhatHasNoFileAnyMore();
    void storesEachRunOnceAfterAFailure();
    void removesTheRightRunWhileANewFileIsWritten();
    void opensNoPipe();
    void saysThatStoppedPlansAreOfFormerChoices();
    void opensASessionWithNumbersThatNobodyHas();
    void writesIntoNoSessionOfAnotherGraph();
    void cancelsOnlyWhatTheStatusBarTells();

private:
    [[nodiscard]] QString file(const char* name) const
    {
        return QString::fromStdString(m_folder->file(name));
    }
    PlannerPage* openSession(const char* name);
    void saveTo(PlannerPage& page, const QString& path);
    static SavedSession saved(const QString& path);
};

void LostWorkTest::saveTo(PlannerPage& page, const QString& path)
{
    m_window->saveTo(page, path);
    QVERIFY(QTest::qWaitFor([&] { return !page.keeper().isWriting(); }, kPatience));
}

PlannerPage* LostWorkTest::openSession(const char* name)
{
    PlannerPage* page = openPlanned();
    if (page != nullptr)
        saveTo(*page, file(name));
    return page != nullptr && !page->isUnsaved() ? page : nullptr;
}

SavedSession LostWorkTest::saved(const QString& path)
{
    return plimsoll::tests::loadSession(path.toStdString()).value_or(SavedSession{});
}

void LostWorkTest::exportsOntoNoSession()
{
    PlannerPage* page = openSession("work.json"); // named so that its ending asks for a plan file
    QVERIFY(page != nullptr);
    page->exporter().start(file("work.json"));
    QVERIFY(QTest::qWaitFor([&] { return !page->strip().isHidden(); }, kPatience));
    QVERIFY(page->strip().shown().rest.contains(QStringLiteral("is a session")));
    page->document().commitBudget(mebi(2300));
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    QCOMPARE(saved(file("work.json")).plan.problem.budgetBytes, mebi(2300).count());
}

void LostWorkTest::takesAMessageAwayOnceItIsDone()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    page->exporter().start(QStringLiteral("plan.docx"));
    QVERIFY(QTest::qWaitFor([&] { return !page->strip().isHidden(); }, kPatience));
    page->exporter().start(file("plan.json"));
    QVERIFY(QTest::qWaitFor([&] { return page->strip().isHidden(); }, kPatience));
}

void LostWorkTest::savesOntoNoSessionOfAnotherTab()
{
    PlannerPage* first = openSession("work.plimsoll");
    QVERIFY(first != nullptr);
    PlannerPage* second = open(sampleFile("resnet18"));
    QVERIFY(second != nullptr && second != first);
    m_window->saveTo(*second, file("work.plimsoll"));
    QVERIFY(!second->keeper().isWriting());
    QVERIFY(!second->strip().isHidden());
    QVERIFY(second->strip().shown().rest.contains(QStringLiteral("another tab")));
    first->document().commitBudget(mebi(2300));
    QVERIFY(QTest::qWaitFor([&] { return !first->isUnsaved(); }, kPatience));
    QCOMPARE(saved(file("work.plimsoll")).plan.problem.budgetBytes, mebi(2300).count());
}

void LostWorkTest::opensWhatWasClosedOfAnOpenSession()
{
    PlannerPage* first = openSession("work.plimsoll");
    QVERIFY(first != nullptr);
    QCOMPARE(first->title(), QStringLiteral("work.plimsoll"));
    PlannerPage* second = open(sampleFile("gpt2_prompt"));
    QVERIFY(second != nullptr && second != first);
    first->joinSession();
    second->saveInto(first->sessionFile());
    QVERIFY(QTest::qWaitFor([&] { return second->isInSession(); }, kPatience));
    QVERIFY(first->title() != QStringLiteral("work.plimsoll"));
    m_window->closePage(*second);
    QTRY_COMPARE(m_window->pages().size(), std::size_t{1});
    m_window->openFiles({file("work.plimsoll")});
    QVERIFY(QTest::qWaitFor([&] { return m_window->pages().size() == 2; }, kPatience));
    DocumentPage* back = m_window->pages().back();
    QCOMPARE(back->title(), QStringLiteral("gpt2_prompt"));
    QVERIFY(back->sessionFile() == first->sessionFile());
    // All of it is open: nothing comes twice.
    QSignalSpy opened{m_window.get(), &MainWindow::opened};
    m_window->openFiles({file("work.plimsoll")});
    QVERIFY(!opened.wait(1000));
    QCOMPARE(m_window->pages().size(), std::size_t{2});
}

void LostWorkTest::savesUnderANewNameWithoutWaiting()
{
    PlannerPage* page = openSession("work.plimsoll");
    QVERIFY(page != nullptr);
    sqlite3* other = nullptr; // another program, in the middle of something
    QCOMPARE(sqlite3_open(file("work.plimsoll").toUtf8().constData(), &other), SQLITE_OK);
    QCOMPARE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    page->document().commitBudget(mebi(2300));
    page->keeper().saveNow(); // waits for the other program, in the background
    QElapsedTimer clock;
    clock.start();
    m_window->saveTo(*page, file("new.plimsoll"));
    QVERIFY2(clock.elapsed() < kFreeze, qPrintable(QString::number(clock.elapsed())));
    page->document().commitBudget(mebi(2400)); // meanwhile
    sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
    sqlite3_close(other);
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    QCOMPARE(page->document().title(), QStringLiteral("new.plimsoll"));
    QCOMPARE(saved(file("new.plimsoll")).plan.problem.budgetBytes, mebi(2400).count());
    QCOMPARE(saved(file("work.plimsoll")).plan.problem.budgetBytes, mebi(2300).count());
}

void LostWorkTest::noticesThatTheSessionIsGone()
{
    PlannerPage* page = openSession("work.plimsoll");
    QVERIFY(page != nullptr);
    QVERIFY(QFile::remove(file("work.plimsoll")));
    page->document().commitBudget(mebi(2300));
    QVERIFY(QTest::qWaitFor([&] { return page->keeper().hasFailed(); }, kPatience));
    QVERIFY(page->isUnsaved());
    QVERIFY(page->strip().shown().rest.contains(QStringLiteral("new name")));
    // Not "Saved in" of a moment ago.
    QCOMPARE(m_window->findChild<StatusLine*>()->note(), QString{});
    saveTo(*page, file("again.plimsoll"));
    QVERIFY(!page->isUnsaved());
    QVERIFY(page->strip().isHidden());
    QCOMPARE(saved(file("again.plimsoll")).plan.problem.budgetBytes, mebi(2300).count());
}

/// Unchanged since it was saved, and yet stored nowhere.
void LostWorkTest::asksBeforeItClosesWhatHasNoFileAnyMore()
{
    PlannerPage* page = openSession("work.plimsoll");
    QVERIFY(page != nullptr);
    int asked = 0;
    m_window->setCloseQuestion([&](const QString& /*title*/) {
        ++asked;
        return PageKeeper::Answer::Keep;
    });
    std::filesystem::rename(m_folder->file("work.plimsoll"), m_folder->file("elsewhere.plimsoll"));
    QVERIFY(page->isUnsaved());
    m_window->close();
    QCOMPARE(asked, 1);
    QVERIFY(m_window->isVisible());
    m_window->closePage(*page);
    QCOMPARE(asked, 2);
    QCOMPARE(m_window->pages().size(), std::size_t{1});
    std::filesystem::rename(m_folder->file("elsewhere.plimsoll"), m_folder->file("work.plimsoll"));
    QVERIFY(!page->isUnsaved());
    m_window->closePage(*page);
    QCOMPARE(asked, 2);
    QVERIFY(m_window->pages().empty());
}

void LostWorkTest::storesEachRunOnceAfterAFailure()
{
    PlannerPage* page = openSession("work.plimsoll");
    QVERIFY(page != nullptr);
    QVERIFY(QFile::remove(file("work.plimsoll")));
    page->document().commitBudget(mebi(2300));
    QVERIFY(
        QTest::qWaitFor([&] { return page->document().document().runs.size() == 2; }, kPatience));
    page->keeper().saveNow();
    QVERIFY(QTest::qWaitFor([&] { return page->keeper().hasFailed(); }, kPatience));
    saveTo(*page, file("again.plimsoll"));
    QTest::qWait(500); // longer than changes are gathered
    QCOMPARE(saved(file("again.plimsoll")).plan.runs.size(), std::size_t{2});
}

/// The ids of the old file say nothing about the new one.
void LostWorkTest::removesTheRightRunWhileANewFileIsWritten()
{
    PlannerPage* page = openSession("work.plimsoll");
    QVERIFY(page != nullptr);
    DocumentController& document = page->document();
    for (const std::int64_t budget : {2300, 2400}) {
        document.commitBudget(mebi(budget));
        QVERIFY(QTest::qWaitFor([&] { return document.isRefined(); }, kPatience));
    }
    QCOMPARE(document.document().runs.size(), std::size_t{3});
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    document.runs().remove(document.document().runs.front().key);
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    m_window->saveTo(*page, file("new.plimsoll"));
    QVERIFY(page->keeper().isWriting());
    document.runs().remove(document.document().runs.front().key);
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    const SavedSession left = saved(file("new.plimsoll"));
    QCOMPARE(left.plan.runs.size(), std::size_t{1});
    QCOMPARE(left.plan.runs.front().budgetBytes, mebi(2400).count());
}

void LostWorkTest::opensNoPipe()
{
    const QString pipe = file("pipe.json");
    QCOMPARE(mkfifo(pipe.toUtf8().constData(), 0600), 0);
    QSignalSpy failed{m_window.get(), &MainWindow::openFailed};
    m_window->openFiles({pipe});
    QVERIFY(failed.wait(5000));
    QVERIFY(failed.front().at(1).toString().contains(QStringLiteral("not a regular file")));
}

void LostWorkTest::saysThatStoppedPlansAreOfFormerChoices()
{
    PlannerPage* page = openPlanned("unet");
    QVERIFY(page != nullptr);
    QAction* exporting = m_window->findChild<QAction*>(QStringLiteral("file.export"));
    QVERIFY(exporting->isEnabled());
    workspace::Choices choices = page->document().document().choices;
    choices.reserve = Bytes{std::int64_t{4} << 30};
    page->document().commitChoices(choices);
    QVERIFY(!exporting->isEnabled());
    trigger("plan.stop");
    QVERIFY(QTest::qWaitFor([&] { return !page->document().isPlanning(); }, kPatience));
    QVERIFY(!page->document().isPlanned()); // a second's work
    QVERIFY(page->document().outcome().best);
    // The stop may come after the first plans for the new reserve.
    const bool isOutdated = page->document().isOutdated();
    QVERIFY2(page->status().text.contains(QStringLiteral("previous settings")) == isOutdated,
             qPrintable(page->status().text));
    QCOMPARE(exporting->isEnabled(), !isOutdated);
    trigger("plan.now");
    QVERIFY(QTest::qWaitFor(
        [&] { return page->document().isRefined() && page->document().isPlanned(); }, kPatience));
    QCOMPARE(exporting->isEnabled(), bool{page->document().outcome().best});
    QVERIFY(!page->status().text.contains(QStringLiteral("previous settings")));
}

void LostWorkTest::opensASessionWithNumbersThatNobodyHas()
{
    PlannerPage* page = openSession("work.plimsoll");
    QVERIFY(page != nullptr);
    m_window->closePage(*m_window->pages().front());
    QVERIFY(QTest::qWaitFor([&] { return m_window->pages().empty(); }, kPatience));
    QTest::qWait(100);
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(file("work.plimsoll").toUtf8().constData(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database,
                          "UPDATE problem SET budget_bytes = 9223372036854775807, reserve_bytes = "
                          "9223372036854775807",
                          nullptr, nullptr, nullptr),
             SQLITE_OK);
    sqlite3_close(database);
    page = open(file("work.plimsoll"));
    QVERIFY(page != nullptr);
    QCOMPARE(page->document().document().choices.reserve.count(), std::int64_t{2 * 8519680});
    QCOMPARE(page->document().document().notes.size(), std::size_t{2});
}

/// The session was opened, and its place taken before anything was written.
void LostWorkTest::writesIntoNoSessionOfAnotherGraph()
{
    QVERIFY(openSession("work.plimsoll") != nullptr);
    m_window->closePage(*m_window->pages().front());
    QVERIFY(QTest::qWaitFor([&] { return m_window->pages().empty(); }, kPatience));
    PlannerPage* other = openPlanned("unet");
    QVERIFY(other != nullptr);
    saveTo(*other, file("other.plimsoll"));
    m_window->closePage(*m_window->pages().front());
    PlannerPage* page = open(file("work.plimsoll"));
    QVERIFY(page != nullptr);
    const std::size_t runs = saved(file("other.plimsoll")).plan.runs.size();
    QVERIFY(QTest::qWaitFor([&] { return page->document().isPlanned(); }, kPatience));
    std::filesystem::rename(m_folder->file("other.plimsoll"), m_folder->file("work.plimsoll"));
    page->document().commitBudget(mebi(2300));
    QVERIFY(QTest::qWaitFor([&] { return page->keeper().hasFailed(); }, kPatience));
    QVERIFY(page->isUnsaved());
    QCOMPARE(saved(file("work.plimsoll")).plan.runs.size(), runs);
}

void LostWorkTest::cancelsOnlyWhatTheStatusBarTells()
{
    PlannerPage* page = open(sampleFile("gpt2"));
    QVERIFY(page != nullptr);
    QSignalSpy planning{&page->document(), &DocumentController::planningChanged};
    m_window->openFiles({sampleFile("resnet18")});
    QVERIFY(m_window->isOpening());
    QVERIFY(page->document().isPlanning());
    for (QPushButton* button : m_window->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Cancel"))
            button->click();
    QVERIFY(QTest::qWaitFor([&] { return !m_window->isOpening(); }, kPatience));
    QVERIFY(QTest::qWaitFor([&] { return !page->document().isPlanning(); }, kPatience));
    QVERIFY(page->document().isPlanned()); // to its end
}

} // namespace

PLIMSOLL_TEST(LostWorkTest, QApplication)
#include "lost_work_test.moc"
