// SPDX-License-Identifier: Apache-2.0
// Which files belong together, and which times are of one machine.
#include "core/compare/belongs.h"

#include "core/device/known_devices.h"
#include "core/plan_file/plan_json.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <memory>

namespace {

using namespace plimsoll;

graph::ProgramPtr program(const char* target, std::optional<std::int64_t> time)
{
    graph::Program copy = *tests::longChain(2);
    copy.header.modelClass = "Net";
    copy.header.batch = "8x3 float32";
    copy.header.target = target;
    if (time)
        for (graph::Op& op : copy.ops)
            op.measured = base::Nanoseconds{*time};
    return std::make_shared<const graph::Program>(std::move(copy));
}

plan::Problem problemOf(graph::ProgramPtr of, std::string_view device)
{
    plan::Problem problem = tests::unlimitedProblem(std::move(of));
    problem.device = plan::findDevice(device).value();
    return problem;
}

compare::Measurement measured(compare::Backend backend, const char* device)
{
    compare::Measurement measurement;
    measurement.modelClass = "Net";
    measurement.backend = backend;
    measurement.device = device;
    return measurement;
}

class BelongsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tellsStepsApart();
    void tellsPlansApart();
    void tellsTimesApart();
    void knowsDevicesByPyTorchsNames_data();
    void knowsDevicesByPyTorchsNames();
};

void BelongsTest::tellsStepsApart()
{
    const graph::ProgramPtr step = program("cpu", std::nullopt);
    compare::Measurement measurement = measured(compare::Backend::Cpu, "cpu");
    QCOMPARE(compare::otherStep(measurement, *step), std::string{}); // an older file: no batch
    measurement.batch = "8x3 float32";
    QCOMPARE(compare::otherStep(measurement, *step), std::string{});
    measurement.batch = "9x3 float32";
    QCOMPARE(
        compare::otherStep(measurement, *step),
        std::string{
            "The measured steps took 9x3 float32, the graph's step takes 8x3 float32: use a graph "
            "of that batch, or select it with --at if the graph was traced at several sizes."});
    measurement.modelClass = "Other";
    QCOMPARE(compare::otherStep(measurement, *step),
             std::string{"The measurement is of a model of class Other, the graph of one of class "
                         "Net: use the graph of the model that was measured."});
}

void BelongsTest::tellsPlansApart()
{
    plan::PlanFile file;
    file.info.budget = base::Bytes{2000};
    file.info.peak = base::Bytes{1500};
    const compare::MeasuredPlan same{"checkpoint", "module", "rotor", base::Bytes{2000},
                                     base::Bytes{1500}};
    QCOMPARE(compare::otherPlan(same, file), std::string{});
    QCOMPARE(compare::otherPlan({"checkpoint", "module", "rotor", {}, {}}, file), std::string{});
    compare::MeasuredPlan other = same;
    other.peak = base::Bytes{1501};
    QCOMPARE(compare::otherPlan(other, file),
             std::string{"The second run was measured under another plan: its peak was 1,501 B, "
                         "this plan's is 1,500 B; use the plan that it was measured under."});
    other.budget = base::Bytes{1};
    QVERIFY(compare::otherPlan(other, file).find("its budget was 1 B") != std::string::npos);
    other.freezeStats = true;
    QVERIFY(compare::otherPlan(other, file).find("its freeze_stats was true") != std::string::npos);
    other.freezeStats = false;
    other.granularity = "op";
    QVERIFY(compare::otherPlan(other, file).find("its granularity was op") != std::string::npos);
    other.runtime = "step";
    QVERIFY(compare::otherPlan(other, file).find("its runtime was step") != std::string::npos);
}

void BelongsTest::tellsTimesApart()
{
    const auto says = [](compare::Backend backend, const char* device, const char* target,
                         std::optional<std::int64_t> time = std::nullopt) {
        return compare::otherTimes(measured(backend, device),
                                   problemOf(program(target, time), "a100-80gb"));
    };
    QCOMPARE(
        says(compare::Backend::Cpu, "cpu", "cpu"),
        std::string{
            "Times are not compared: the steps ran on cpu, the prediction is for A100 80GB SXM."});
    QCOMPARE(says(compare::Backend::Cpu, "cpu", "cpu", 5), std::string{});
    QCOMPARE(says(compare::Backend::Cpu, "cpu", "cuda", 5),
             std::string{"Times are not compared: the steps ran on cpu, the prediction is for the "
                         "ops that were measured for a graph traced for cuda."});
    const char* gpu = "NVIDIA A100-SXM4-80GB";
    QCOMPARE(says(compare::Backend::Cuda, gpu, "cuda"), std::string{});
    QVERIFY(!says(compare::Backend::Cuda, gpu, "cpu").empty());
    QVERIFY(!says(compare::Backend::Cuda, "NVIDIA H100 80GB HBM3", "cuda").empty());
}

void BelongsTest::knowsDevicesByPyTorchsNames_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("device");
    QTest::addColumn<bool>("same");
    const auto row = [](const char* name, const char* device, bool same) {
        QTest::addRow("%s, %s", name, device) << QByteArray{name} << QByteArray{device} << same;
    };
    row("NVIDIA A100-SXM4-80GB", "a100-80gb", true);
    row("NVIDIA A100-SXM4-40GB", "a100-80gb", false);
    row("NVIDIA H100 80GB HBM3", "h100", true);
    row("NVIDIA H200", "h100", false);
    row("NVIDIA GeForce RTX 4090", "rtx-4090", true);
    row("NVIDIA GeForce RTX 4080", "rtx-4090", false);
    row("Tesla V100-SXM2-32GB", "v100-32gb", true);
    row("Tesla T4", "t4", true);
    row("NVIDIA L40S", "l4", false);
    row("AMD Instinct MI300X", "mi300x", true);
    row("NVIDIA My GPU", "name=My GPU,memory=1GiB,bandwidth=1G,float32=1T", true);
    row("NVIDIA Her GPU", "name=My GPU,memory=1GiB,bandwidth=1G,float32=1T", false);
    row("cpu", "t4", false);
}

void BelongsTest::knowsDevicesByPyTorchsNames()
{
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, device);
    QFETCH(bool, same);
    QCOMPARE(compare::isDevice(name.toStdString(), plan::findDevice(device.toStdString()).value()),
             same);
}

} // namespace

PLIMSOLL_TEST(BelongsTest, QCoreApplication)
#include "belongs_test.moc"
