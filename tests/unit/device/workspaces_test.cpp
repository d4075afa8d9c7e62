// SPDX-License-Identifier: Apache-2.0
// Workspaces of cuBLAS: how many a step takes, and of which size.
#include "core/device/workspaces.h"

#include "core/device/known_devices.h"

#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace plimsoll;

class WorkspacesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aThreadThatCallsCublasTakesOne_data();
    void aThreadThatCallsCublasTakesOne();
    void sizesAreThoseThatPyTorchReads_data();
    void sizesAreThoseThatPyTorchReads();
    void tellsWhereAReserveComesFrom();
};

graph::Program stepOf(std::initializer_list<std::pair<const char*, graph::Phase>> ops,
                      const char* target = "cuda")
{
    graph::Program program;
    program.header.target = target;
    for (const auto& [name, phase] : ops) {
        graph::Op op;
        op.target = static_cast<std::uint32_t>(program.targets.size());
        op.phase = phase;
        program.targets.emplace_back(name);
        program.ops.push_back(op);
    }
    return program;
}

void WorkspacesTest::aThreadThatCallsCublasTakesOne_data()
{
    using enum graph::Phase;
    QTest::addColumn<graph::Program>("program");
    QTest::addColumn<QString>("device");
    QTest::addColumn<std::int64_t>("threads");
    QTest::addColumn<std::int64_t>("each");
    const std::int64_t usual = 8519680;
    const std::int64_t large = 32 << 20;
    QTest::newRow("none") << stepOf({{"aten.relu.default", Forward}}) << "a100-80gb"
                          << std::int64_t{0} << usual;
    QTest::newRow("inference") << stepOf({{"aten.addmm.default", Forward}}) << "a100-80gb"
                               << std::int64_t{1} << usual;
    QTest::newRow("training") << stepOf(
        {{"aten.mm.default", Forward}, {"aten.bmm.default", Backward}})
                              << "a100-80gb" << std::int64_t{2} << usual;
    QTest::newRow("loss is forward's")
        << stepOf({{"aten.mm.default", Loss}}) << "t4" << std::int64_t{1} << usual;
    QTest::newRow("in place") << stepOf({{"aten.addmm_.default", Forward}}) << "a100-80gb"
                              << std::int64_t{1} << usual;
    QTest::newRow("backward may run forward's again")
        << stepOf({{"aten._trilinear.default", Forward}, {"aten.mul.Tensor", Backward}})
        << "a100-80gb" << std::int64_t{2} << usual;
    QTest::newRow("backward alone")
        << stepOf({{"aten.mul.Tensor", Forward}, {"aten.mm.default", Backward}}) << "a100-80gb"
        << std::int64_t{1} << usual;
    QTest::newRow("not a product")
        << stepOf({{"aten.mm_like.default", Forward}}) << "a100-80gb" << std::int64_t{0} << usual;
    QTest::newRow("CPU") << stepOf({{"aten.mm.default", Forward}}, "cpu") << "a100-80gb"
                         << std::int64_t{0} << usual;
    QTest::newRow("Hopper") << stepOf({{"aten.mm.default", Forward}}) << "h100" << std::int64_t{1}
                            << large;
    QTest::newRow("Blackwell") << stepOf({{"aten.mm.default", Forward}}) << "rtx-5090"
                               << std::int64_t{1} << large;
    QTest::newRow("by hand") << stepOf({{"aten.mm.default", Forward}})
                             << "memory=1GiB,bandwidth=1T,float32=1T,workspace=3MiB"
                             << std::int64_t{1} << std::int64_t{3 << 20};
    QTest::newRow("by hand, left out")
        << stepOf({{"aten.mm.default", Forward}}) << "memory=1GiB,bandwidth=1T,float32=1T"
        << std::int64_t{1} << usual;
}

void WorkspacesTest::aThreadThatCallsCublasTakesOne()
{
    QFETCH(graph::Program, program);
    QFETCH(QString, device);
    QFETCH(std::int64_t, threads);
    QFETCH(std::int64_t, each);
    const plan::Device found = *plan::findDevice(device.toStdString());
    const plan::Workspaces workspaces = plan::workspacesOf(program, found);
    QCOMPARE(workspaces.threads, threads);
    QCOMPARE(workspaces.each.count(), each);
    QCOMPARE(workspaces.all().count(), threads * each);
    // What the user's environment says goes before the device.
    QCOMPARE(plan::workspacesOf(program, found, base::Bytes{1024}).all().count(), threads * 1024);
}

/// Rows as torch._C._cuda_getCublasWorkspaceSize() of PyTorch 2.15 answers; -1: it takes the
/// device's.
void WorkspacesTest::sizesAreThoseThatPyTorchReads_data()
{
    QTest::addColumn<std::int64_t>("bytes");
    const auto row = [](const char* config, std::int64_t bytes) { QTest::newRow(config) << bytes; };
    row(":4096:2:16:8", 8519680);
    row(":16:8", 131072);
    row(":4096:8", 32 << 20);
    row(":0:0", 0);
    row("nonsense", -1);
    row("4096:2", -1);
    row(":4096:2:", 8388608);
    row(":5:", -1);
    row(":1:2:3", 2048);
    row("x:1:2y:3:4", 14336);
    row(":-1:2", -1);
    row("", -1);
    row(":::1:1", 1024);
    row(":99999999999999999999:1", -1); // PyTorch ends with an error there
    row(":9999999999999:9999999999999", -1);
    row(":1073741824:1", std::int64_t{1} << 40);
    row(":1073741825:1", -1); // no GPU has that much
}

void WorkspacesTest::sizesAreThoseThatPyTorchReads()
{
    QFETCH(std::int64_t, bytes);
    const auto size = plan::cublasWorkspaceOf(QTest::currentDataTag());
    QCOMPARE(size ? size->count() : -1, bytes);
}

void WorkspacesTest::tellsWhereAReserveComesFrom()
{
    const plan::Workspaces two{2, base::Bytes{8519680}};
    QCOMPARE(plan::reserveOrigin(two.all(), two), std::string{"2 x 8.1 MiB cuBLAS, context 0"});
    QCOMPARE(plan::reserveOrigin(base::Bytes{512}, two), std::string{"cuBLAS takes 2 x 8.1 MiB"});
    QCOMPARE(plan::reserveOrigin({}, {0, base::Bytes{8519680}}),
             std::string{"cuBLAS takes nothing, context 0"});
    QCOMPARE(plan::reserveOrigin(base::Bytes{512}, {}), std::string{"cuBLAS takes nothing"});
}

} // namespace

PLIMSOLL_TEST(WorkspacesTest, plimsoll::tests::NoApplication)
#include "workspaces_test.moc"
