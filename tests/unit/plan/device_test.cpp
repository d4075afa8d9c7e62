// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device.h"

#include "core/plan/device_table.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>
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
    void refusesADamagedTable_data();
    void refusesADamagedTable();
};

void DeviceTest::builtInDevicesAreThoseOfTheFile()
{
    const QJsonArray rows =
        QJsonDocument::fromJson(tableFile()).object().value(QStringLiteral("devices")).toArray();
    const std::vector<plan::Device>& devices = plan::builtInDevices();
    QCOMPARE(devices.size(), static_cast<std::size_t>(rows.size()));
    QVERIFY(devices.size() >= 7);
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
    for (const char* id : {"a100-40gb", "h100", "h200", "rtx-4090", "rtx-3090", "t4"})
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

void DeviceTest::refusesADamagedTable_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QByteArray>("named");

    const auto row = [](const char* name, const char* from, const char* to, const char* named) {
        QTest::newRow(name) << QByteArray{from} << QByteArray{to} << QByteArray{named};
    };
    row("not JSON", "{", "[", "device table");
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

QTEST_GUILESS_MAIN(DeviceTest)
#include "device_test.moc"
