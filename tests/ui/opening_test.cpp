// SPDX-License-Identifier: Apache-2.0
// With which GPU and budget files open, what is asked, and what is planned.
#include "ui/start_page/opening.h"

#include "core/device/known_devices.h"
#include "core/workspace/composition.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/frontier/frontier_view.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_panel/verdict_box.h"
#include "ui/start_page/samples.h"
#include "ui/start_page/start_page.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFile>
#include <QPushButton>
#include <QTest>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using namespace plimsoll::tests;

class OpeningTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { closeWindow(); }
    void asksForTheGpuOnce();
    void theStartPageTellsTheGpu();
    void plansNothingUntilTheLineIsDragged();
    void plansNothingForAnotherGpuEither();
    void aSampleOpensOnAGpuThatIsTooSmall();
    void everySampleNeedsAPlanOnItsGpu();
    void theLineIsThereAtOnce();
    void tellsOfEachFileThatCannotBeOpened();

private:
    /// A file of the user's.
    [[nodiscard]] QString own(const char* name = "resnet18") const
    {
        const QString path =
            QString::fromStdString(m_folder->file(std::string{"my_"} + name + ".plimsoll.json.gz"));
        QFile::copy(sampleFile(name), path);
        return path;
    }
};

void OpeningTest::init()
{
    openWindow({1440, 900}, std::nullopt, [this](PageRegistry& registry) {
        registry.documents = workspace::documentKinds(
            openingOf(*m_settings, std::nullopt, *plan::findDevice(plan::kDefaultDevice)));
    });
}

QString verdictOf(PlannerPage& page)
{
    return viewOf<VerdictBox>(page).sentence();
}

bool waitForVerdict(PlannerPage& page, const char* beginning)
{
    return QTest::qWaitFor([&] { return verdictOf(page).startsWith(QString::fromUtf8(beginning)); },
                           20'000);
}

QComboBox* gpuBox(const QWidget& panel)
{
    for (QComboBox* box : panel.findChildren<QComboBox*>())
        if (box->findData(QStringLiteral("rtx-4090")) >= 0)
            return box;
    return nullptr;
}

/// Picks an entry as a person does: in the open list, with the keyboard.
void pick(QComboBox& box, const char* id)
{
    const int row = box.findData(QString::fromLatin1(id));
    QVERIFY(row >= 0);
    box.view()->setCurrentIndex(box.model()->index(row, 0));
    QTest::keyClick(box.view(), Qt::Key_Return);
}

void OpeningTest::asksForTheGpuOnce()
{
    PlannerPage* page = open(own());
    QVERIFY(page != nullptr);
    const std::string guessed = page->document().document().choices.device.id;
    const base::Bytes suggested = page->document().budget();
    QCOMPARE(page->strip().count(), std::size_t{1});
    QCOMPARE(page->strip().shown().first, QStringLiteral("For which GPU?"));
    QPushButton* button = buttonOf(page->strip(), "Choose GPU…");
    QVERIFY(button != nullptr);
    QTest::mouseClick(button, Qt::LeftButton);
    QComboBox* box = gpuBox(viewOf<BudgetPanel>(*page));
    QVERIFY(box != nullptr && QTest::qWaitFor([box] { return box->view()->isVisible(); }));
    pick(*box, "rtx-4090");
    const plan::Device gpu = *plan::findDevice("rtx-4090");
    QCOMPARE(m_settings->gpu(), QStringLiteral("rtx-4090"));
    QCOMPARE(page->strip().count(), std::size_t{0});
    QCOMPARE(page->document().document().choices.device.id, gpu.id);
    QCOMPARE(page->document().budget().count(), gpu.memory.count());
    QVERIFY(waitForVerdict(*page, "Fits 23.99"));
    // The answer is one step: GPU and budget go back together, and come again.
    QCOMPARE(page->document().undoStack().count(), 1);
    page->document().undoStack().undo();
    QCOMPARE(page->document().document().choices.device.id, guessed);
    QCOMPARE(page->document().budget().count(), suggested.count());
    QVERIFY(QTest::qWaitFor([&] { return isDone(*page); }, kPatience));
    QCOMPARE(pictureFault(*page), QString{});
    page->document().undoStack().redo();
    QCOMPARE(page->document().document().choices.device.id, gpu.id);
    QCOMPARE(page->document().budget().count(), gpu.memory.count());
    QVERIFY(waitForVerdict(*page, "Fits 23.99"));
    QCOMPARE(pictureFault(*page), QString{});
    // From now on files open at its memory, and nothing is asked.
    PlannerPage* second = open(own("unet"));
    QVERIFY(second != nullptr && second != page);
    QCOMPARE(second->strip().count(), std::size_t{0});
    QCOMPARE(second->document().document().choices.device.id, gpu.id);
    QCOMPARE(second->document().budget().count(), gpu.memory.count());
    // Another one for this document doesn't change the answer. Its memory is the budget, as that of
    // the former one was.
    pick(*gpuBox(viewOf<BudgetPanel>(*second)), "rtx-4070");
    QCOMPARE(second->document().document().choices.device.id, std::string{"rtx-4070"});
    QCOMPARE(m_settings->gpu(), QStringLiteral("rtx-4090"));
    QCOMPARE(second->document().budget().count(), plan::findDevice("rtx-4070")->memory.count());
}

void OpeningTest::theStartPageTellsTheGpu()
{
    QComboBox* box = gpuBox(*m_window->findChild<StartPage*>());
    QVERIFY(box != nullptr);
    QCOMPARE(box->currentIndex(), -1);
    pick(*box, "l4");
    QCOMPARE(m_settings->gpu(), QStringLiteral("l4"));
    m_settings->setGpu(QStringLiteral("rtx-4070"));
    QCOMPARE(box->currentData().toString(), QStringLiteral("rtx-4070"));
    PlannerPage* page = open(own("gpt2"));
    QVERIFY(page != nullptr);
    QCOMPARE(page->strip().count(), std::size_t{0});
    QCOMPARE(page->document().budget().count(), plan::findDevice("rtx-4070")->memory.count());
    QVERIFY(page->document().isPlanning()); // 12 GiB are not enough
    m_settings->setGpu(QStringLiteral("no such thing"));
    QCOMPARE(box->currentIndex(), -1);
}

void OpeningTest::plansNothingUntilTheLineIsDragged()
{
    m_settings->setGpu(QStringLiteral("rtx-4060"));
    PlannerPage* page = open(own());
    QVERIFY(page != nullptr);
    DocumentController& document = page->document();
    QVERIFY(document.isDeferred() && !document.isPlanning());
    QVERIFY2(waitForVerdict(*page, "Fits 8.00\u00A0GiB without a plan, 4.0"),
             qPrintable(verdictOf(*page)));
    QCOMPARE(document.planned()->frontier->points().size(), std::size_t{1});
    QVERIFY(viewOf<FrontierView>(*page).accessibleDescription().contains(
        QStringLiteral("Nothing needs to be planned")));
    // Smaller, but enough: still nothing.
    document.commitBudget(document.planned()->unplannedNeeds);
    QVERIFY(document.isDeferred() && !document.isPlanning());
    auto& timeline = viewOf<BudgetTimelineView>(*page);
    const QPoint from = budgetHandle(*page);
    QTest::mousePress(&timeline, Qt::LeftButton, {}, from);
    for (int dy = 4; dy <= 120; dy += 4)
        QTest::mouseMove(&timeline, from + QPoint{0, dy});
    QVERIFY(!document.isDeferred());
    QVERIFY(document.budget() < document.planned()->unplannedNeeds);
    QVERIFY(QTest::qWaitFor([&] { return document.isPlanned(); }, kPatience));
    QTest::mouseRelease(&timeline, Qt::LeftButton, {}, from + QPoint{0, 120});
    QVERIFY(isDone(*page));
    QVERIFY(document.planned()->frontier->points().size() > 1);
    QVERIFY(!document.outcome().best->plan().recomputesNothing());
    document.undoStack().undo();
    QVERIFY(waitForVerdict(*page, "Fits "));
}

/// While the line is not dragged, another GPU changes times, not that all fits.
void OpeningTest::plansNothingForAnotherGpuEither()
{
    m_settings->setGpu(QStringLiteral("rtx-4090"));
    PlannerPage* page = open(own());
    QVERIFY(page != nullptr);
    DocumentController& document = page->document();
    QVERIFY(document.isDeferred());
    const base::Nanoseconds before = document.planned()->unplanned->evaluation().stepTime;
    pick(*gpuBox(viewOf<BudgetPanel>(*page)), "h100");
    QVERIFY(QTest::qWaitFor([&] { return document.isDeferred() && !document.isPlanning(); },
                            kPatience));
    QCOMPARE(document.document().choices.device.id, std::string{"h100"});
    // Nobody has typed the budget: it is the memory of the GPU.
    QCOMPARE(document.budget().count(), plan::findDevice("h100")->memory.count());
    QVERIFY(document.planned()->choices == document.document().choices);
    QVERIFY(document.planned()->unplanned->evaluation().stepTime < before);
    QCOMPARE(document.planned()->frontier->points().size(), std::size_t{1});
    QVERIFY(waitForVerdict(*page, "Fits "));
    document.undoStack().undo();
    QVERIFY(QTest::qWaitFor([&] { return document.isDeferred() && !document.isPlanning(); },
                            kPatience));
    QVERIFY(document.planned()->unplanned->evaluation().stepTime == before);
    // Once planned, another GPU is planned for, too.
    document.commitBudget(base::Bytes{qint64{3} << 30});
    QVERIFY(isDone(*page));
    document.commitBudget(base::Bytes{qint64{20} << 30});
    pick(*gpuBox(viewOf<BudgetPanel>(*page)), "l4");
    QVERIFY(isDone(*page));
    QVERIFY(!document.isDeferred() && document.planned()->frontier->points().size() > 1);
}

void OpeningTest::aSampleOpensOnAGpuThatIsTooSmall()
{
    m_settings->setGpu(QStringLiteral("h200")); // a sample's own GPU comes first
    PlannerPage* page = open(sampleFile("gpt2"));
    QVERIFY(page != nullptr);
    QCOMPARE(page->strip().count(), std::size_t{0});
    QCOMPARE(page->document().document().choices.device.id, std::string{"rtx-4070"});
    QVERIFY(isDone(*page));
    QVERIFY2(waitForVerdict(*page, "Runs with 11.99\u00A0GiB"), qPrintable(verdictOf(*page)));
    QVERIFY(!page->document().outcome().best->plan().recomputesNothing());
}

void OpeningTest::everySampleNeedsAPlanOnItsGpu()
{
    int checked = 0;
    for (const QString& path : sampleFiles()) {
        const std::optional<plan::Device> gpu = gpuOfSample(path);
        if (!gpu)
            continue;
        ++checked;
        const auto opened = workspace::openFile(
            path.toStdString(),
            workspace::documentKinds(
                openingOf(*m_settings, std::nullopt, *plan::findDevice(plan::kDefaultDevice))),
            {});
        QVERIFY(opened);
        const auto& document = dynamic_cast<const workspace::PlanDocument&>(*opened->front());
        QVERIFY(document.choices.device == *gpu && document.budget == gpu->memory);
        QVERIFY2(document.first->unplannedNeeds > gpu->memory, qPrintable(path));
        QVERIFY2(document.first->peakBound.bytes < gpu->memory, qPrintable(path));
    }
    QCOMPARE(checked, 5);
    QVERIFY(!isSample(own()));
}

/// From the first frame on, whatever the planners have told so far.
void OpeningTest::theLineIsThereAtOnce()
{
    PlannerPage* page = open(sampleFile("llama_7b"));
    QVERIFY(page != nullptr);
    const base::Bytes budget = page->document().budget();
    // A first plan may be there already, of which the picture tells below.
    QVERIFY(verdictOf(*page).startsWith(QStringLiteral("Planning for "))
            || page->document().outcome().best);
    QElapsedTimer clock;
    clock.start();
    bool hasPlan = false;
    while (clock.elapsed() < 4000) {
        const QString fault = pictureFault(*page);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
        QCOMPARE(page->document().budget().count(), budget.count());
        hasPlan = hasPlan || page->document().outcome().best;
        QTest::qWait(5);
    }
    QVERIFY(hasPlan);
    page->document().stopPlanning();
}

void OpeningTest::tellsOfEachFileThatCannotBeOpened()
{
    QSignalSpy failed{m_window.get(), &MainWindow::openFailed};
    const QStringList bad{QString::fromStdString(m_folder->fileWith("one.json", "{\"format\":")),
                          QString::fromStdString(m_folder->fileWith("two.json", "[")),
                          QStringLiteral("/nowhere/three.json")};
    m_window->openFiles(bad);
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 3, kPatience);
    QString told;
    for (const QWidget* label : m_window->startPage().findChildren<QWidget*>())
        told += label->property("text").toString() + u'\n';
    for (const TextLabel* label : m_window->startPage().findChildren<TextLabel*>())
        told += label->text() + u'\n';
    QVERIFY2(told.contains(QStringLiteral("3 files could not be opened")), qPrintable(told));
    for (const char* name : {"one.json", "two.json", "three.json"})
        QVERIFY2(told.contains(QString::fromLatin1(name)), qPrintable(told));
    // Beside one that opens: on its page, one message each.
    failed.clear();
    m_window->openFiles(bad + QStringList{sampleFile("resnet18")});
    QTRY_VERIFY_WITH_TIMEOUT(m_window->pages().size() == 1 && failed.count() == 3, kPatience);
    QTRY_VERIFY(currentPage() != nullptr && currentPage()->strip().count() >= 3);
}

} // namespace

PLIMSOLL_TEST(OpeningTest, QApplication)
#include "opening_test.moc"
