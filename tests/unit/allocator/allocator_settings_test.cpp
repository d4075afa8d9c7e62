// SPDX-License-Identifier: Apache-2.0
#include "core/allocator/allocator_settings.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;
using allocator::AllocatorSettings;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

class AllocatorSettingsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nothingIsTheDefault();
    void readsWhatPyTorchReads();
    void divisionsBySize_data();
    void divisionsBySize();
    void switchesExpandableSegments_data();
    void switchesExpandableSegments();
    void refuses_data();
    void refuses();
};

void AllocatorSettingsTest::nothingIsTheDefault()
{
    QCOMPARE(*allocator::parseAllocatorSettings(""), AllocatorSettings{});
    QCOMPARE(*allocator::parseAllocatorSettings("backend:native, pinned_num_register_threads:8"),
             AllocatorSettings{});
}

void AllocatorSettingsTest::readsWhatPyTorchReads()
{
    const auto settings = allocator::parseAllocatorSettings(
        "expandable_segments:True, max_split_size_mb:128,max_non_split_rounding_mb:64,"
        "roundup_power2_divisions:4");
    QVERIFY(settings);
    QVERIFY(settings->expandableSegments);
    QCOMPARE(settings->maxSplitSize.count(), 128 * kMiB);
    QCOMPARE(settings->maxNonSplitRounding.count(), 64 * kMiB);
    for (const std::int64_t divisions : settings->roundupDivisions)
        QCOMPARE(divisions, std::int64_t{4});
}

/// What torch 2.15's memory snapshots tell of the setting ("allocator_settings").
void AllocatorSettingsTest::divisionsBySize_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QList<int>>("divisions");
    const auto row = [](const char* text, QList<int> divisions) {
        divisions.resize(16, divisions.back());
        QTest::newRow(text) << QString::fromLatin1(text) << divisions;
    };
    row("[1:4,8:2,>:1]", {4, 0, 0, 2, 1});
    row("[8:2]", {2, 2, 2, 2, 0});
    row("[8:4,>:8]", {4, 4, 4, 4, 8});
    row("[>:2]", {2});
}

void AllocatorSettingsTest::divisionsBySize()
{
    QFETCH(QString, text);
    QFETCH(QList<int>, divisions);
    const auto settings =
        allocator::parseAllocatorSettings("roundup_power2_divisions:" + text.toStdString());
    QVERIFY(settings);
    const auto& found = settings->roundupDivisions;
    QCOMPARE(QList<int>(found.begin(), found.end()), divisions);
}

void AllocatorSettingsTest::switchesExpandableSegments_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("on");
    QTest::addColumn<QString>("off");
    const auto row = [](const char* text, const char* on, const char* off) {
        QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(on)
                            << QString::fromLatin1(off);
    };
    row("", "expandable_segments:True", "");
    row(" ", "expandable_segments:True", "");
    row("expandable_segments:False", "expandable_segments:True", "");
    row("max_split_size_mb:64, expandable_segments:True",
        "expandable_segments:True,max_split_size_mb:64", "max_split_size_mb:64");
    row("roundup_power2_divisions:[256:1,512:2],max_split_size_mb:64",
        "expandable_segments:True,roundup_power2_divisions:[256:1,512:2],max_split_size_mb:64",
        "roundup_power2_divisions:[256:1,512:2],max_split_size_mb:64");
}

void AllocatorSettingsTest::switchesExpandableSegments()
{
    QFETCH(QString, text);
    for (const bool isOn : {true, false}) {
        const std::string now = allocator::withExpandableSegments(text.toStdString(), isOn);
        QTEST(QString::fromStdString(now), isOn ? "on" : "off");
        QCOMPARE(allocator::parseAllocatorSettings(now)->expandableSegments, isOn);
    }
}

void AllocatorSettingsTest::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* text, const char* why) {
        QTest::newRow(text) << QString::fromLatin1(
            text) << QStringLiteral("PYTORCH_CUDA_ALLOC_CONF: ") + QString::fromLatin1(why);
    };
    row("expandable_segments", R"("expandable_segments" has no colon: write option:value.)");
    row("expandable_segments:yes", R"(expandable_segments must be True or False, not "yes".)");
    row("max_split_size_mb:20",
        R"(max_split_size_mb must be a whole number of at least 21, not "20".)");
    row("max_split_size_mb:9999999999999999", "max_split_size_mb is too large: 9999999999999999.");
    row("max_split_size_mb:99999999999999999999",
        "max_split_size_mb is too large: 99999999999999999999.");
    row("roundup_power2_divisions:3",
        R"(roundup_power2_divisions must be powers of two, not "3".)");
    row("roundup_power2_divisions:[3:4]",
        R"(roundup_power2_divisions takes sizes that are powers of two, not "3".)");
    row("roundup_power2_divisions:[4]", R"(roundup_power2_divisions: "4" has no colon.)");
    row("roundup_power2_divisions:[4:4", R"(roundup_power2_divisions has a "[" without its "]".)");
    row("garbage_collection_threshold:0.8",
        "garbage_collection_threshold:0.8 is not modelled: leave it out.");
    row("backend:cudaMallocAsync", "backend:cudaMallocAsync is not modelled: leave it out.");
    row("max_split:3", R"(PyTorch has no option "max_split".)");
}

void AllocatorSettingsTest::refuses()
{
    QFETCH(QString, text);
    QFETCH(QString, why);
    const auto settings = allocator::parseAllocatorSettings(text.toStdString());
    QVERIFY(!settings);
    QCOMPARE(QString::fromStdString(settings.error().message), why);
}

} // namespace

PLIMSOLL_TEST(AllocatorSettingsTest, plimsoll::tests::NoApplication)
#include "allocator_settings_test.moc"
