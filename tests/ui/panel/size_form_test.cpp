// SPDX-License-Identifier: Apache-2.0
// Batch and sequence of a graph that was traced at several sizes: chosen as a person does, and
// every number follows.
#include "ui/problem_form/size_form.h"

#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/document_page/pages_dock.h"
#include "ui/models/run_model.h"
#include "ui/plan_panel/budget_panel.h"

#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QStyleOptionSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QWheelEvent>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using plimsoll::tests::planDock;
using plimsoll::tests::viewOf;
using tests::CliRun;
using tests::kPatience;
using tests::text;
using workspace::Sizes;

class SizeFormTest : public QObject, private tests::WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void onlyGraphsWithLawsHaveFields();
    void theSampleTellsWhatWasRecorded();
    void arrowsGoThroughTheSizes();
    void aTypedSizeIsWhatIsPlanned();
    void impossibleSizesGetASentence_data();
    void impossibleSizesGetASentence();
    void aSizeBeyondTheLawsChangesNothing();
    void exportsWhatTheCommandLineExports();
    void undoAndAsRecordedGoBack();
    void theSessionKeepsTheSize();
    void aRunGoesBackToItsSize();
    void theWheelScrollsThePanel();
    void theNewestChoiceCounts();

private:
    QString m_varied = text(PLIMSOLL_SOURCE_DIR "/tests/data/varied.plimsoll.json");

    /// The small graph, planned: batch 4 (2, 4, 5 recorded), sequence 6 (6, 9, 10 recorded).
    PlannerPage* openVaried()
    {
        PlannerPage* page = open(m_varied);
        return page != nullptr && isDone(*page) ? page : nullptr;
    }
    static SizeForm& form(PlannerPage& page)
    {
        return *viewOf<BudgetPanel>(page).findChild<SizeForm*>();
    }
    static SizeBox& box(PlannerPage& page, const char* name)
    {
        for (SizeBox* found : form(page).findChildren<SizeBox*>())
            if (found->accessibleName() == QString::fromUtf8(name))
                return *found;
        qFatal("The form has no such field.");
    }
    /// As a person: into the field, over what is there, Enter.
    static void type(SizeBox& box, const char* digits)
    {
        QTest::mouseClick(box.findChild<QLineEdit*>(), Qt::LeftButton);
        box.selectAll();
        QTest::keyClicks(&box, QString::fromUtf8(digits));
        QTest::keyClick(&box, Qt::Key_Return);
    }
    static void clickArrow(SizeBox& box, QStyle::SubControl arrow)
    {
        QStyleOptionSpinBox option;
        option.initFrom(&box);
        option.subControls = QStyle::SC_All;
        const QRect place = box.style()->subControlRect(QStyle::CC_SpinBox, &option, arrow, &box);
        QVERIFY(!place.isEmpty());
        QTest::mouseClick(&box, Qt::LeftButton, {}, place.center());
    }
    static bool hasSizes(PlannerPage& page, const Sizes& sizes)
    {
        return QTest::qWaitFor([&] { return page.document().document().choices.sizes == sizes; },
                               kPatience);
    }
    static Sizes planned(PlannerPage& page)
    {
        Sizes sizes;
        for (const graph::Axis& axis : page.document().program()->vary->axes)
            sizes[axis.name] = axis.size;
        return sizes;
    }
    static base::Bytes unplannedPeak(PlannerPage& page)
    {
        return page.document().planned()->unplanned->evaluation().peak;
    }
    [[nodiscard]] QString file(const char* prefix, const char* name) const
    {
        return QString::fromStdString(m_folder->file(std::string{prefix} + name));
    }
};

void SizeFormTest::onlyGraphsWithLawsHaveFields()
{
    PlannerPage* page = openPlanned("resnet18");
    QVERIFY(page != nullptr);
    QVERIFY(!form(*page).isVisible());
    QVERIFY(form(*page).findChildren<SizeBox*>().isEmpty());
}

void SizeFormTest::theSampleTellsWhatWasRecorded()
{
    PlannerPage* page = open(tests::sampleFile("gpt2"));
    QVERIFY(page != nullptr);
    QVERIFY(form(*page).isVisible());
    QCOMPARE(box(*page, "Batch").text(), text("8"));
    QCOMPARE(box(*page, "Sequence").text(), text("1024"));
    QStringList hints;
    for (const auto* label : form(*page).findChildren<TextLabel*>())
        hints << label->text();
    QVERIFY(hints.contains(text("4, 8, 16 recorded; 4 and up")));
    QVERIFY(hints.contains(text("256, 512, 1024 recorded; steps of 32")));
    QVERIFY(!form(*page).findChild<QPushButton*>()->isVisible());
}

void SizeFormTest::arrowsGoThroughTheSizes()
{
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    SizeBox& batch = box(*page, "Batch");
    clickArrow(batch, QStyle::SC_SpinBoxUp);
    QCOMPARE(batch.text(), text("5"));
    QVERIFY(hasSizes(*page, {{"batch", 5}}));
    for (int click = 0; click < 9; ++click) // one undo step, and no further than the smallest
        clickArrow(batch, QStyle::SC_SpinBoxDown);
    QCOMPARE(batch.text(), text("2"));
    QVERIFY(hasSizes(*page, {{"batch", 2}}));
    QCOMPARE(page->document().undoStack().count(), 2);
    QVERIFY(isDone(*page));
    QCOMPARE(planned(*page), (Sizes{{"batch", 2}, {"sequence", 6}}));
}

void SizeFormTest::aTypedSizeIsWhatIsPlanned()
{
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    const base::Bytes before = unplannedPeak(*page);
    const base::Bytes budget = page->document().budget();
    type(box(*page, "Batch"), "7");
    QVERIFY(hasSizes(*page, {{"batch", 7}}));
    QVERIFY(isDone(*page));
    QVERIFY(unplannedPeak(*page) > before);
    QVERIFY(page->document().budget() == budget); // the user's own
    type(box(*page, "Sequence"), "13");
    QVERIFY(hasSizes(*page, {{"batch", 7}, {"sequence", 13}}));
    QVERIFY(isDone(*page));
    QCOMPARE(planned(*page), (Sizes{{"batch", 7}, {"sequence", 13}}));

    // The command line's numbers, and those of a trace at that size.
    const QString other = text(PLIMSOLL_SOURCE_DIR "/tests/data/varied-7x13.plimsoll.json");
    for (const QStringList& graph :
         {QStringList{other}, QStringList{m_varied, text("--at"), text("batch=7,sequence=13")}}) {
        const CliRun told = tests::runCli(QStringList{text("inspect"), text("--json")} + graph);
        QCOMPARE(told.exit, 0);
        QCOMPARE(told.json()[text("summary")][text("peak_allocated_bytes")].toInteger(),
                 unplannedPeak(*page).count());
    }
    // Everything that is shown is of that size.
    QCOMPARE(page->document().title(), text("varied · batch 7, sequence 13"));
    QVERIFY(m_window->findChild<QTabBar*>()->tabText(1).endsWith(page->document().title()));
    QCOMPARE(viewOf<BudgetTimelineView>(*page).subtitle().split(text(" · ")).value(1),
             text("batch 7, sequence 13"));
    const RunModel& runs = viewOf<RunModel>(*page);
    QCOMPARE(runs.index(0, RunModel::SizeColumn).data().toString(), text("batch 7, sequence 13"));
    QStringList hints;
    for (const auto* label : form(*page).findChildren<TextLabel*>())
        hints << label->text();
    QVERIFY(hints.contains(text("extrapolated: recorded up to 5")));
    QVERIFY(hints.contains(text("extrapolated: recorded up to 10")));
}

void SizeFormTest::impossibleSizesGetASentence_data()
{
    QTest::addColumn<QByteArray>("typed");
    QTest::addColumn<QString>("says");
    QTest::newRow("below") << QByteArray{"1"} << text("batch 1 is below 2, the smallest that was");
    QTest::newRow("none") << QByteArray{"0"} << text("batch 0 is below 2");
    QTest::newRow("negative") << QByteArray{"-4"} << text("batch -4 is below 2");
    QTest::newRow("no number") << QByteArray{"many"} << text("A size is a whole number");
    QTest::newRow("a fraction") << QByteArray{"4.5"} << text("A size is a whole number");
    QTest::newRow("huge") << QByteArray{"99999999999999999999"} << text("A size is a whole number");
}

void SizeFormTest::impossibleSizesGetASentence()
{
    QFETCH(QByteArray, typed);
    QFETCH(QString, says);
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    const workspace::PlannedPtr before = page->document().planned();
    SizeBox& batch = box(*page, "Batch");
    type(batch, typed.constData());
    QStringList sentences;
    for (const QLabel* label : form(*page).findChildren<QLabel*>())
        if (label->isVisible())
            sentences << label->text();
    QCOMPARE(sentences.size(), 1);
    QVERIFY2(sentences.front().startsWith(says), qPrintable(sentences.front()));
    QCOMPARE(batch.text(), text("4"));
    QVERIFY(page->document().planned() == before);
    QVERIFY(page->document().document().choices.sizes.empty());
    type(batch, "5"); // and the next one counts
    QVERIFY(hasSizes(*page, {{"batch", 5}}));
    QVERIFY(!form(*page).findChild<QLabel*>()->isVisible());
}

void SizeFormTest::aSizeBeyondTheLawsChangesNothing()
{
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    SizeBox& batch = box(*page, "Batch");
    type(batch, "4611686018427387000");
    QVERIFY(QTest::qWaitFor([&] { return !page->strip().isHidden(); }, kPatience));
    QCOMPARE(page->strip().shown().first, text("The model can't be resized to this value."));
    QVERIFY(page->strip().shown().rest.contains(text("2^62")));
    QCOMPARE(batch.text(), text("4"));
    QVERIFY(page->document().document().choices.sizes.empty());
    QCOMPARE(page->document().undoStack().count(), 0);
    QVERIFY(!page->document().isOutdated());
    type(batch, "5");
    QVERIFY(hasSizes(*page, {{"batch", 5}}));
    QVERIFY(isDone(*page));
    QVERIFY(page->strip().isHidden());
}

/// Byte for byte: decisions, figures and the size they are for.
void SizeFormTest::exportsWhatTheCommandLineExports()
{
    const QString graph = tests::sampleFile("gpt2");
    PlannerPage* page = open(graph);
    QVERIFY(page != nullptr);
    type(box(*page, "Sequence"), "512");
    QVERIFY(hasSizes(*page, {{"sequence", 512}}));
    const base::Bytes budget{std::int64_t{6} << 30U};
    page->document().commitBudget(budget);
    QVERIFY(isDone(*page));
    const plan::VerifiedPlanPtr best = page->document().outcome().best;
    QVERIFY(best && !best->plan().recomputesNothing());
    QStringList exports;
    for (const char* name : {"plan.json", "plan.py", "plan.csv"}) {
        exports << text("--export") << file("cli-", name);
        QSignalSpy exported{&page->exporter(), &PlanExport::exported};
        page->exporter().start(file("app-", name));
        QVERIFY(exported.wait(kPatience));
    }
    const QStringList at{text("--at"), text("sequence=512")};
    const CliRun told = tests::runCli(
        QStringList{text("plan"), graph, text("--budget"), text("6GiB"), text("--json")} + at
        + exports);
    QCOMPARE(told.exit, 0);
    QCOMPARE(told.json()[text("peak_bytes")].toInteger(), best->evaluation().peak.count());
    QCOMPARE(told.json()[text("step_time_ns")].toInteger(), best->evaluation().stepTime.count());
    for (const char* name : {"plan.json", "plan.py", "plan.csv"}) {
        QVERIFY(!tests::fileBytes(file("app-", name)).isEmpty());
        QCOMPARE(tests::fileBytes(file("app-", name)), tests::fileBytes(file("cli-", name)));
    }
    QVERIFY(tests::fileBytes(file("app-", "plan.json")).contains("8x512 int64"));
    // check takes it at that size only.
    const QStringList check{text("check"), file("app-", "plan.json"), graph};
    QCOMPARE(tests::runCli(check + at).exit, 0);
    QCOMPARE(tests::runCli(check).exit, 5);
}

void SizeFormTest::undoAndAsRecordedGoBack()
{
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    const workspace::PlannedPtr recorded = page->document().planned();
    SizeBox& batch = box(*page, "Batch");
    type(batch, "5");
    QVERIFY(hasSizes(*page, {{"batch", 5}}));
    QCOMPARE(page->document().undoStack().undoText(), text("Change Size"));
    QTest::keyClick(&batch, Qt::Key_Z, Qt::ControlModifier); // the keys stay in the field
    QCOMPARE(batch.text(), text("4"));
    QVERIFY(page->document().planned() == recorded); // known already
    QTest::keyClick(&batch, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(batch.text(), text("5"));
    auto* back = form(*page).findChild<QPushButton*>();
    QTest::mouseClick(back, Qt::LeftButton);
    QVERIFY(hasSizes(*page, {}));
    QCOMPARE(batch.text(), text("4"));
    QVERIFY(!back->isVisible());
    QVERIFY(page->document().planned() == recorded);
    QCOMPARE(page->document().title(), text("varied"));
}

void SizeFormTest::theSessionKeepsTheSize()
{
    const QString file = QString::fromStdString(m_folder->file("work.plimsoll"));
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    type(box(*page, "Batch"), "7");
    QVERIFY(hasSizes(*page, {{"batch", 7}}));
    QVERIFY(isDone(*page));
    const base::Bytes peak = unplannedPeak(*page);
    const auto runs = page->document().document().runs;
    QCOMPARE(runs.size(), std::size_t{2}); // as recorded, and at 7
    QSignalSpy saved{page, &DocumentPage::sessionSaved};
    m_window->saveTo(*page, file);
    QVERIFY(saved.wait(kPatience));
    type(box(*page, "Batch"), "6"); // follows into the file
    QVERIFY(hasSizes(*page, {{"batch", 6}}));
    type(box(*page, "Batch"), "7");
    QVERIFY(hasSizes(*page, {{"batch", 7}}));
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    m_window->closePage(*m_window->pages().front());
    page = open(file);
    QVERIFY(page != nullptr);
    QCOMPARE(page->document().document().notes.size(), std::size_t{0});
    QCOMPARE(box(*page, "Batch").text(), text("7"));
    QCOMPARE(box(*page, "Sequence").text(), text("6"));
    QCOMPARE(unplannedPeak(*page).count(), peak.count()); // before anything is planned
    const auto& kept = page->document().document().runs;
    QVERIFY(kept.size() >= runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        QCOMPARE(kept[i].sizes, runs[i].sizes);
        QVERIFY(kept[i].peak == runs[i].peak);
        QVERIFY(kept[i].stepTime == runs[i].stepTime);
    }
    QVERIFY(isDone(*page));
    QCOMPARE(unplannedPeak(*page).count(), peak.count());
}

void SizeFormTest::aRunGoesBackToItsSize()
{
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    const base::Bytes budget = page->document().budget();
    type(box(*page, "Sequence"), "9");
    QVERIFY(hasSizes(*page, {{"sequence", 9}}));
    QVERIFY(isDone(*page));
    page->document().commitBudget(budget + budget);
    QVERIFY(isDone(*page));
    RunModel& runs = viewOf<RunModel>(*page);
    const QAbstractItemModelTester tester{&runs,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    page->showView(QStringLiteral("runs"));
    auto* table = qobject_cast<QTableView*>(runs.parent());
    QVERIFY(!table->isColumnHidden(RunModel::SizeColumn));
    const QModelIndex oldest = runs.index(runs.rowCount() - 1, 0);
    const QPoint place = table->visualRect(oldest).center();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, place);
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, place);
    QVERIFY(hasSizes(*page, {}));
    QVERIFY(page->document().budget() == budget);
    QCOMPARE(box(*page, "Sequence").text(), text("6"));
    QVERIFY(isDone(*page));
    QCOMPARE(page->document().outcome().best->evaluation().peak.count(),
             runs.rowAt(oldest.row()).peak->count());
}

void SizeFormTest::theWheelScrollsThePanel()
{
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    SizeBox& batch = box(*page, "Batch");
    const auto turn = [&] {
        QWheelEvent wheel{QPointF{5, 5},
                          batch.mapToGlobal(QPointF{5, 5}),
                          {},
                          {0, 120},
                          Qt::NoButton,
                          Qt::NoModifier,
                          Qt::NoScrollPhase,
                          false};
        QApplication::sendEvent(&batch, &wheel);
    };
    turn();
    QCOMPARE(batch.text(), text("4"));
    QTest::mouseClick(batch.findChild<QLineEdit*>(), Qt::LeftButton);
    turn();
    QCOMPARE(batch.text(), text("5"));
}

/// While a size is being tried and planned: other choices, another size, and Stop.
void SizeFormTest::theNewestChoiceCounts()
{
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    DocumentController& document = page->document();
    type(box(*page, "Batch"), "5");
    type(box(*page, "Batch"), "6");
    workspace::Choices choices = document.document().choices;
    choices.sizes = {{"batch", 7}};
    choices.reserve = base::Bytes{1 << 20};
    document.commitChoices(choices);
    QVERIFY(hasSizes(*page, {{"batch", 7}}));
    QVERIFY(isDone(*page));
    QVERIFY(document.document().choices == choices);
    const auto fresh = workspace::planGraph(document.document().graph.program, choices, {});
    QVERIFY(fresh);
    QCOMPARE(unplannedPeak(*page).count(), (*fresh)->unplanned->evaluation().peak.count());
    QCOMPARE(document.planned()->smallestPeak.count(), (*fresh)->smallestPeak.count());

    type(box(*page, "Batch"), "9");
    document.stopPlanning(); // before the size was tried
    QVERIFY(QTest::qWaitFor([&] { return !document.isPlanning(); }, kPatience));
    QCOMPARE(document.document().choices.sizes, (Sizes{{"batch", 7}}));
    QCOMPARE(box(*page, "Batch").text(), text("7"));
}

} // namespace

PLIMSOLL_TEST(SizeFormTest, QApplication)
#include "size_form_test.moc"
