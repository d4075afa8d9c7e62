// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/memtrace/analysis/classify.h"
#include "core/memtrace/build_timeline.h"
#include "core/memtrace/builder.h"
#include "core/memtrace/summary.h"
#include "core/readers/registry.h"
#include "core/writers/profile_formats.h"

#include "tests/support/recorded_training.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

namespace {

using namespace plimsoll;
using memtrace::Action;

class ProfileCsvTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesWhatIsKnown();
    void hasARowForEachAllocation();
    void classesAreReadBack();
    void drawsLayersBelowReserved();
    void drawsForeignMemoryAndFailures();
    void stopsAndLeavesTheOldFile();
    void refusesOtherEndings();
    void keepsTheProfileThatWasRead();
    void endsWhereTheDiskIsFull();
};

std::string tableOf(const memtrace::MemoryTrace& trace)
{
    std::string text;
    const auto written = writers::writeAllocations(trace, [&](std::string_view part) {
        text += part;
        return true;
    });
    return written ? text : written.error().message;
}

/// The class of each row, sorted: rows from before the recording come first when read back.
QByteArrayList classesIn(const std::string& table)
{
    QByteArrayList classes;
    for (const QByteArray& row : QByteArray::fromStdString(table).split('\n'))
        classes << row.split(',').value(10);
    std::ranges::sort(classes);
    return classes;
}

std::string fileText(const std::string& path)
{
    std::ifstream file{path, std::ios::binary};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// One from before, one freed at once, one that is there at the end with its block, one of pinned
/// host memory.
void ProfileCsvTest::writesWhatIsKnown()
{
    memtrace::Builder builder;
    memtrace::DeviceBuilder& device = builder.device(0);
    const auto add = [&](Action action, std::uint64_t address, std::int64_t bytes,
                         std::int64_t microseconds, memtrace::StackId stack = {}) {
        memtrace::RecordedEvent event;
        event.action = action;
        event.address = address;
        event.bytes = bytes;
        event.timeNs = 1'000'000'000 + 1000 * microseconds;
        event.stream = 17;
        event.pool = std::array<std::uint64_t, 2>{0, 2};
        event.stack = stack;
        QVERIFY(device.add(event));
    };
    memtrace::StackTableBuilder& stacks = builder.stacks();
    const memtrace::StackId stack = stacks.stack(std::vector<memtrace::FrameId>{
        stacks.frame({stacks.text("a,\"b\".py"), stacks.text("main"), 3, {}})});
    add(Action::FreeCompleted, 4096, 700, 0);
    add(Action::Alloc, 8192, 1000, 1, stack);
    add(Action::FreeRequested, 8192, 1000, 2);
    add(Action::FreeCompleted, 8192, 1000, 3);
    add(Action::Alloc, 8192, 3000, 5);
    QVERIFY(device.addSegment({4096, 1 << 20, 17, {0, 2}, false, false, {}}));
    QVERIFY(device.addBlock({8192, 3072, 3000, memtrace::RecordedBlock::State::Active, {}}));
    const auto trace = *std::move(builder).build();
    QCOMPARE(tableOf(*trace),
             std::string{"device,address,bytes,block_bytes,alloc_event,free_event,alloc_ns,free_ns,"
                         "stream,pool,class,frame,stack_id\r\n"
                         "0,4096,700,,,0,,0,17,0.2,before,,\r\n"
                         "0,8192,1000,,1,3,1000,3000,17,0.2,temporaries,\"a,\"\"b\"\".py:3:main\",1"
                         "\r\n"
                         "0,8192,3000,3072,4,,5000,,17,0.2,gradients,,\r\n"});
}

void ProfileCsvTest::hasARowForEachAllocation()
{
    tests::RecordedTraining training;
    training.devices = 2;
    training.steps = 300;
    const memtrace::MemoryTracePtr trace = training.trace();
    std::size_t allocations = 0;
    for (const memtrace::DeviceTrace& device : trace->devices())
        allocations += device.allocations().size();
    const std::string table = tableOf(*trace);
    QCOMPARE(static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')),
             allocations + 1);
    QVERIFY(allocations > 10'000);
}

void ProfileCsvTest::classesAreReadBack()
{
    tests::RecordedTraining training;
    training.steps = 4;
    const memtrace::MemoryTracePtr trace = training.trace();
    const std::string table = tableOf(*trace);
    tests::TempFolder folder;
    const auto read = readers::readProfile(io::Source{folder.fileWith("x.csv", table)});
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(classesIn(tableOf(*read->trace)), classesIn(table));
    const memtrace::DeviceTrace& device = read->trace->devices().front();
    const memtrace::Classes classes = memtrace::classify(*read->trace, device);
    for (std::size_t i = 0; i < device.allocations().size(); ++i) {
        QCOMPARE(classes.ruleAt(i), classes.classAt(i) == memtrace::MemoryClass::Before
                                        ? memtrace::ClassRule::BeforeRecording
                                        : memtrace::ClassRule::ToldByFile);
    }
    // Without the column they are found by rules.
    const auto column = static_cast<qsizetype>(table.find(",class,"));
    QByteArray other = QByteArray::fromStdString(table);
    other.replace(column, 7, ",other,");
    const auto ruled =
        readers::readProfile(io::Source{folder.fileWith("y.csv", other.toStdString())});
    QVERIFY(ruled);
    const memtrace::Classes found =
        memtrace::classify(*ruled->trace, ruled->trace->devices().front());
    QVERIFY(std::ranges::none_of(found.ruleOf, [](std::uint8_t rule) {
        return rule == static_cast<std::uint8_t>(memtrace::ClassRule::ToldByFile);
    }));
}

struct Drawn
{
    QStringList texts;
    QStringList paths;              ///< those with a class: "outline", or the name of a layer
    std::map<QString, QString> yOf; ///< by text
    QString error;
};

Drawn drawnIn(const std::string& path)
{
    Drawn drawn;
    QXmlStreamReader svg{QByteArray::fromStdString(fileText(path))};
    while (!svg.atEnd()) {
        svg.readNext();
        if (svg.isStartElement() && svg.name() == QStringLiteral("path")
            && svg.attributes().hasAttribute(QStringLiteral("class")))
            drawn.paths << svg.attributes().value(QStringLiteral("class")).toString();
        if (svg.isStartElement() && svg.name() == QStringLiteral("text")) {
            const QString y = svg.attributes().value(QStringLiteral("y")).toString();
            drawn.texts << svg.readElementText();
            drawn.yOf[drawn.texts.back()] = y;
        }
    }
    drawn.error = svg.hasError() ? svg.errorString() : QString{};
    return drawn;
}

/// What others hold lies on what is reserved; a failure is marked.
void ProfileCsvTest::drawsForeignMemoryAndFailures()
{
    tests::RecordedTraining training;
    const memtrace::MemoryTracePtr trace = training.trace();
    memtrace::TraceParts parts = trace->parts();
    memtrace::DeviceColumns columns = parts.devices.front().columns();
    const base::Bytes foreign{std::int64_t{512} << 20U};
    columns.foreign = {{0, base::Bytes{}}, {5, foreign}};
    columns.outOfMemory.push_back(
        {.event = 7, .askedBytes = 9, .deviceFreeBytes = -1, .stack = {}});
    parts.devices.clear();
    parts.devices.emplace_back(std::move(columns));
    tests::TempFolder folder;
    const std::string path = folder.file("x.svg");
    QVERIFY(writers::writeProfileFile(memtrace::MemoryTrace{std::move(parts)}, path, "in.pickle"));
    const Drawn drawn = drawnIn(path);
    QVERIFY2(drawn.error.isEmpty(), qPrintable(drawn.error));
    QCOMPARE(drawn.paths.count(QStringLiteral("outline")), 2);
    QCOMPARE(drawn.paths.count(QStringLiteral("mark")), 1);
    QVERIFY(drawn.texts.contains(QStringLiteral("Outside PyTorch")));
    QVERIFY(drawn.texts.contains(QStringLiteral("out of memory")));
    // The axis reaches above it, where it would end at 64 MiB.
    QVERIFY(drawn.texts.contains(QStringLiteral("512")));
}

void ProfileCsvTest::drawsLayersBelowReserved()
{
    tests::RecordedTraining training;
    training.steps = 4;
    const memtrace::MemoryTracePtr trace = training.trace();
    const memtrace::DeviceTrace& device = trace->devices()[memtrace::summaryOf(*trace).highest];
    tests::TempFolder folder;
    const std::string path = folder.file("x.svg");
    QVERIFY(writers::writeProfileFile(*trace, path, "in.pickle"));
    const Drawn drawn = drawnIn(path);
    const QStringList& texts = drawn.texts;
    const QStringList& areas = drawn.paths;
    const std::map<QString, QString>& rowOf = drawn.yOf;
    QVERIFY2(drawn.error.isEmpty(), qPrintable(drawn.error));
    const auto timeline = memtrace::buildTimeline(
        *trace, device, {memtrace::classLayers(), memtrace::classify(*trace, device).classOf},
        memtrace::Axis::Time);
    QVERIFY(texts.contains(QStringLiteral("peak ")
                           + QString::fromStdString(base::bytesText(timeline->peak()))));
    // Steps and the phases in them are two rows.
    QVERIFY(rowOf.contains(QStringLiteral("step 1")) && rowOf.contains(QStringLiteral("backward")));
    QVERIFY(rowOf.at(QStringLiteral("step 1")) != rowOf.at(QStringLiteral("backward")));
    QVERIFY(areas.contains(QStringLiteral("Activations")));
    QVERIFY(areas.contains(QStringLiteral("Before the recording")));
    QCOMPARE(areas.contains(QStringLiteral("outline")), !device.reserved().points().empty());
    QCOMPARE(texts.contains(QStringLiteral("Reserved")), !device.reserved().points().empty());
}

void ProfileCsvTest::stopsAndLeavesTheOldFile()
{
    tests::RecordedTraining training;
    const memtrace::MemoryTracePtr trace = training.trace();
    tests::TempFolder folder;
    const std::string path = folder.fileWith("out.csv", "old");
    std::stop_source source;
    source.request_stop();
    const auto written =
        writers::writeProfileFile(*trace, path, "in.pickle", {.stop = source.get_token()});
    QVERIFY(!written);
    QCOMPARE(written.error().kind, base::ErrorKind::Cancelled);
    QCOMPARE(fileText(path), std::string{"old"});
    QVERIFY(writers::writeProfileFile(*trace, path, "in.pickle"));
    QCOMPARE(fileText(path), tableOf(*trace));
}

void ProfileCsvTest::refusesOtherEndings()
{
    tests::RecordedTraining training;
    tests::TempFolder folder;
    const auto written = writers::writeProfileFile(*training.trace(), folder.file("out.txt"), "in");
    QVERIFY(!written);
    QCOMPARE(written.error().kind, base::ErrorKind::Usage);
    QVERIFY(written.error().message.find(".csv") != std::string::npos);
}

void ProfileCsvTest::keepsTheProfileThatWasRead()
{
    tests::RecordedTraining training;
    tests::TempFolder folder;
    const std::string path = folder.fileWith("profile.csv", "profile");
    const auto written = writers::writeProfileFile(*training.trace(), path, path);
    QVERIFY(!written);
    QVERIFY(written.error().message.find("not overwritten") != std::string::npos);
    QCOMPARE(fileText(path), std::string{"profile"});
}

void ProfileCsvTest::endsWhereTheDiskIsFull()
{
    tests::RecordedTraining training;
    training.steps = 300;
    int parts = 0;
    QVERIFY(writers::writeAllocations(*training.trace(), [&](std::string_view) {
        ++parts;
        return false;
    }));
    QCOMPARE(parts, 1);
}

} // namespace

PLIMSOLL_TEST(ProfileCsvTest, QCoreApplication)
#include "profile_csv_test.moc"
