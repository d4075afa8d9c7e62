// SPDX-License-Identifier: Apache-2.0
// Data parallel in the window: switched on as a person does, and every number is the command
// line's.
#include "ui/problem_form/parallel_form.h"

#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/plan_panel/budget_panel.h"

#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QCheckBox>
#include <QComboBox>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using plimsoll::tests::viewOf;
using tests::kPatience;
using tests::text;

class ParallelFormTest : public QObject, private tests::WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void stepsWithoutGradientsHaveNoForm();
    void whatIsChosenIsWhatIsPlanned();
    void zeroThreeLeavesOutWhatIsDdps();
    void impossibleValuesGetASentence();
    void undoAndTheSessionKeepIt();

private:
    static bool isDone(PlannerPage& page)
    {
        return QTest::qWaitFor(
            [&] {
                const DocumentController& document = page.document();
                return document.isPlanned() && document.isRefined() && !document.isPlanning()
                       && !document.isOutdated();
            },
            kPatience);
    }
    static ParallelForm& form(PlannerPage& page)
    {
        return *viewOf<BudgetPanel>(page).findChild<ParallelForm*>();
    }
    static QCheckBox& box(PlannerPage& page, const char* title)
    {
        for (QCheckBox* found : form(page).findChildren<QCheckBox*>())
            if (found->text() == QString::fromUtf8(title))
                return *found;
        qFatal("The form has no such box.");
    }
    static void click(PlannerPage& page, const char* title) { box(page, title).click(); }
    static QLineEdit& field(PlannerPage& page, const char* title)
    {
        for (QLineEdit* found : form(page).findChildren<QLineEdit*>())
            if (found->accessibleName() == QString::fromUtf8(title))
                return *found;
        qFatal("The form has no such field.");
    }
    static void type(PlannerPage& page, const char* title, const char* value)
    {
        QLineEdit& edit = field(page, title);
        edit.setFocus();
        edit.selectAll();
        QTest::keyClicks(&edit, QString::fromUtf8(value));
        QTest::keyClick(&edit, Qt::Key_Return);
    }
    static void chooseZero(PlannerPage& page, int stage)
    {
        QComboBox& box = *form(page).findChild<QComboBox*>();
        box.setFocus();
        QTest::keyClick(&box, Qt::Key_Home);
        for (int i = 0; i < stage; ++i)
            QTest::keyClick(&box, Qt::Key_Down);
    }
    static std::optional<plan::DataParallel> chosen(PlannerPage& page)
    {
        return page.document().document().choices.parallel;
    }
};

void ParallelFormTest::stepsWithoutGradientsHaveNoForm()
{
    PlannerPage* page = open(tests::sampleFile("gpt2_prompt"));
    QVERIFY(page != nullptr);
    QVERIFY(!form(*page).isVisible());
    page = openPlanned();
    QVERIFY(page != nullptr);
    QVERIFY(form(*page).isVisible());
    QVERIFY(!field(*page, "World").isVisible());
}

void ParallelFormTest::whatIsChosenIsWhatIsPlanned()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const base::Bytes alone = page->document().planned()->unplanned->evaluation().peak;
    click(*page, "Data parallel (DDP)");
    QVERIFY(field(*page, "World").isVisible());
    QCOMPARE(field(*page, "World").text(), text("8"));
    QVERIFY(field(*page, "Bucket").text().isEmpty());
    type(*page, "World", "4");
    type(*page, "Bucket", "10MiB");
    type(*page, "Bus", "12.5GB/s");
    type(*page, "Latency", "7us");
    click(*page, "Gradients in buckets");
    chooseZero(*page, 1);
    QVERIFY(isDone(*page));
    QVERIFY(chosen(*page));
    QCOMPARE(plan::dataParallelText(*chosen(*page)),
             std::string{"world=4,bucket=10485760,busbw=12500000000,latency=7000ns,views,zero=1"});
    page->document().commitBudget(base::Bytes{std::int64_t{2100} << 20U});
    QVERIFY(isDone(*page));
    const plan::VerifiedPlanPtr best = page->document().outcome().best;
    QVERIFY(best && !best->plan().recomputesNothing());
    const workspace::Choices& choices = page->document().document().choices;
    const QJsonObject told =
        tests::runCli({text("plan"), tests::sampleFile("resnet18"), text("--json"),
                       text("--budget"), text("2100MiB"), text("--planner"),
                       QString::fromStdString(choices.planner), text("--ddp"),
                       text("world=4,bucket=10MiB,busbw=12.5GB/s,latency=7us,views"),
                       text("--zero"), text("1")})
            .json();
    QCOMPARE(told[text("peak_bytes")].toInteger(), best->evaluation().peak.count());
    QCOMPARE(told[text("step_time_ns")].toInteger(), best->evaluation().stepTime.count());
    const plan::Communication& spent = *best->evaluation().communication;
    QCOMPARE(told[text("data_parallel")][text("exposed_time_ns")].toInteger(),
             spent.exposed.count());
    const QList<TextLabel*> lines = form(*page).findChildren<TextLabel*>();
    const QString shown = lines[lines.size() - 2]->text();
    QVERIFY2(shown.contains(ui::timeText(spent.exposed + spent.gatherExposed)), qPrintable(shown));
    QCOMPARE(lines.last()->text(), QStringLiteral("Copies and synchronization take %1")
                                       .arg(ui::timeText(spent.sync + spent.copies)));
    // Off again: a process by itself, whose plans are known.
    click(*page, "Data parallel (DDP)");
    QVERIFY(isDone(*page));
    QVERIFY(!chosen(*page));
    QCOMPARE(page->document().planned()->unplanned->evaluation().peak, alone);
}

void ParallelFormTest::zeroThreeLeavesOutWhatIsDdps()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    click(*page, "Data parallel (DDP)");
    type(*page, "Bucket", "10MiB");
    QVERIFY(isDone(*page));
    const base::Bytes ddp = page->document().planned()->unplanned->evaluation().peak;
    chooseZero(*page, 3);
    QVERIFY(isDone(*page));
    QCOMPARE(chosen(*page)->zero, std::int64_t{3});
    QVERIFY(!chosen(*page)->bucket);
    QVERIFY(!field(*page, "Bucket").isEnabled() && !box(*page, "Reduce manually").isEnabled());
    QVERIFY(field(*page, "World").isEnabled());
    const plan::Evaluation& unplanned = page->document().planned()->unplanned->evaluation();
    QVERIFY(unplanned.peak < ddp);
    const QJsonObject told =
        tests::runCli({text("plan"), tests::sampleFile("resnet18"), text("--json"),
                       text("--budget"), text("100%"), text("--planner"), text("every-block"),
                       text("--ddp"), text("world=8"), text("--zero"), text("3")})
            .json();
    QCOMPARE(told[text("base_peak_bytes")].toInteger(), unplanned.peak.count());
    QCOMPARE(told[text("base_step_time_ns")].toInteger(), unplanned.stepTime.count());
    chooseZero(*page, 0);
    QVERIFY(isDone(*page));
    QVERIFY(field(*page, "Bucket").isEnabled());
}

void ParallelFormTest::impossibleValuesGetASentence()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    click(*page, "Data parallel (DDP)");
    QVERIFY(isDone(*page));
    const auto before = chosen(*page);
    auto* sentence = form(*page).findChild<QLabel*>();
    for (const auto& [title, value] :
         {std::pair{"World", "1"}, {"Bucket", "big"}, {"Bus", "0"}, {"Latency", "5"}}) {
        type(*page, title, value);
        QVERIFY2(sentence->isVisible() && sentence->text().endsWith(u'.'), title);
        QVERIFY2(!sentence->text().contains(text("is a line such as")), title);
        QVERIFY2(sentence->text().startsWith(QString::fromUtf8(title)), // its own label
                 qPrintable(sentence->text()));
        QCOMPARE(chosen(*page), before);
        QVERIFY(field(*page, title).text() != QString::fromUtf8(value));
    }
    type(*page, "World", "16");
    QVERIFY(!sentence->isVisible());
    QCOMPARE(chosen(*page)->world, std::int64_t{16});
}

void ParallelFormTest::undoAndTheSessionKeepIt()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    click(*page, "Data parallel (DDP)");
    click(*page, "Reduce manually");
    QVERIFY(isDone(*page));
    const auto before = chosen(*page);
    QVERIFY(before && before->manual);
    trigger("edit.undo");
    QVERIFY(!chosen(*page)->manual && !box(*page, "Reduce manually").isChecked());
    trigger("edit.redo");
    QCOMPARE(chosen(*page), before);
    QVERIFY(isDone(*page));
    const base::Bytes peak = page->document().planned()->unplanned->evaluation().peak;
    const QString file = QString::fromStdString(m_folder->file("work.plimsoll"));
    QSignalSpy saved{page, &DocumentPage::sessionSaved};
    m_window->saveTo(*page, file);
    QVERIFY(saved.wait(kPatience));
    m_window->closePage(*m_window->pages().front());
    page = open(file);
    QVERIFY(page != nullptr);
    QVERIFY(isDone(*page));
    QCOMPARE(chosen(*page), before);
    QVERIFY(box(*page, "Reduce manually").isChecked());
    QCOMPARE(page->document().planned()->unplanned->evaluation().peak, peak);
    const QJsonObject told =
        tests::runCli({text("session"), text("show"), file, text("--json")}).json();
    QCOMPARE(told[text("problem")][text("data_parallel")].toString().toStdString(),
             plan::dataParallelText(*before));
}

} // namespace

PLIMSOLL_TEST(ParallelFormTest, QApplication)
#include "parallel_form_test.moc"
