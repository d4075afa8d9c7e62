// SPDX-License-Identifier: Apache-2.0
// Planning with times of ops that a profile has: how they are chosen, shown, kept and let go of.
#include "ui/base/message_strip.h"

#include "tests/support/op_trace.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAction>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;

class TimesTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void areUsedUntilUndone()
    {
        PlannerPage* page = openTiny();
        QVERIFY(page != nullptr);
        const auto modelled = stepTime(*page);
        QVERIFY(page->factsText().endsWith(QStringLiteral("times, estimated")));
        QVERIFY(!action("plan.modelled").isEnabled());

        const std::size_t messages = page->strip().count();
        page->times().use(trace("run.pt.trace.json"));
        QVERIFY(isShown(*page, true));
        QVERIFY2(
            page->factsText().endsWith(QStringLiteral("times of 7 ops from run.pt.trace.json")),
            qPrintable(page->factsText()));
        const auto measured = stepTime(*page);
        QVERIFY(measured > 143000 && measured != modelled); // of the seven, and the mean
        const Message& message = page->strip().shown();
        QCOMPARE(message.first, QStringLiteral("Measured times are in use."));
        QVERIFY(message.rest.startsWith(QStringLiteral("7 of 8 ops measured in ProfilerStep#5")));
        QCOMPARE(message.actions.front().text, QStringLiteral("Use modelled times"));
        QCOMPARE(page->undoStack().undoText(), QStringLiteral("Use Measured Times"));

        page->undoStack().undo();
        QVERIFY(isShown(*page, false));
        QCOMPARE(page->strip().count(), messages);
        QCOMPARE(stepTime(*page), modelled);
        page->undoStack().redo();
        QVERIFY(isShown(*page, true));
        QCOMPARE(stepTime(*page), measured);
        QVERIFY(action("plan.modelled").isEnabled());
        action("plan.modelled").trigger();
        QVERIFY(isShown(*page, false));
        QCOMPARE(stepTime(*page), modelled);
        QCOMPARE(page->undoStack().undoText(), QStringLiteral("Use Modelled Times"));
    }

    void ofAnotherStepAreRefused()
    {
        PlannerPage* page = openTiny();
        QVERIFY(page != nullptr);
        page->times().use(QString::fromStdString(
            m_folder->fileWith("other.json", OpTrace{}.op("aten::mm", 4).text())));
        QTRY_COMPARE(page->strip().count(), std::size_t{1});
        const Message& message = page->strip().shown();
        QCOMPARE(message.kind, MessageKind::Danger);
        QCOMPARE(message.first, QStringLiteral("other.json gives no times for this step."));
        QVERIFY(message.rest.contains(QStringLiteral("of its 7 ops that compute 1 is found")));
        QVERIFY(page->document().document().choices.profiled.times == nullptr);
        QCOMPARE(page->undoStack().count(), 0);
    }

    void areOfferedFromOpenProfiles()
    {
        const QString profile =
            QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/data/two-gpus.pt.trace.json");
        const QString table = QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/data/allocations.csv");
        PlannerPage* page = openTiny();
        QVERIFY(page != nullptr);
        QCOMPARE(page->times().openFiles(), QStringList{});
        m_window->openFiles({profile, table});
        QTRY_COMPARE(m_window->pages().size(), std::size_t{3});
        QCOMPARE(page->times().openFiles(), QStringList{profile}); // the table has no kernels
    }

    void stayInTheSession()
    {
        const QString file = QString::fromStdString(m_folder->file("work.plimsoll"));
        PlannerPage* page = openTiny();
        QVERIFY(page != nullptr);
        QSignalSpy saved{page, &DocumentPage::sessionSaved};
        m_window->saveTo(*page, file);
        QVERIFY(saved.wait(kPatience));
        page->times().use(trace("run.pt.trace.json")); // follows into the file
        QVERIFY(isShown(*page, true));
        const auto measured = stepTime(*page);
        QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
        m_window->closePage(*m_window->pages().front());
        page = open(file);
        QVERIFY(page != nullptr);
        QCOMPARE(page->document().document().notes.size(), std::size_t{0});
        QVERIFY(isShown(*page, true));
        QCOMPARE(stepTime(*page), measured);
        action("plan.modelled").trigger();
        QVERIFY(isShown(*page, false));
        QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
        m_window->closePage(*m_window->pages().front());
        page = open(file);
        QVERIFY(page != nullptr);
        QVERIFY(page->document().document().choices.profiled.times == nullptr);
    }

private:
    [[nodiscard]] PlannerPage* openTiny()
    {
        PlannerPage* page =
            open(QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/data/tiny.plimsoll.json"));
        return page != nullptr && isDone(*page) ? page : nullptr;
    }
    [[nodiscard]] QString trace(const char* name) const
    {
        return QString::fromStdString(m_folder->fileWith(name, tinyStep().text()));
    }
    [[nodiscard]] QAction& action(const char* id) const
    {
        return *m_window->findChild<QAction*>(QString::fromLatin1(id));
    }
    static std::int64_t stepTime(PlannerPage& page)
    {
        return page.document().planned()->unplanned->evaluation().stepTime.count();
    }
    /// Waits until what is shown is planned with the times, or without.
    static bool isShown(PlannerPage& page, bool isMeasured)
    {
        return QTest::qWaitFor(
                   [&] {
                       return (page.document().planned()->choices.times() != nullptr) == isMeasured
                              && !page.document().isOutdated();
                   },
                   kPatience)
               && isDone(page);
    }
};

} // namespace

PLIMSOLL_TEST(TimesTest, QApplication)
#include "times_test.moc"
