// SPDX-License-Identifier: Apache-2.0
// A measurement attached to a prediction: how it is added, shown and removed.
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/document_page/pages_dock.h"
#include "ui/models/measured_model.h"
#include "ui/models/step_model.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/shell/status_line.h"

#include "tests/support/measurement_file.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QDropEvent>
#include <QFile>
#include <QHeaderView>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QUrl>

#include <algorithm>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;
using plimsoll::base::Bytes;
namespace plan = plimsoll::plan;
namespace tests = plimsoll::tests;

QWidget* measuredView(const PlannerPage& page)
{
    return page.findChild<QWidget*>(QStringLiteral("measured"));
}

/// The part of these bytes that a measurement has, too.
Bytes withoutReserve(PlannerPage& page, Bytes bytes)
{
    return bytes - page.document().document().choices.reserve;
}

class OverlayTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void isLaidOverByADrop();
    void standsBesideThePredictionInTheTables();
    void showsThePlanThatWasMeasured();
    void keepsWhatIsOpenWhenItIsOfAnotherStep_data();
    void keepsWhatIsOpenWhenItIsOfAnotherStep();
    void waitsForItsGraph();
    void goesAway();
    void staysInTheSession();
    void isLetGoWhileItLoads();
    void offersToFreezeStatisticsWhereThereAreAny();

private:
    /// A measurement of the step without a plan, and of `planned` if given; each step holds `more`
    /// bytes more than predicted.
    QString written(PlannerPage& page, const plan::VerifiedPlanPtr& planned, std::int64_t more);
    void drop(const QString& path);
    static QString cell(const QAbstractItemModel& model, int row, int column)
    {
        return model.index(row, column).data().toString();
    }
};

QString OverlayTest::written(PlannerPage& page, const plan::VerifiedPlanPtr& planned,
                             std::int64_t more)
{
    std::vector<plan::VerifiedPlanPtr> plans{page.document().planned()->unplanned};
    if (planned)
        plans.push_back(planned);
    const QString path = QString::fromStdString(m_folder->file("a.measurement.json"));
    QFile file{path};
    const std::string text = tests::measurementOf(plans, more);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qsizetype(text.size())) < 0)
        return {};
    return path;
}

void OverlayTest::drop(const QString& path)
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter{{200, 200}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier};
    QCoreApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event{{200, 200}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier};
    QCoreApplication::sendEvent(m_window.get(), &event);
}

void OverlayTest::isLaidOverByADrop()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    page->document().commitBudget(page->document().planned()->unplannedNeeds);
    const Bytes top = viewOf<BudgetTimelineView>(*page).axisTop();
    const QImage before = viewOf<BudgetTimelineView>(*page).grab().toImage();
    const QAction& remove = *m_window->findChild<QAction*>(QStringLiteral("file.no_measurement"));
    QVERIFY(!remove.isEnabled());
    QVERIFY(!planDock(*page).holds(measuredView(*page)));
    constexpr std::int64_t kMore = 64 << 20;
    QSignalSpy laid{m_window.get(), &MainWindow::fileAdded};
    drop(written(*page, nullptr, kMore));
    QVERIFY(laid.wait(kPatience));
    QVERIFY(remove.isEnabled());
    QVERIFY(planDock(*page).holds(measuredView(*page)));
    QCOMPARE(m_window->pages().size(), std::size_t{1});
    QVERIFY(viewOf<BudgetTimelineView>(*page).axisTop() >= top); // the measured peak is on the axis
    QVERIFY(viewOf<BudgetTimelineView>(*page).grab().toImage() != before);
    const Bytes peak =
        withoutReserve(*page, page->document().shownPlan()->evaluation().peak) + Bytes{kMore};
    QVERIFY2(viewOf<BudgetTimelineView>(*page).accessibleDescription().contains(
                 QStringLiteral("Measured peak %1.").arg(bytesText(peak, Rounding::Up))),
             qPrintable(viewOf<BudgetTimelineView>(*page).accessibleDescription()));
    // The pages's numbers are those of core/compare.
    auto* model = &viewOf<MeasuredModel>(*page);
    const QAbstractItemModelTester tester{model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    QCOMPARE(cell(*model, 0, MeasuredModel::RunColumn), QStringLiteral("Without a plan"));
    QCOMPARE(cell(*model, 0, MeasuredModel::WhatColumn), QStringLiteral("Allocator peak"));
    QCOMPARE(cell(*model, 0, MeasuredModel::PredictedColumn), bytesText(peak - Bytes{kMore}));
    QCOMPARE(cell(*model, 0, MeasuredModel::MeasuredColumn), bytesText(peak));
    QVERIFY(cell(*model, 0, MeasuredModel::DifferenceColumn).startsWith(QStringLiteral("+64.0")));
}

void OverlayTest::standsBesideThePredictionInTheTables()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    page->document().commitBudget(page->document().planned()->unplannedNeeds);
    QTest::keyClick(&viewOf<BudgetTimelineView>(*page), Qt::Key_T,
                    Qt::ControlModifier | Qt::ShiftModifier);
    QTableView& steps = *page->findChild<QTableView*>(QStringLiteral("steps"));
    const QAbstractItemModelTester tester{steps.model(),
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    QCOMPARE(steps.model()->columnCount(), int{StepModel::MeasuredColumn});
    QSignalSpy laid{m_window.get(), &MainWindow::fileAdded};
    drop(written(*page, nullptr, 1 << 20));
    QVERIFY(laid.wait(kPatience));
    QVERIFY(QTest::qWaitFor(
        [&] { return steps.model()->columnCount() == int{StepModel::ColumnCount}; }, kPatience));
    const auto& timeline = *page->document().shownPlan()->evaluation().timeline;
    QCOMPARE(cell(*steps.model(), 3, StepModel::MeasuredColumn),
             bytesText(withoutReserve(*page, timeline.totalAt(3)) + Bytes{1 << 20}, Rounding::Up));
    QCOMPARE(cell(*steps.model(), 3, StepModel::DifferenceColumn),
             bytesDifferenceText(Bytes{1 << 20}));
    QCOMPARE(cell(*steps.model(), 3, StepModel::TookColumn),
             timeText(plimsoll::base::Nanoseconds{5000}));
    QCOMPARE(cell(*steps.model(), 3, StepModel::AllocatorColumn),
             bytesText(withoutReserve(*page, timeline.totalAt(3)) + Bytes{1 << 20}, Rounding::Up));
    // Beside the predicted sum, not behind all classes.
    QCOMPARE(steps.horizontalHeader()->visualIndex(StepModel::MeasuredColumn),
             int{StepModel::TotalColumn} + 1);
    // A row of a step goes to it.
    auto* table = qobject_cast<QTableView*>(viewOf<MeasuredModel>(*page).parent());
    planDock(*page).showPage(measuredView(*page));
    const MeasuredModel& model = viewOf<MeasuredModel>(*page);
    int row = 0;
    while (row < model.rowCount() && !model.rowAt(row).op)
        ++row;
    QVERIFY(row < model.rowCount());
    table->scrollTo(model.index(row, 1));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(model.index(row, 1)).center());
    QCOMPARE(viewOf<BudgetTimelineView>(*page).cursorStep(), model.rowAt(row).op->index());
}

void OverlayTest::showsThePlanThatWasMeasured()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const plimsoll::run::PlansByBudget& plans = page->document().chooser().plans();
    const plan::VerifiedPlanPtr planned = plans[plans.size() / 2].plan;
    QVERIFY(!planned->plan().recomputesNothing());
    page->document().commitBudget(page->document().planned()->unplannedNeeds);
    QSignalSpy laid{m_window.get(), &MainWindow::fileAdded};
    drop(written(*page, planned, 0));
    QVERIFY(laid.wait(kPatience));
    QCOMPARE(page->strip().count(), std::size_t{1});
    QVERIFY(page->strip().shown().kind == MessageKind::Offer);
    QPushButton* show = buttonOf(page->strip(), "Show that plan");
    QVERIFY(show != nullptr);
    QTest::mouseClick(show, Qt::LeftButton);
    QVERIFY(page->document().shownPlan()->plan() == planned->plan());
    QCOMPARE(page->strip().count(), std::size_t{0}); // its line is there: nothing to offer
    QVERIFY(viewOf<BudgetTimelineView>(*page).accessibleDescription().contains(
        QStringLiteral("Measured peak %1.")
            .arg(bytesText(withoutReserve(*page, planned->evaluation().peak), Rounding::Up))));
    // Under a plan that wasn't measured, the measurement of the unplanned step is shown.
    page->document().commitBudget(page->document().planned()->smallestPeak);
    QVERIFY(viewOf<BudgetTimelineView>(*page).accessibleDescription().contains(
        QStringLiteral("Measured peak %1.")
            .arg(bytesText(
                withoutReserve(*page, page->document().planned()->unplanned->evaluation().peak),
                Rounding::Up))));
}

void OverlayTest::keepsWhatIsOpenWhenItIsOfAnotherStep_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QString>("named");
    QTest::newRow("other model") << QByteArray{"\"model_class\":\""}
                                 << QByteArray{"\"model_class\":\"Other"}
                                 << QStringLiteral("of a model of class Other");
    QTest::newRow("other batch") << QByteArray{"\"saved_bytes\":"}
                                 << QByteArray{"\"saved_bytes\":9"}
                                 << QStringLiteral("Autograd saves 9");
    QTest::newRow("cut short") << QByteArray{"]}]}"} << QByteArray{"]"}
                               << QStringLiteral("not JSON");
}

void OverlayTest::keepsWhatIsOpenWhenItIsOfAnotherStep()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QString, named);
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QSignalSpy laid{m_window.get(), &MainWindow::fileAdded};
    const QString path = written(*page, nullptr, 0);
    currentPage()->addFile(path);
    QVERIFY(laid.wait(kPatience));
    const auto overlay = page->document().document().overlay;
    QFile file{path};
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray text = file.readAll();
    QVERIFY(text.contains(from));
    text.replace(from, to);
    file.resize(0);
    file.seek(0);
    file.write(text);
    file.close();
    QSignalSpy failed{m_window.get(), &MainWindow::openFailed};
    drop(path);
    QVERIFY(failed.wait(kPatience));
    QCOMPARE(page->strip().count(), std::size_t{1});
    QVERIFY(page->strip().shown().kind == MessageKind::Danger);
    QCOMPARE(page->strip().shown().first,
             QStringLiteral("a.measurement.json could not be overlaid on the prediction."));
    QVERIFY2(page->strip().shown().rest.contains(named), qPrintable(page->strip().shown().rest));
    QVERIFY(page->document().document().overlay == overlay); // the former one stays
}

void OverlayTest::waitsForItsGraph()
{
    QString path;
    {
        PlannerPage* page = openPlanned();
        QVERIFY(page != nullptr);
        path = written(*page, nullptr, 0);
        m_window->closePage(*m_window->pages().front());
    }
    QSignalSpy failed{m_window.get(), &MainWindow::openFailed};
    m_window->openFiles({path});
    QVERIFY(failed.wait(kPatience));
    QVERIFY(failed[0][1].toString().startsWith(QStringLiteral("This file is a measurement")));
    QSignalSpy laid{m_window.get(), &MainWindow::fileAdded};
    m_window->openFiles({path, sampleFile("resnet18")}); // as on a command line
    QVERIFY(laid.wait(kPatience));
    QVERIFY(currentPage()->document().document().overlay != nullptr);
}

void OverlayTest::goesAway()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const QImage before = viewOf<BudgetTimelineView>(*page).grab().toImage();
    QSignalSpy laid{m_window.get(), &MainWindow::fileAdded};
    drop(written(*page, nullptr, 0));
    QVERIFY(laid.wait(kPatience));
    planDock(*page).showPage(measuredView(*page));
    auto* remove =
        measuredView(*page)->findChild<QPushButton*>(QStringLiteral("removeMeasurement"));
    QTest::mouseClick(remove, Qt::LeftButton);
    QVERIFY(page->document().document().overlay == nullptr);
    QVERIFY(!planDock(*page).holds(measuredView(*page)));
    QVERIFY(viewOf<BudgetTimelineView>(*page).grab().toImage() == before);
    QVERIFY(!m_window->findChild<QAction*>(QStringLiteral("file.no_measurement"))->isEnabled());
}

void OverlayTest::staysInTheSession()
{
    const QString file = QString::fromStdString(m_folder->file("work.plimsoll"));
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QSignalSpy saved{page, &DocumentPage::sessionSaved};
    m_window->saveTo(*page, file);
    QVERIFY(saved.wait(kPatience));
    QSignalSpy laid{m_window.get(), &MainWindow::fileAdded};
    drop(written(*page, nullptr, 4096)); // follows into the file
    QVERIFY(laid.wait(kPatience));
    QVERIFY(page->isUnsaved());
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    m_window->closePage(*m_window->pages().front());
    page = open(file);
    QVERIFY(page != nullptr);
    QCOMPARE(page->document().document().notes.size(), std::size_t{0});
    QVERIFY(page->document().document().overlay != nullptr);
    QVERIFY(planDock(*page).holds(measuredView(*page)));
    QVERIFY(viewOf<BudgetTimelineView>(*page).accessibleDescription().contains(
        QStringLiteral("Measured peak")));
    m_window->findChild<QAction*>(QStringLiteral("file.no_measurement"))->trigger();
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    m_window->closePage(*m_window->pages().front());
    page = open(file);
    QVERIFY(page != nullptr);
    QVERIFY(page->document().document().overlay == nullptr);
    QVERIFY(!planDock(*page).holds(measuredView(*page)));
}

void OverlayTest::isLetGoWhileItLoads()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    // A file that takes long: many step times.
    const QString small = written(*page, nullptr, 0);
    QFile file{small};
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray text = file.readAll();
    file.close();
    const QByteArray times = "\"step_times_ns\":[1000";
    QVERIFY(text.contains(times));
    text.replace(times, times + QByteArray{",1000"}.repeated(2'000'000));
    const QString path = QString::fromStdString(m_folder->file("long.measurement.json"));
    QFile large{path};
    QVERIFY(large.open(QIODevice::WriteOnly) && large.write(text) == text.size());
    large.close();

    QSignalSpy laid{m_window.get(), &MainWindow::fileAdded};
    QSignalSpy failed{m_window.get(), &MainWindow::openFailed};
    auto* status = m_window->findChild<StatusLine*>();
    auto* cancel = status->findChild<QPushButton*>();
    drop(path);
    QVERIFY(QTest::qWaitFor([&] { return cancel->isVisible(); }, kPatience));
    QCOMPARE(cancel->text(), QStringLiteral("Cancel"));
    const auto tells = [status](const QString& job) {
        const auto labels = status->findChildren<TextLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const TextLabel* label) {
            return label->isVisible() && label->text() == job;
        });
    };
    QVERIFY(tells(QStringLiteral("Opening long.measurement.json")));
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !cancel->isVisible(); }, kPatience));
    QVERIFY(!tells(QStringLiteral("Opening long.measurement.json")));
    QTest::qWait(50);
    // No result, but no error either.
    QCOMPARE(laid.count() + failed.count(), 0);
    QVERIFY(page->document().document().overlay == nullptr);
    QCOMPARE(page->strip().count(), std::size_t{0});
    QVERIFY(!planDock(*page).holds(measuredView(*page)));
    QVERIFY(page->document().isPlanned());
    // The next one is laid over as ever; so is the same one, asked for again.
    for (const QString& next : {small, path}) {
        drop(next);
        QVERIFY(laid.wait(kPatience));
        const auto& overlay = page->document().document().overlay;
        QVERIFY(overlay != nullptr);
        QCOMPARE(QString::fromStdString(overlay->name), QFileInfo{next}.fileName());
    }
    QCOMPARE(failed.count(), 0);
}

void OverlayTest::offersToFreezeStatisticsWhereThereAreAny()
{
    for (const auto& [sample, has] : {std::pair{"resnet18", true}, std::pair{"gpt2", false}}) {
        PlannerPage* page = open(sampleFile(sample));
        QVERIFY(page != nullptr);
        const auto* row = page->findChild<QWidget*>(QStringLiteral("freeze-stats"));
        QVERIFY(row != nullptr);
        QCOMPARE(row->isVisibleTo(row->parentWidget()), has);
    }
}

} // namespace

PLIMSOLL_TEST(OverlayTest, QApplication)
#include "overlay_test.moc"
