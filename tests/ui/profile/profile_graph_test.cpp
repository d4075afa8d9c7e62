// SPDX-License-Identifier: Apache-2.0
// A profile in the window whose allocations a graph of the model names.
#include "core/io/byte_source.h"
#include "core/readers/registry.h"
#include "ui/base/message_strip.h"
#include "ui/diagnosis/diagnosis_view.h"
#include "ui/profile_page/docks/diagnosis_page.h"
#include "ui/profile_page/docks/inspector.h"
#include "ui/profile_page/docks/live_groups_page.h"
#include "ui/profile_page/graph_chooser.h"

#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"

#include <QAction>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QTimer>
#include <QUrl>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;

const QString kGraph = QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/data/encoder.plimsoll.json.gz");
constexpr const char* kRecorded =
    PLIMSOLL_SOURCE_DIR "/resources/samples/encoder_training.stand-in.pickle.gz";

class ProfileGraphTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void aGraphNamesAllocations();
    void anotherGraphIsTold();
    void thePlanThatHelpsIsOneClickAway();

private:
    /// A session with the sample, which was recorded with stacks="python".
    QString session()
    {
        const auto profile = readers::readProfile(io::Source{kRecorded});
        return profile ? write("profile.plimsoll", memtrace::writeColumns(*profile->trace))
                       : QString{};
    }
    /// Chooses the open graph in the dialog of the command.
    void useOpenGraph()
    {
        QTimer::singleShot(0, this, [this] {
            auto* dialog = m_window->findChild<GraphChooser*>();
            QVERIFY(dialog != nullptr);
            QVERIFY(QTest::qWaitForWindowExposed(dialog));
            m_offered = dialog->list().item(0)->text();
            QTest::keyClick(dialog, Qt::Key_Return);
        });
        trigger("profile.graph");
    }
    /// The first row of a table whose first cell has a text; -1: none.
    static int rowWith(const QTableView& table, const QString& text)
    {
        for (int row = 0; row < table.model()->rowCount(); ++row)
            if (table.model()->index(row, 0).data().toString().contains(text))
                return row;
        return -1;
    }
    [[nodiscard]] bool isChecked() const
    {
        return m_window->findChild<QAction*>(QStringLiteral("profile.graph"))->isChecked();
    }

    QString m_offered;
};

void ProfileGraphTest::aGraphNamesAllocations()
{
    QVERIFY(open(kGraph) != nullptr);
    const QString file = session();
    ProfilePage* page = openProfile(file);
    QVERIFY(page != nullptr);
    QVERIFY(!isChecked());
    useOpenGraph();
    QCOMPARE(m_offered, QStringLiteral("encoder"));
    QVERIFY(settles(*page));
    QVERIFY(isChecked());
    const QString known = QStringLiteral(" in 3 of 3 steps are known from the graph");
    QVERIFY2(page->factsText().contains(known), qPrintable(page->factsText()));
    const std::size_t count = page->controller().picture()->names->known;
    // A block of backward, which has no frames of its own.
    tests::chooseTab(*page, QStringLiteral("Largest live"), QStringLiteral("tables"));
    AllocationPage& largest = pageOf(*page, "Largest live");
    QTRY_VERIFY_WITH_TIMEOUT(largest.isCurrent(), kPatience);
    const int row = rowWith(largest.table(), QStringLiteral("from the graph)"));
    QVERIFY(row >= 0);
    const QModelIndex cell = largest.model().index(row, 0);
    largest.table().scrollTo(cell);
    QTest::mouseClick(largest.table().viewport(), Qt::LeftButton, {},
                      largest.table().visualRect(cell).center());
    const auto& inspector = tests::viewOf<Inspector>(*page);
    QVERIFY(inspector.value(QStringLiteral("Made by")).endsWith(QStringLiteral(", backward")));
    QVERIFY(inspector.value(QStringLiteral("Shape")).endsWith(QStringLiteral(" float32")));
    QVERIFY2(inspector.why().contains(QStringLiteral(" freed ")), qPrintable(inspector.why()));
    // The modules of the graph.
    auto& groups = tests::viewOf<LiveGroupsPage>(*page);
    groups.setGrouping(memtrace::LiveBy::Module);
    QTRY_VERIFY_WITH_TIMEOUT(rowWith(groups.table(), QStringLiteral("layers.0.linear1")) >= 0,
                             kPatience);
    trigger("edit.undo");
    QVERIFY(settles(*page));
    QVERIFY(!isChecked());
    QVERIFY(!page->factsText().contains(known));
    QVERIFY(inspector.value(QStringLiteral("Made by")).isEmpty());
    QVERIFY(inspector.why().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(rowWith(groups.table(), QStringLiteral("layers.0.linear1")) < 0,
                             kPatience);
    trigger("edit.redo");
    QVERIFY(settles(*page));
    QVERIFY(page->factsText().contains(known));
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    trigger("file.close");
    page = openProfile(file);
    QVERIFY(page != nullptr);
    QVERIFY(isChecked());
    QCOMPARE(page->controller().picture()->names->known, count);
    trigger("profile.graph"); // the same command stops using it
    QVERIFY(settles(*page));
    QVERIFY(!isChecked());
    QVERIFY(page->controller().picture()->names == nullptr);
}

void ProfileGraphTest::anotherGraphIsTold()
{
    QVERIFY(open(tests::sampleFile("resnet18")) != nullptr);
    ProfilePage* page = openProfile(session());
    QVERIFY(page != nullptr);
    useOpenGraph();
    QVERIFY(settles(*page));
    MessageStrip& strip = page->strip();
    QCOMPARE(strip.count(), std::size_t{1});
    QCOMPARE(strip.shown().first, QStringLiteral("The graph could not be used."));
    QVERIFY(strip.shown().rest.startsWith(
        QStringLiteral("The recording is one of another model, batch or plan: ")));
    // Nothing has changed, and the reason can be read as a whole.
    QVERIFY(!isChecked());
    QVERIFY(!page->undoStack().canUndo());
    QVERIFY(page->controller().picture()->settings.graph == nullptr);
    QPushButton* details = nullptr;
    const auto isOffered = [&] {
        details = tests::buttonOf(strip, "Details");
        return details != nullptr;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isOffered(), kPatience);
    QTest::mouseClick(details, Qt::LeftButton);
    const auto* whole = strip.findChild<QLabel*>();
    QVERIFY(whole != nullptr && whole->isVisible());
    QCOMPARE(whole->text(), strip.shown().first + u' ' + strip.shown().rest);
    QVERIFY(whole->height() >= whole->heightForWidth(whole->width()));
    whole->window()->close();
}

void ProfileGraphTest::thePlanThatHelpsIsOneClickAway()
{
    QVERIFY(open(kGraph) != nullptr);
    ProfilePage* page = openProfile(session());
    QVERIFY(page != nullptr);
    auto& diagnosis = tests::viewOf<DiagnosisPage>(*page);
    tests::chooseTab(*page, QStringLiteral("Diagnosis"), QStringLiteral("inspector"));
    QTRY_VERIFY_WITH_TIMEOUT(diagnosis.isCurrent(), kPatience);
    const auto plans = [&] {
        return diagnosis.view().remedies().filter(QStringLiteral("Run the step with a plan"));
    };
    QVERIFY(plans().empty());
    useOpenGraph();
    QVERIFY(settles(*page));
    QTRY_VERIFY_WITH_TIMEOUT(diagnosis.isCurrent() && !plans().empty(), kPatience);
    QCOMPARE(plans().size(), 1);
    QVERIFY(plans().front().contains(QStringLiteral("verified plan\n")));
    QVERIFY(diagnosis.view().toHtml().contains(QStringLiteral("href=\"#plan\"")));
    const std::size_t before = m_window->pages().size();
    Q_EMIT diagnosis.view().anchorClicked(QUrl{QStringLiteral("#plan")});
    QTRY_COMPARE_WITH_TIMEOUT(m_window->pages().size(), before + 1, kPatience);
    auto* planner = qobject_cast<PlannerPage*>(m_window->currentPage());
    QVERIFY(planner != nullptr);
    QCOMPARE(planner->document().document().graph.program,
             page->controller().picture()->settings.graph->graph.program);
    QVERIFY(isDone(*planner));
}

} // namespace

PLIMSOLL_TEST(ProfileGraphTest, QApplication)
#include "profile_graph_test.moc"
