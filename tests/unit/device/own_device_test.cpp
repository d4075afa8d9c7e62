// SPDX-License-Identifier: Apache-2.0
// The files are as NVIDIA's driver 535 writes them, shortened.
#include "core/device/own_device.h"

#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <filesystem>
#include <fstream>

using namespace plimsoll;

namespace {

class OwnDeviceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isFoundByTheDriversName_data();
    void isFoundByTheDriversName();
    void takesTheLargest();
    void withoutDriverThereIsNone();
};

void write(const std::filesystem::path& folder, const char* slot, const QByteArray& model)
{
    std::filesystem::create_directories(folder / slot);
    std::ofstream file{folder / slot / "information"};
    file << "Model: \t\t " << model.toStdString() << "\nIRQ:   \t\t 33\nGPU UUID: \t GPU-0\n";
}

void OwnDeviceTest::isFoundByTheDriversName_data()
{
    QTest::addColumn<QByteArray>("model");
    QTest::addColumn<QByteArray>("id");
    QTest::newRow("geforce") << QByteArray{"NVIDIA GeForce RTX 4090"} << QByteArray{"rtx-4090"};
    QTest::newRow("server") << QByteArray{"NVIDIA H100 80GB HBM3"} << QByteArray{"h100"};
    QTest::newRow("older driver") << QByteArray{"A100-SXM4-40GB"} << QByteArray{"a100-40gb"};
    QTest::newRow("tesla") << QByteArray{"Tesla T4"} << QByteArray{"t4"};
    QTest::newRow("not in the table") << QByteArray{"NVIDIA GeForce GT 710"} << QByteArray{};
    QTest::newRow("nothing") << QByteArray{} << QByteArray{};
}

void OwnDeviceTest::isFoundByTheDriversName()
{
    QFETCH(QByteArray, model);
    QFETCH(QByteArray, id);
    const tests::TempFolder folder;
    write(folder.file("gpus"), "0000:01:00.0", model);
    const std::optional<plan::Device> device = plan::ownDevice(folder.file("gpus"));
    QCOMPARE(QByteArray::fromStdString(device ? device->id : std::string{}), id);
}

void OwnDeviceTest::takesTheLargest()
{
    const tests::TempFolder folder;
    write(folder.file("gpus"), "0000:01:00.0", "NVIDIA GeForce RTX 4060");
    write(folder.file("gpus"), "0000:02:00.0", "NVIDIA GeForce RTX 4090");
    write(folder.file("gpus"), "0000:03:00.0", "NVIDIA GeForce RTX 4070");
    QCOMPARE(plan::ownDevice(folder.file("gpus"))->id, std::string{"rtx-4090"});
}

void OwnDeviceTest::withoutDriverThereIsNone()
{
    const tests::TempFolder folder;
    QVERIFY(!plan::ownDevice(folder.file("gpus")));
    write(folder.file("gpus"), "0000:01:00.0", "NVIDIA L4");
    std::filesystem::remove(std::filesystem::path{folder.file("gpus")} / "0000:01:00.0"
                            / "information");
    QVERIFY(!plan::ownDevice(folder.file("gpus")));
}

} // namespace

PLIMSOLL_TEST(OwnDeviceTest, QCoreApplication)
#include "own_device_test.moc"
