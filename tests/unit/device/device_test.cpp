// SPDX-License-Identifier: Apache-2.0
#include "core/device/device.h"

#include "core/device/device_spec.h"
#include "core/device/known_devices.h"

#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>
#include <map>
#include <string>

namespace {

using namespace plimsoll;

QByteArray tableFile()
{
    QFile file{QStringLiteral(PLIMSOLL_SOURCE_DIR "/resources/devices.json")};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

double valueOf(const QJsonObject& object, const QString& key)
{
    return object.value(key).toObject().value(QStringLiteral("value")).toDouble();
}

class DeviceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void builtInDevicesAreThoseOfTheFile();
    void findsADeviceById();
    void listsTheIdsForAnUnknownOne();
    void valuesAreInReason();
    void readsADeviceByHand();
    void aDeviceByHandIsItsId();
    void refusesALine_data();
    void refusesALine();
    void refusesADamagedTable_data();
    void refusesADamagedTable();
};

void DeviceTest::builtInDevicesAreThoseOfTheFile()
{
    const QJsonArray rows =
        QJsonDocument::fromJson(tableFile()).object().value(QStringLiteral("devices")).toArray();
    const std::vector<plan::Device>& devices = plan::builtInDevices();
    QCOMPARE(devices.size(), static_cast<std::size_t>(rows.size()));
    QVERIFY(devices.size() >= 19);
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const QJsonObject row = rows.at(static_cast<qsizetype>(i)).toObject();
        const plan::Device& device = devices[i];
        QCOMPARE(QString::fromStdString(device.id), row.value(QStringLiteral("id")).toString());
        QCOMPARE(QString::fromStdString(device.name), row.value(QStringLiteral("name")).toString());
        QCOMPARE(device.memory.count(), std::llround(valueOf(row, QStringLiteral("memory_bytes"))));
        QCOMPARE(device.bandwidth, valueOf(row, QStringLiteral("bandwidth_bytes_per_s")));
        QCOMPARE(device.hostLink, valueOf(row, QStringLiteral("host_link_bytes_per_s")));
        QCOMPARE(device.deviceLink, valueOf(row, QStringLiteral("device_link_bytes_per_s")));
        QCOMPARE(device.launchLatency.count(),
                 std::llround(valueOf(row, QStringLiteral("launch_latency_ns"))));
        const QJsonObject rates = row.value(QStringLiteral("flops_per_s")).toObject();
        QCOMPARE(device.flops.size(), static_cast<std::size_t>(rates.size()));
        for (const auto& [dtype, rate] : device.flops)
            QCOMPARE(rate, valueOf(rates, QString::fromStdString(dtype)));
    }
}

void DeviceTest::findsADeviceById()
{
    const auto device = plan::findDevice(plan::kDefaultDevice);
    QVERIFY(device.has_value());
    QCOMPARE(device->memory.count(), std::int64_t{80} << 30U);
    for (const char* id : {"a100-40gb", "a100-80gb", "h100", "h200", "b200", "l40s", "l4", "a10",
                           "rtx-3090", "rtx-4060", "rtx-4070", "rtx-4080", "rtx-4090", "rtx-5080",
                           "rtx-5090", "t4", "mi300x", "v100-16gb", "v100-32gb"})
        QVERIFY2(plan::findDevice(id).has_value(), id);
}

void DeviceTest::listsTheIdsForAnUnknownOne()
{
    const auto device = plan::findDevice("z9000");
    QVERIFY(!device.has_value());
    QCOMPARE(device.error().kind, base::ErrorKind::Usage);
    QVERIFY(device.error().message.find("\"z9000\"") != std::string::npos);
    QVERIFY(device.error().message.find("rtx-4090") != std::string::npos);
}

/// Slips of a power of ten, a sparse rate or a sum of both directions stand out.
void DeviceTest::valuesAreInReason()
{
    for (const plan::Device& device : plan::builtInDevices()) {
        const auto gigabytes = static_cast<double>(device.memory.count()) / 1e9;
        QVERIFY2(gigabytes > 8 && gigabytes < 207, device.id.c_str());
        const double bytesPerFlop = device.bandwidth / device.flops.at("float32");
        QVERIFY2(bytesPerFlop > 0.009 && bytesPerFlop < 0.11, device.id.c_str());
        const double half = device.flops.at("float16") / device.flops.at("float32");
        QVERIFY2(half > 1.9 && half < 29, device.id.c_str());
        const double brain = device.flops.at("bfloat16") / device.flops.at("float16");
        QVERIFY2(brain == 1 || device.flops.at("bfloat16") == device.flops.at("float32"),
                 device.id.c_str());
        const double twice = device.flops.at("float64") / device.flops.at("float32");
        QVERIFY2(twice > 0.015 && twice <= 1, device.id.c_str());
        QVERIFY2(device.hostLink >= 16e9 && device.hostLink <= 64e9, device.id.c_str());
        QVERIFY2(device.deviceLink <= 900e9, device.id.c_str());
    }
}

void DeviceTest::readsADeviceByHand()
{
    const auto device = plan::parseDeviceSpec(
        "name=My GPU,memory=24GiB,bandwidth=1.008T,float32=82.6T,bfloat16=165.2T,float64=1290G,"
        "host=32G,link=56.25G,latency=2500");
    QVERIFY2(device.has_value(), device ? "" : device.error().message.c_str());
    QCOMPARE(device->name, std::string{"My GPU"});
    QCOMPARE(device->memory.count(), std::int64_t{24} << 30U);
    QCOMPARE(device->bandwidth, 1.008e12);
    const std::map<std::string, double> rates{
        {"float32", 82.6e12}, {"bfloat16", 165.2e12}, {"float16", 82.6e12}, {"float64", 1.29e12}};
    QVERIFY(device->flops == rates);
    QCOMPARE(device->hostLink, 32e9);
    QCOMPARE(device->deviceLink, 56.25e9);
    QCOMPARE(device->launchLatency.count(), std::int64_t{2500});

    const auto least = plan::findDevice("memory=1000,bandwidth=2000,float32=3000");
    QVERIFY(least.has_value());
    QCOMPARE(least->name, std::string{"Custom GPU"});
    QCOMPARE(least->memory.count(), std::int64_t{1000});
    QCOMPARE(least->bandwidth, 2000.0);
    QCOMPARE(least->flops.at("float64"), 3000.0);
    QCOMPARE(least->hostLink, 16e9);
    QCOMPARE(least->deviceLink, 0.0);
    QCOMPARE(least->launchLatency.count(), std::int64_t{4000});
}

/// Plan files and sessions keep a device by its id alone.
void DeviceTest::aDeviceByHandIsItsId()
{
    for (plan::Device device : plan::builtInDevices()) {
        const auto known = plan::findDevice(plan::deviceSpec(device));
        QVERIFY2(known.has_value(), device.id.c_str());
        QCOMPARE(known->id, plan::deviceSpec(device));
        QVERIFY(*plan::findDevice(known->id) == *known);
        device.id = known->id;
        device.driverName.clear();
        QVERIFY2(*known == device, device.name.c_str());
    }
    const auto odd = plan::findDevice("memory=1GiB,bandwidth=0.1G,float32=1.000000001T");
    QVERIFY(odd.has_value());
    QVERIFY(*plan::findDevice(odd->id) == *odd);
}

void DeviceTest::refusesALine_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("named");

    const auto row = [](const char* name, const char* line, const char* named) {
        QTest::newRow(name) << QByteArray{line} << QByteArray{named};
    };
    row("no memory", "bandwidth=1G,float32=1T", "memory is missing");
    row("no bandwidth", "memory=1GiB,float32=1T", "bandwidth is missing");
    row("no rate", "memory=1GiB,bandwidth=1G", "float32 is missing");
    row("twice", "memory=1GiB,bandwidth=1G,float32=1T,memory=2GiB", "memory appears twice");
    row("unknown", "memory=1GiB,bandwidth=1G,float32=1T,int8=1T", "\"int8\" is not one of name");
    row("no value", "memory=1GiB,bandwidth=1G,float32=1T,latency",
        "\"latency\" has no equals sign");
    row("nothing of memory", "memory=0,bandwidth=1G,float32=1T", "memory must be");
    row("words", "memory=1GiB,bandwidth=fast,float32=1T", "bandwidth must be a number");
    row("unit", "memory=1GiB,bandwidth=1GB/s,float32=1T", "bandwidth must be a number");
    row("not a number", "memory=1GiB,bandwidth=nan,float32=1T", "bandwidth must be a number");
    row("endless", "memory=1GiB,bandwidth=inf,float32=1T", "bandwidth must be a number");
    row("huge", "memory=1GiB,bandwidth=1e300P,float32=1T", "bandwidth must be a number");
    row("negative", "memory=1GiB,bandwidth=1G,float32=-1T", "float32 must be a number");
    row("late", "memory=1GiB,bandwidth=1G,float32=1T,latency=2e9", "latency must be a number");
    const char* comma = "nothing before or after one of its commas";
    row("comma at the end", "memory=1GiB,bandwidth=1G,float32=1T,", comma);
    row("comma at the beginning", ",memory=1GiB,bandwidth=1G,float32=1T", comma);
    row("two commas", "memory=1GiB,,bandwidth=1G,float32=1T", comma);
    row("blank between commas", "memory=1GiB, ,bandwidth=1G,float32=1T", comma);
    row("no value", "memory=1GiB,bandwidth=,float32=1T", "not \"\"");
    row("no key", "memory=1GiB,=5,bandwidth=1G,float32=1T", "\"\" is not one of name, memory");
    row("twice with blanks", "memory=1GiB, memory =2GiB,bandwidth=1G,float32=1T",
        "memory appears twice");
    for (const char* value : {"-1G", "nan", "inf", "1e999", "1e18P", "0", "0x10", "1 G", "1GG"})
        row(value, (std::string{"memory=1GiB,float32=1T,bandwidth="} + value).c_str(),
            "bandwidth must be a number from 1 to 1e+18, such as 1008G, not");
    for (const char* value : {"-1GiB", "nan", "inf", "1e9", ""})
        row((std::string{"memory of "} + value).c_str(),
            (std::string{"float32=1T,bandwidth=1G,memory="} + value).c_str(), "is not a size");
    row("memory of all computers", "memory=99999999999999GiB,bandwidth=1G,float32=1T",
        "\"99999999999999GiB\" is larger than any memory.");
    row("no name", "name=,memory=1GiB,bandwidth=1G,float32=1T", "the name must have");
    row("hidden name", "name=a\nb,memory=1GiB,bandwidth=1G,float32=1T", "the name must have");
}

void DeviceTest::refusesALine()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, named);
    const auto device = plan::findDevice(line.toStdString());
    QVERIFY(!device.has_value());
    QCOMPARE(device.error().kind, base::ErrorKind::Usage);
    QVERIFY2(device.error().message.find(named.toStdString()) != std::string::npos,
             device.error().message.c_str());
    QCOMPARE(device.error().message.find('\n'), std::string::npos);
}

void DeviceTest::refusesADamagedTable_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QByteArray>("named");

    const auto row = [](const char* name, const char* from, const char* to, const char* named) {
        QTest::newRow(name) << QByteArray{from} << QByteArray{to} << QByteArray{named};
    };
    row("not JSON", "{", "[", "not JSON");
    row("another format", "plimsoll-devices", "devices",
        "not a device table of version 1: it needs");
    row("a key twice", "\"version\": 1", "\"version\": 1, \"version\": 1", "for the second time");
    row("newer version", "\"version\": 1", "\"version\": 2", "version 1");
    row("memory is text", "\"value\": 85899345920", "\"value\": \"80 GB\"", "memory_bytes");
    row("memory of nothing", "\"value\": 85899345920", "\"value\": 0", "memory_bytes");
    row("no bandwidth", "\"bandwidth_bytes_per_s\"", "\"band\"", "bandwidth_bytes_per_s");
    row("a dtype is missing", "\"bfloat16\"", "\"bf16\"", "bfloat16");
    row("a value without a source", "\"source\"", "\"url\"", "source");
    row("the same id twice", "\"a100-40gb\"", "\"a100-80gb\"", "twice");
}

void DeviceTest::refusesADamagedTable()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QByteArray, named);
    QByteArray text = tableFile();
    const qsizetype at = text.indexOf(from);
    QVERIFY(at >= 0);
    text.replace(at, from.size(), to);
    const auto devices = plan::parseDevices(text.toStdString());
    QVERIFY(!devices.has_value());
    QVERIFY2(devices.error().message.find(named.toStdString()) != std::string::npos,
             devices.error().message.c_str());
}

} // namespace

PLIMSOLL_TEST(DeviceTest, QCoreApplication)
#include "device_test.moc"
