// SPDX-License-Identifier: Apache-2.0
#include "core/compare/measurement.h"

#include "tests/support/test_main.h"

#include <QByteArray>
#include <QTest>

#include <string>

using namespace plimsoll;

namespace {

/// Two runs: three ops, then four, the last of which repeats the first.
const QByteArray kFile =
    R"({"format":"plimsoll-measurement","version":1,"exporter":"0.1.0","torch":"2.15.0",
"model":"toy","model_class":"Toy","batch":"4x3 float32","backend":"cpu","device":"cpu","threads":2,"runs":[
{"plan":null,"step_time_ns":20,"step_times_ns":[10,20,40],"resident_bytes":100,"saved_bytes":60,"live_peak_bytes":300,
"live_peak_op":1,"allocator_peak_bytes":310,"allocator_peak_op":1,"reserved_peak_bytes":null,"snapshot":null,
"fingerprint":"6da73c610f10d9eb","targets":["aten.relu.default","aten.mm.default"],
"ops":[[0,0,-1,5,200,null],[1,2,-1,null,300,310],[1,3,-1,7,250,240]]},
{"plan":{"runtime":"checkpoint","granularity":"module","planner":"rotor","budget_bytes":9,"peak_bytes":8},
"step_time_ns":30,"step_times_ns":[30],"resident_bytes":100,"saved_bytes":20,"live_peak_bytes":200,"live_peak_op":0,
"allocator_peak_bytes":205,"allocator_peak_op":0,"reserved_peak_bytes":512,"snapshot":"s.pickle",
"fingerprint":"8fd67096999deac7","targets":["aten.relu.default"],"ops":[[0,0,-1,1,200,205],[0,2,0,1,150,150]]}]})";

class MeasurementTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsEachNumber();
    void aRunWithoutOpsIsRead();
    void aRunWithoutTimesIsRead();
    void isKnownByItsHead();
    void refusesWhatIsWrong_data();
    void refusesWhatIsWrong();
    void refusesEachCutFile();
};

void MeasurementTest::readsEachNumber()
{
    const auto read = compare::readMeasurement(kFile.toStdString());
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QCOMPARE(read->torch, std::string{"2.15.0"});
    QCOMPARE(read->model, std::string{"toy"});
    QCOMPARE(read->modelClass, std::string{"Toy"});
    QCOMPARE(read->batch, std::string{"4x3 float32"});
    QVERIFY(read->backend == compare::Backend::Cpu);
    QCOMPARE(read->threads, std::int64_t{2});
    QCOMPARE(read->runs.size(), std::size_t{2});
    const compare::MeasuredRun& unplanned = read->runs[0];
    QVERIFY(!unplanned.plan);
    QCOMPARE(unplanned.stepTime->count(), std::int64_t{20});
    QCOMPARE(unplanned.stepTimes.size(), std::size_t{3});
    QCOMPARE(unplanned.resident.count(), std::int64_t{100});
    QCOMPARE(unplanned.saved->count(), std::int64_t{60});
    QCOMPARE(unplanned.livePeak->count(), std::int64_t{300});
    QCOMPARE(unplanned.allocatorPeak->count(), std::int64_t{310});
    QCOMPARE(*unplanned.allocatorPeakOp, std::size_t{1});
    QVERIFY(!unplanned.reservedPeak);
    QCOMPARE(unplanned.fingerprint, std::string{"6da73c610f10d9eb"});
    QCOMPARE(unplanned.ops.size(), std::size_t{3});
    QCOMPARE(unplanned.targets[unplanned.ops[1].target], std::string{"aten.mm.default"});
    QVERIFY(unplanned.ops[1].phase == graph::Phase::Backward);
    QVERIFY(!unplanned.ops[1].time);
    QCOMPARE(unplanned.ops[2].time->count(), std::int64_t{7});
    QCOMPARE(unplanned.ops[2].live.count(), std::int64_t{250});
    QVERIFY(!unplanned.ops[0].allocator);
    QCOMPARE(unplanned.ops[2].allocator->count(), std::int64_t{240});
    const compare::MeasuredRun& planned = read->runs[1];
    QCOMPARE(planned.plan->planner, std::string{"rotor"});
    QCOMPARE(planned.plan->runtime, std::string{"checkpoint"});
    QCOMPARE(planned.plan->granularity, std::string{"module"});
    QCOMPARE(planned.plan->budget->count(), std::int64_t{9});
    QCOMPARE(planned.plan->peak->count(), std::int64_t{8});
    QCOMPARE(planned.reservedPeak->count(), std::int64_t{512});
    QCOMPARE(*planned.ops[1].recomputeOf, std::uint32_t{0});
}

/// The step runtime: only the allocator knows.
void MeasurementTest::aRunWithoutOpsIsRead()
{
    QByteArray file = kFile;
    file.replace(R"("ops":[[0,0,-1,1,200,205],[0,2,0,1,150,150]])", R"("ops":[])");
    file.replace(R"("live_peak_bytes":200)", R"("live_peak_bytes":null)");
    file.replace(R"("fingerprint":"8fd67096999deac7")", R"("fingerprint":null)");
    file.replace(R"("saved_bytes":20)", R"("saved_bytes":null)");
    const auto read = compare::readMeasurement(file.toStdString());
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QVERIFY(read->runs[1].ops.empty());
    QVERIFY(!read->runs[1].livePeak);
    QVERIFY(!read->runs[1].saved);
}

void MeasurementTest::aRunWithoutTimesIsRead()
{
    QByteArray file = kFile;
    file.replace(R"("step_time_ns":20,"step_times_ns":[10,20,40])",
                 R"("step_time_ns":null,"step_times_ns":[])");
    const auto read = compare::readMeasurement(file.toStdString());
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QVERIFY(!read->runs[0].stepTime);
    QVERIFY(read->runs[0].stepTimes.empty());
    QCOMPARE(read->runs[1].stepTime->count(), std::int64_t{30});
}

void MeasurementTest::isKnownByItsHead()
{
    for (const char* before : {"", "\n", " \r\n\t ", "\xef\xbb\xbf", "\xef\xbb\xbf\n"}) {
        const std::string file = before + kFile.toStdString();
        QVERIFY(compare::looksLikeMeasurement(file));
        QVERIFY(compare::readMeasurement(file).has_value());
    }
    QVERIFY(!compare::looksLikeMeasurement(R"({"format":"plimsoll-plan"})"));
    QVERIFY(!compare::looksLikeMeasurement(""));
}

void MeasurementTest::refusesWhatIsWrong_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* name, const char* from, const char* to, const char* named) {
        QTest::newRow(name) << QByteArray{from} << QByteArray{to} << QByteArray{named};
    };
    row("another format", "plimsoll-measurement", "plimsoll-plan", "format must be");
    row("newer", R"("version":1)", R"("version":2)", "has version 2");
    row("older than the first", R"("version":1)", R"("version":0)", "version must be 1");
    row("a key twice", R"("torch":"2.15.0")", R"("torch":"2.15.0","torch":"2")", "torch");
    row("backend", R"("backend":"cpu")", R"("backend":"tpu")", "backend must be");
    row("no runs", R"("runs":[)", R"("walks":[)", "runs is missing");
    row("plan first", R"({"plan":null)",
        R"({"plan":{"runtime":null,"granularity":null,"planner":null,"budget_bytes":null,"peak_bytes":null})",
        "without a plan");
    row("no plan second",
        R"({"plan":{"runtime":"checkpoint","granularity":"module","planner":"rotor","budget_bytes":9,"peak_bytes":8})",
        R"({"plan":null)", "without a plan");
    row("time", R"("step_time_ns":20)", R"("step_time_ns":41)", "within step_times_ns");
    row("a median of none", R"("step_time_ns":20)", R"("step_time_ns":null)",
        "within step_times_ns");
    row("no times", R"("step_times_ns":[30])", R"("step_times_ns":[])", "within step_times_ns");
    row("below resident", R"("allocator_peak_bytes":310)", R"("allocator_peak_bytes":99)",
        "runs[0].allocator_peak_bytes must not be below");
    row("live peak", R"("live_peak_bytes":300)", R"("live_peak_bytes":301)", "which is 300");
    row("peak op", R"("allocator_peak_op":1)", R"("allocator_peak_op":3)", "must be a row of ops");
    row("target", "[1,3,-1,7,250,240]", "[2,3,-1,7,250,240]", "ops[2][0] must be");
    row("phase", "[1,3,-1,7,250,240]", "[1,4,-1,7,250,240]", "ops[2][1] must be");
    row("repeats itself", "[0,2,0,1,150,150]", "[0,2,1,1,150,150]", "ops[1][2] must be");
    row("time of an op", "[1,3,-1,7,250,240]", "[1,3,-1,-7,250,240]", "ops[2][3] must be");
    row("endless op", "[1,3,-1,7,250,240]", "[1,3,-1,9223372036854775807,250,240]", "ops[2][3]");
    row("text", "[1,3,-1,7,250,240]", R"([1,3,-1,7,"250",240])", "ops[2][4] must be");
    row("fraction", "[1,3,-1,7,250,240]", "[1,3,-1,7,250,240.5]", "ops[2][5] must be");
    row("short row", "[1,3,-1,7,250,240]", "[1,3,-1,7,250]", "ops[2] must be an array");
    row("fingerprint", R"("fingerprint":"6da73c610f10d9eb")", R"("fingerprint":null)",
        "runs[0].fingerprint must be that of ops, which is 6da73c610f10d9eb: measure again");
    row("other ops", R"("targets":["aten.relu.default","aten.mm.default"])",
        R"("targets":["aten.relu.default","aten.bmm.default"])", "fingerprint must be that of ops");
    row("live peak op", R"("live_peak_op":1)", R"("live_peak_op":2)",
        "runs[0].live_peak_op must be what ops give, which is 1: measure again");
    row("no live peak op", R"("live_peak_op":1)", R"("live_peak_op":null)", "which is 1");
    row("targets", R"(["aten.relu.default","aten.mm.default"])", R"(["aten.relu.default",1])",
        "targets must be");
}

void MeasurementTest::refusesWhatIsWrong()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QByteArray, named);
    QByteArray file = kFile;
    const qsizetype at = file.indexOf(from);
    QVERIFY(at >= 0);
    file.replace(at, from.size(), to);
    const auto read = compare::readMeasurement(file.toStdString());
    QVERIFY(!read.has_value());
    QCOMPARE(read.error().kind, base::ErrorKind::File);
    QVERIFY2(read.error().message.find(named.toStdString()) != std::string::npos,
             read.error().message.c_str());
    QVERIFY(read.error().message.ends_with('.'));
}

void MeasurementTest::refusesEachCutFile()
{
    for (qsizetype size = 0; size < kFile.size(); ++size)
        QVERIFY(!compare::readMeasurement(kFile.left(size).toStdString()).has_value());
}

} // namespace

PLIMSOLL_TEST(MeasurementTest, QCoreApplication)
#include "measurement_test.moc"
