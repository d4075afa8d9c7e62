// SPDX-License-Identifier: Apache-2.0
// The rows of the page What Fits: filled in place, in words, with the figures of the search.
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/theme.h"
#include "ui/fits_page/device_fit_model.h"
#include "ui/fits_page/fit_settings.h"
#include "ui/fits_page/largest_size_model.h"

#include "tests/support/planned_sample.h"
#include "tests/support/test_main.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using base::Bytes;
using workspace::Choices;
using workspace::FitStatus;
using workspace::SizeStatus;
using Tester = QAbstractItemModelTester;

class FitModelsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRowOfEachKind_data();
    void aRowOfEachKind();
    void gpusAreSortedByMemoryAndFilledInPlace();
    void otherGpusKeepTheAnswers();
    void aLargestSizeOfEachKind_data();
    void aLargestSizeOfEachKind();
    void aSearchThatIsNotOverSaysSo();
    void formerSettingsAreNamed();
    void aReserveIsThatOfEachGpu();
    void theSizeOfAnAxisDoesNotOutdateItsOwnRows();

private:
    /// On an A100 with that memory.
    [[nodiscard]] Choices choicesFor(Bytes memory, const std::string& planner) const
    {
        Choices choices = tests::defaultChoices();
        choices.device.memory = memory;
        choices.planner = planner;
        choices.reserve = workspace::reservedWorkspaces(*m_resnet, choices.device).all();
        return choices;
    }
    [[nodiscard]] FitSettings settings() const
    {
        return {m_varied, tests::defaultChoices(), Bytes{1 << 20}, {}, plan::builtInDevices()};
    }

    ui::Theme m_theme;
    graph::ProgramPtr m_resnet = tests::programOf(tests::samplePath("resnet18"));
    graph::ProgramPtr m_varied =
        tests::programOf(tests::repositoryPath("tests/data/varied.plimsoll.json"));
};

QString textAt(const QAbstractItemModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

workspace::DeviceFit noPlanOn(const plan::Device& device)
{
    workspace::DeviceFit fit;
    fit.device = device;
    fit.status = FitStatus::NoPlan;
    fit.isOver = true;
    return fit;
}

/// The first and the last row of each signal.
QList<int> changedRows(const QSignalSpy& spy)
{
    QList<int> rows;
    for (const QList<QVariant>& signal : spy)
        rows << signal[0].toModelIndex().row() << signal[1].toModelIndex().row();
    return rows;
}

void FitModelsTest::aRowOfEachKind_data()
{
    QTest::addColumn<QString>("planner");
    QTest::addColumn<qint64>("mebibytes"); // 0: the unplanned peak
    QTest::addColumn<QString>("words");
    QTest::addColumn<bool>("isRunning");
    const auto row = [](const char* planner, qint64 mebibytes, const char* words, bool isRunning) {
        QTest::addRow("%s", words)
            << QString::fromUtf8(planner) << mebibytes << QString::fromUtf8(words) << isRunning;
    };
    row("rotor", 8192, "Fits without a plan", true);
    row("none", 3072, "Fits without a plan, empties cache", true);
    row("rotor", 3072, "Fits with a plan", true);
    row("none", 0, "Fails by fragmentation", false);
    row("rotor", 1024, "No plan fits", false);
}

void FitModelsTest::aRowOfEachKind()
{
    QFETCH(QString, planner);
    QFETCH(qint64, mebibytes);
    QFETCH(QString, words);
    QFETCH(bool, isRunning);
    Choices choices = choicesFor(Bytes{mebibytes * base::kMiB}, planner.toStdString());
    if (mebibytes == 0)
        choices.device.memory =
            workspace::unplannedStep(m_resnet, choices, {})->unplanned->evaluation().peak;
    DeviceFitModel model;
    const Tester tester{&model, Tester::FailureReportingMode::Fatal};
    model.setDevices({choices.device}, true);
    QCOMPARE(textAt(model, 0, DeviceFitModel::StatusColumn), QStringLiteral("Not known yet"));
    QCOMPARE(textAt(model, 0, DeviceFitModel::LeastColumn), unknownText());

    const auto fits = workspace::deviceFits(m_resnet, {choices}, {}, {}).value();
    model.setFit(fits[0]);
    QCOMPARE(textAt(model, 0, DeviceFitModel::StatusColumn), words);
    QCOMPARE(textAt(model, 0, DeviceFitModel::MemoryColumn), capacityText(choices.device.memory));
    QCOMPARE(textAt(model, 0, DeviceFitModel::LeastColumn),
             bytesText(*fits[0].leastBudget, Rounding::Up));
    QCOMPARE(model.rowAt(0).stepTime.has_value(), isRunning);
    if (!isRunning) {
        for (const auto column : {DeviceFitModel::SlowDownColumn, DeviceFitModel::TimeColumn})
            QCOMPARE(textAt(model, 0, column), unknownText());
        return;
    }
    const auto step = fits[0].plan->evaluation().stepTime;
    const double slower =
        static_cast<double>(step.count())
            / static_cast<double>(fits[0].unplanned->evaluation().stepTime.count())
        - 1;
    QCOMPARE(textAt(model, 0, DeviceFitModel::SlowDownColumn), percentDifferenceText(slower));
    QCOMPARE(textAt(model, 0, DeviceFitModel::TimeColumn), timeText(step));
    QCOMPARE(model.rowAt(0).maker.isEmpty(), fits[0].status == FitStatus::Unplanned);
}

void FitModelsTest::gpusAreSortedByMemoryAndFilledInPlace()
{
    DeviceFitModel model;
    const Tester tester{&model, Tester::FailureReportingMode::Fatal};
    const std::vector<plan::Device>& devices = plan::builtInDevices();
    model.setDevices(devices, true);
    QCOMPARE(model.rowCount(), static_cast<int>(devices.size()));
    for (int row = 1; row < model.rowCount(); ++row)
        QVERIFY(model.rowAt(row - 1).device.memory <= model.rowAt(row).device.memory);
    QSignalSpy reset{&model, &QAbstractItemModel::modelReset};
    QSignalSpy changed{&model, &QAbstractItemModel::dataChanged};
    model.setFit(noPlanOn(devices[0]));
    const auto at = changedRows(changed);
    QCOMPARE(at.size(), 2);
    QVERIFY(model.rowAt(at[0]).device == devices[0] && at[0] == at[1]);
    QCOMPARE(textAt(model, at[0], DeviceFitModel::StatusColumn), QStringLiteral("No plan fits"));
    QCOMPARE(textAt(model, at[0], DeviceFitModel::LeastColumn), QStringLiteral("none"));
    model.setFit(noPlanOn(devices[0]));
    QCOMPARE(changed.size(), 1);
    QCOMPARE(reset.size(), 0);
    // The chosen one is told by a glyph, and to screen readers.
    model.setChosen(devices[0].id);
    const QModelIndex chosen = model.index(at[0], DeviceFitModel::NameColumn);
    QCOMPARE(chosen.data(Qt::AccessibleTextRole).toString(),
             chosen.data().toString() + QStringLiteral(", chosen"));
    const auto glyph = [&model](int row) {
        return model.index(row, 0).data(Qt::DecorationRole).value<QIcon>().pixmap(16).toImage();
    };
    const int other = at[0] == 0 ? 1 : 0;
    QVERIFY(glyph(at[0]) != glyph(other));
    QCOMPARE(model.index(other, 0).data(Qt::AccessibleTextRole), model.index(other, 0).data());
}

void FitModelsTest::otherGpusKeepTheAnswers()
{
    DeviceFitModel model;
    const Tester tester{&model, Tester::FailureReportingMode::Fatal};
    std::vector<plan::Device> devices = plan::builtInDevices();
    model.setDevices(devices, true);
    model.setFit(noPlanOn(devices[1]));
    devices.push_back(devices[0]);
    devices.back().id = "mine";
    devices.back().memory = Bytes{1};
    model.setDevices(devices, false);
    QCOMPARE(model.rowCount(), static_cast<int>(devices.size()));
    QCOMPARE(model.rowAt(0).device.id, std::string{"mine"});
    const auto known = [&model] {
        int count = 0;
        for (int row = 0; row < model.rowCount(); ++row)
            count += model.rowAt(row).status ? 1 : 0;
        return count;
    };
    QCOMPARE(known(), 1);
    model.setDevices(devices, true);
    QCOMPARE(known(), 0);
    devices.back().id = "unlisted";
    model.setFit(noPlanOn(devices.back()));
    QCOMPARE(known(), 0);
}

void FitModelsTest::aLargestSizeOfEachKind_data()
{
    QTest::addColumn<int>("status"); // of the next size
    QTest::addColumn<QString>("next");
    const auto row = [](SizeStatus status, const char* next) {
        QTest::addRow("%s", next) << static_cast<int>(status) << QString::fromUtf8(next);
    };
    row(SizeStatus::Infeasible, "12: no plan is possible");
    row(SizeStatus::NotFound, "12: no plan was found");
    row(SizeStatus::Fails, "12: fails by fragmentation");
    row(SizeStatus::Refused, "12: The law stops.");
}

void FitModelsTest::aLargestSizeOfEachKind()
{
    QFETCH(int, status);
    QFETCH(QString, next);
    LargestSizeModel model;
    const Tester tester{&model, Tester::FailureReportingMode::Fatal};
    model.setQuestions(sizeQuestions(settings()));
    workspace::LargestSize found;
    found.next = {.size = 12,
                  .status = static_cast<SizeStatus>(status),
                  .refusal = status == static_cast<int>(SizeStatus::Refused) ? "The law stops."
                                                                             : std::string{}};
    found.isOver = true;
    model.setFound(0, found);
    QCOMPARE(textAt(model, 0, LargestSizeModel::SizeColumn), QStringLiteral("none"));
    QCOMPARE(textAt(model, 0, LargestSizeModel::NextColumn),
             QString{next}.replace(QStringLiteral("12:"), QStringLiteral("12, smallest:")));

    const auto planned = workspace::planGraph(m_varied, tests::defaultChoices(), {}).value();
    found.largest = {.size = 11,
                     .status = SizeStatus::Runs,
                     .unplanned = planned->unplanned,
                     .plan = planned->frontier->points().front()};
    model.setFound(0, found);
    const plan::Evaluation& plan = found.largest->plan->evaluation();
    QCOMPARE(textAt(model, 0, LargestSizeModel::SizeColumn), QStringLiteral("11"));
    QCOMPARE(textAt(model, 0, LargestSizeModel::NextColumn), next);
    QCOMPARE(textAt(model, 0, LargestSizeModel::PeakColumn), bytesText(plan.peak, Rounding::Up));
    QCOMPARE(textAt(model, 0, LargestSizeModel::TimeColumn), timeText(plan.stepTime));
    QCOMPARE(textAt(model, 1, LargestSizeModel::SizeColumn), unknownText());
}

void FitModelsTest::aSearchThatIsNotOverSaysSo()
{
    LargestSizeModel model;
    const Tester tester{&model, Tester::FailureReportingMode::Fatal};
    model.setQuestions(sizeQuestions(settings()));
    QCOMPARE(textAt(model, 0, LargestSizeModel::AxisColumn), QStringLiteral("batch"));
    QCOMPARE(textAt(model, 0, LargestSizeModel::PlannerColumn), QStringLiteral("auto"));
    const auto planned = workspace::planGraph(m_varied, tests::defaultChoices(), {}).value();
    workspace::LargestSize found;
    found.largest = {.size = 8,
                     .status = SizeStatus::Runs,
                     .unplanned = planned->unplanned,
                     .plan = planned->frontier->points().front()};
    found.next = {.size = 16, .status = SizeStatus::NotFound};
    QSignalSpy changed{&model, &QAbstractItemModel::dataChanged};
    model.setFound(0, found);
    QCOMPARE(changedRows(changed), (QList<int>{0, 0}));
    QCOMPARE(textAt(model, 0, LargestSizeModel::SizeColumn), QStringLiteral("≥\u00a08"));
    QCOMPARE(textAt(model, 0, LargestSizeModel::NextColumn), QStringLiteral("Not known yet"));
    found.next.reset();
    found.isOver = true;
    model.setFound(0, found);
    QCOMPARE(textAt(model, 0, LargestSizeModel::SizeColumn), QStringLiteral("8"));
    QCOMPARE(textAt(model, 0, LargestSizeModel::NextColumn),
             QStringLiteral("No larger size can be planned"));
}

void FitModelsTest::formerSettingsAreNamed()
{
    const FitSettings former = settings();
    FitSettings now = former;
    QCOMPARE(formerOfDeviceFits(former, now), QString{});
    QCOMPARE(formerOfLargestSizes(former, now), QString{});
    now.choices.sizes = {{"batch", 5}};
    now.choices.planner = "rotor";
    QCOMPARE(formerOfDeviceFits(former, now), QStringLiteral("batch 4, sequence 6, planner auto"));
    QCOMPARE(formerOfLargestSizes(former, now), formerOfDeviceFits(former, now));
    now = former;
    now.budget = Bytes{2 << 20};
    now.choices.device = *plan::findDevice("t4");
    QCOMPARE(formerOfDeviceFits(former, now), QString{}); // each GPU with all of its memory
    QCOMPARE(formerOfLargestSizes(former, now),
             QStringLiteral("a budget of 1.0\u00a0MiB, A100 80GB SXM"));
    now = former;
    now.choices.reserve = Bytes{1 << 20};
    now.choices.pins = {"keep:*"};
    now.choices.parallel.emplace();
    now.allocator.expandableSegments = true;
    for (const auto& formerOf : {formerOfDeviceFits, formerOfLargestSizes}) {
        QCOMPARE(formerOf(now, former),
                 QStringLiteral("1.0\u00a0MiB in reserve, 1 pin, one of 2 processes, expandable "
                                "segments"));
        QCOMPARE(formerOf(former, now),
                 QStringLiteral("0\u00a0B in reserve, no pins, a single process, no expandable "
                                "segments"));
    }
}

void FitModelsTest::aReserveIsThatOfEachGpu()
{
    FitSettings former = settings();
    former.recorded = m_resnet;
    former.choices = choicesFor(tests::defaultChoices().device.memory, "rotor");
    FitSettings now = former;
    const auto choose = [&](const char* device) {
        workspace::setDevice(now.choices, *m_resnet, *plan::findDevice(device));
    };
    choose("h100"); // its workspaces are larger
    QVERIFY(now.choices.reserve != former.choices.reserve);
    QCOMPARE(formerOfDeviceFits(former, now), QString{});
    // A reserve that is typed is that of every GPU, also if it is as large as the default of some.
    now.choices.reserve = former.choices.reserve;
    QVERIFY(!formerOfDeviceFits(former, now).isEmpty());
}

void FitModelsTest::theSizeOfAnAxisDoesNotOutdateItsOwnRows()
{
    FitSettings former = settings();
    FitSettings now = former;
    now.choices.sizes = {{"batch", 5}};
    QVERIFY(!formerOfLargestSizes(former, now).isEmpty()); // those of sequence are for batch 4
    // With batch as the only axis.
    auto alone = std::make_shared<graph::Program>(*m_varied);
    std::erase_if(alone->vary->axes, [](const graph::Axis& axis) { return axis.name != "batch"; });
    former.recorded = alone;
    now.recorded = alone;
    QCOMPARE(formerOfLargestSizes(former, now), QString{});
    QCOMPARE(formerOfDeviceFits(former, now), QStringLiteral("batch 4"));
}

} // namespace

PLIMSOLL_TEST(FitModelsTest, QApplication)
#include "fit_models_test.moc"
