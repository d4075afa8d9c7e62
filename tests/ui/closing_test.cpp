// SPDX-License-Identifier: Apache-2.0
// Tabs and the window close at once; pending writes are finished in the background.
#include "ui/base/message_strip.h"
#include "ui/budget_timeline/budget_timeline_view.h"

#include "tests/support/saved_session.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>

#include <sqlite3.h>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;
using plimsoll::base::Bytes;

constexpr qint64 kFreeze = 50; ///< ms that the window may stand still

/// Another program that holds the session file.
class FileLock
{
public:
    explicit FileLock(const QString& path)
    {
        sqlite3_open(path.toUtf8().constData(), &m_connection);
        sqlite3_busy_timeout(m_connection, 5000); // the window may still be writing
        m_held =
            sqlite3_exec(m_connection, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK;
    }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    FileLock(FileLock&&) = delete;
    FileLock& operator=(FileLock&&) = delete;
    ~FileLock() { sqlite3_close(m_connection); }
    [[nodiscard]] bool isHeld() const { return m_held; }

private:
    sqlite3* m_connection = nullptr;
    bool m_held = false;
};

class ClosingTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void closesATabWhileItsFileIsHeld();
    void opensASessionOnlyWhenItIsWritten();
    void closesTheWindowWhileAFileIsHeld();
    void bringsBackWhatCouldNotBeWritten();
    void closesInTheMiddleOfPlanning();
    void savesPinsWhenTheyChange();
    void beginsWithARatioOfTheUnplannedPeak();

private:
    PlannerPage* openSession();
    [[nodiscard]] plimsoll::tests::SavedSession savedSession() const;
    [[nodiscard]] std::int64_t savedBudget() const
    {
        return savedSession().plan.problem.budgetBytes;
    }
    [[nodiscard]] QString sessionFile() const
    {
        return QString::fromStdString(m_folder->file("work.plimsoll"));
    }
};

PlannerPage* ClosingTest::openSession()
{
    PlannerPage* page = openPlanned();
    if (page == nullptr)
        return nullptr;
    QSignalSpy saved{page, &DocumentPage::sessionSaved};
    m_window->saveTo(*page, sessionFile());
    if (!saved.wait(kPatience) || !QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience))
        return nullptr;
    return page;
}

/// Without budget and view if the file can't be read.
plimsoll::tests::SavedSession ClosingTest::savedSession() const
{
    return plimsoll::tests::loadSession(sessionFile().toStdString())
        .value_or(plimsoll::tests::SavedSession{});
}

void ClosingTest::closesATabWhileItsFileIsHeld()
{
    QPointer<PlannerPage> page = openSession();
    QVERIFY(page);
    auto lock = std::make_unique<FileLock>(sessionFile());
    QVERIFY(lock->isHeld());
    page->document().commitBudget(Bytes{std::int64_t{2300} << 20});
    QElapsedTimer clock;
    clock.start();
    m_window->closePage(*m_window->pages().front());
    QVERIFY2(clock.elapsed() < kFreeze, qPrintable(QString::number(clock.elapsed())));
    QVERIFY(m_window->pages().empty());
    QCOMPARE(m_window->findChild<QTabBar*>()->count(), 1);
    QTest::qWait(200); // the writer waits for the lock, the window doesn't
    QVERIFY(page);
    lock.reset();
    QVERIFY(QTest::qWaitFor([&] { return page.isNull(); }, kPatience));
    QCOMPARE(savedBudget(), std::int64_t{2300} << 20);
}

void ClosingTest::opensASessionOnlyWhenItIsWritten()
{
    PlannerPage* page = openSession();
    QVERIFY(page != nullptr);
    auto lock = std::make_unique<FileLock>(sessionFile());
    page->document().commitBudget(Bytes{std::int64_t{2300} << 20});
    m_window->closePage(*m_window->pages().front());
    QSignalSpy opened{m_window.get(), &MainWindow::opened};
    m_window->openFiles({sessionFile()});
    QTest::qWait(200);
    QVERIFY(!m_window->isOpening());
    lock.reset();
    QVERIFY(opened.wait(kPatience));
    QCOMPARE(currentPage()->document().budget().count(), std::int64_t{2300} << 20);
}

void ClosingTest::closesTheWindowWhileAFileIsHeld()
{
    PlannerPage* page = openSession();
    QVERIFY(page != nullptr);
    auto lock = std::make_unique<FileLock>(sessionFile());
    page->document().commitBudget(Bytes{std::int64_t{2300} << 20});
    QSignalSpy closed{m_window.get(), &MainWindow::closed};
    QElapsedTimer clock;
    clock.start();
    m_window->close();
    QVERIFY2(clock.elapsed() < kFreeze, qPrintable(QString::number(clock.elapsed())));
    QVERIFY(m_window->isHidden());
    QCOMPARE(closed.count(), 0);
    lock.reset();
    QVERIFY(closed.wait(kPatience));
    QVERIFY(m_window->isHidden());
    QCOMPARE(savedBudget(), std::int64_t{2300} << 20);
}

void ClosingTest::bringsBackWhatCouldNotBeWritten()
{
    PlannerPage* page = openSession();
    QVERIFY(page != nullptr);
    int asked = 0;
    auto answer = MainWindow::CloseAnswer::Keep;
    m_window->setCloseQuestion([&](const QString&) {
        ++asked;
        return answer;
    });
    const FileLock lock{sessionFile()}; // longer than the writer waits
    page->document().commitBudget(Bytes{std::int64_t{2300} << 20});
    m_window->close();
    QVERIFY(m_window->isHidden());
    QVERIFY(QTest::qWaitFor([&] { return m_window->isVisible(); }, kPatience));
    QCOMPARE(asked, 0);
    QVERIFY(currentPage() == page);
    QVERIFY(page->isUnsaved());
    QVERIFY(!page->strip().isHidden());
    QCOMPARE(page->strip().shown().first, QStringLiteral("The session could not be saved."));
    // Now it asks, for the file can't be relied on.
    m_window->closePage(*m_window->pages().front());
    QCOMPARE(asked, 1);
    QVERIFY(currentPage() == page);
    answer = MainWindow::CloseAnswer::Discard;
    const QPointer<PlannerPage> guard{page};
    m_window->closePage(*m_window->pages().front());
    QVERIFY(QTest::qWaitFor([&] { return guard.isNull(); }, kPatience));
    QVERIFY(m_window->pages().empty());
}

void ClosingTest::closesInTheMiddleOfPlanning()
{
    PlannerPage* page = open(sampleFile("densenet121"));
    QVERIFY(page != nullptr);
    QVERIFY(page->document().isPlanning());
    QSignalSpy closed{m_window.get(), &MainWindow::closed};
    QElapsedTimer clock;
    clock.start();
    m_window->close();
    QVERIFY2(clock.elapsed() < kFreeze, qPrintable(QString::number(clock.elapsed())));
    QVERIFY(m_window->isHidden());
    QVERIFY(closed.count() == 1 || closed.wait(kPatience));
}

void ClosingTest::savesPinsWhenTheyChange()
{
    PlannerPage* page = openSession();
    QVERIFY(page != nullptr);
    viewOf<BudgetTimelineView>(*page).goToPeak();
    QVERIFY(!page->isUnsaved());
    QTest::keyClick(&viewOf<BudgetTimelineView>(*page), Qt::Key_Space);
    QCOMPARE(viewOf<BudgetTimelineView>(*page).pinnedSteps().size(), std::size_t{1});
    const QByteArray pins =
        "\"pins\":[" + QByteArray::number(viewOf<BudgetTimelineView>(*page).pinnedSteps()[0]) + ']';
    QVERIFY(page->isUnsaved());
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    const auto view = [this] { return QByteArray::fromStdString(savedSession().document.view); };
    QVERIFY2(view().contains(pins), view().constData());
    QTest::keyClick(&viewOf<BudgetTimelineView>(*page), Qt::Key_Escape);
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    QVERIFY2(view().contains("\"pins\":[]"), view().constData());
}

void ClosingTest::beginsWithARatioOfTheUnplannedPeak()
{
    closeWindow();
    openWindow({1440, 900}, *plimsoll::base::parseBudget("80%"));
    PlannerPage* page = open(sampleFile("resnet18"));
    QVERIFY(page != nullptr);
    const Bytes peak = page->document().planned()->unplanned->evaluation().peak;
    QCOMPARE(page->document().document().budget.count(),
             static_cast<std::int64_t>(0.8 * static_cast<double>(peak.count())));
}

} // namespace

PLIMSOLL_TEST(ClosingTest, QApplication)
#include "closing_test.moc"
