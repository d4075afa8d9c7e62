// SPDX-License-Identifier: Apache-2.0
#include "app/inject/record_sink.h"

#include "app/inject/settings.h"
#include "core/capture/decode.h"
#include "core/capture/wire_activity.h"

#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace plimsoll;
using inject::ChunkFile;
using inject::RecordSink;
namespace wire = capture::wire;

namespace {

std::string content(const std::string& path)
{
    std::ifstream stream{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

inject::Settings writingTo(const std::string& path)
{
    inject::Settings settings;
    settings.file = path;
    settings.mainPid = ::getpid();
    return settings;
}

class RecordSinkTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsAddedIsRead();
    void writesATextOnce();
    void recognisesAnAddressThatHasAnotherName();
    void forgetsTextsBeforeTheyFillMemory();
    void beginsAChunkBeforeOneIsTooLarge();
    void keepsNothingAfterAnError();
    void doesNotOverwrite();
};

void RecordSinkTest::whatIsAddedIsRead()
{
    const tests::TempFolder folder;
    ChunkFile file;
    QCOMPARE(file.open(writingTo(folder.file("x.plmcap"))), 0);
    RecordSink sink{file};
    wire::Kernel kernel;
    kernel.name = sink.text("gemm");
    sink.add(kernel);
    sink.seal();
    sink.seal(); // nothing was added
    sink.add(wire::End{.records = sink.records()});
    sink.seal();
    const auto read = capture::decode(content(folder.file("x.plmcap")), "x");
    QVERIFY(read && read->ended);
    QCOMPARE(read->chunks, std::uint64_t{2});
    QCOMPARE(read->text(read->kernels.at(0).name), std::string_view{"gemm"});
    QCOMPARE(file.size(), static_cast<std::uint64_t>(content(folder.file("x.plmcap")).size()));
}

void RecordSinkTest::writesATextOnce()
{
    ChunkFile file;
    RecordSink sink{file};
    const std::string longName(10'000, 'k');
    const std::uint32_t first = sink.text("gemm");
    QVERIFY(first > 0);
    QCOMPARE(sink.text("gemm"), first);
    QCOMPARE(sink.text(std::string_view{"gemm"}), first);
    QVERIFY(sink.text("conv") != first);
    QCOMPARE(sink.text(longName.c_str()), sink.text(longName.c_str()));
    QCOMPARE(sink.text(nullptr), 0U);
    QCOMPARE(sink.text(""), 0U);
}

void RecordSinkTest::recognisesAnAddressThatHasAnotherName()
{
    ChunkFile file;
    RecordSink sink{file};
    std::array<char, 5> name{"gemm"};
    const std::uint32_t gemm = sink.text(name.data());
    name = {"conv"}; // another module was loaded there
    const std::uint32_t conv = sink.text(name.data());
    QVERIFY(gemm != conv);
    QCOMPARE(sink.text("conv"), conv);
}

void RecordSinkTest::forgetsTextsBeforeTheyFillMemory()
{
    const tests::TempFolder folder;
    ChunkFile file;
    QCOMPARE(file.open(writingTo(folder.file("x.plmcap"))), 0);
    RecordSink sink{file};
    constexpr int kMany = 70'000;
    for (int i = 0; i < kMany; ++i) {
        wire::Marker marker;
        marker.name = sink.text(std::string_view{std::to_string(i % (kMany - 1))});
        sink.add(marker);
    }
    sink.seal();
    const auto read = capture::decode(content(folder.file("x.plmcap")), "x");
    QVERIFY(read);
    QCOMPARE(read->markers.size(), std::size_t{kMany});
    QCOMPARE(read->texts.size(), std::size_t{kMany} + 1); // "0" was written again
    QCOMPARE(read->text(read->markers.back().name), std::string_view{"0"});
}

void RecordSinkTest::beginsAChunkBeforeOneIsTooLarge()
{
    const tests::TempFolder folder;
    ChunkFile file;
    QCOMPARE(file.open(writingTo(folder.file("x.plmcap"))), 0);
    RecordSink sink{file};
    for (int i = 0; i < 50'000; ++i)
        sink.add(wire::Kernel{});
    const std::string early = content(folder.file("x.plmcap"));
    sink.seal();
    const auto read = capture::decode(content(folder.file("x.plmcap")), "x");
    QVERIFY(read && !early.empty());
    QCOMPARE(read->kernels.size(), std::size_t{50'000});
    QVERIFY(read->chunks > 10);
}

void RecordSinkTest::keepsNothingAfterAnError()
{
    ChunkFile full;
    QCOMPARE(full.open(writingTo("/dev/full")), 0);
    RecordSink sink{full};
    for (int i = 0; i < 50'000; ++i)
        sink.add(wire::Kernel{});
    sink.seal();
    QCOMPARE(sink.error(), ENOSPC);
    QCOMPARE(sink.records(), std::uint64_t{0});
    sink.forgetError();
    sink.add(wire::End{});
    sink.seal();
    QCOMPARE(sink.error(), ENOSPC);
    QCOMPARE(full.size(), std::uint64_t{0});
}

void RecordSinkTest::doesNotOverwrite()
{
    const tests::TempFolder folder;
    const std::string path = folder.fileWith("x.plmcap", "another's");
    ChunkFile file;
    QCOMPARE(file.open(writingTo(path)), 0);
    QCOMPARE(file.path(), folder.file("x." + std::to_string(::getpid()) + "-2.plmcap"));
    QCOMPARE(content(path), std::string{"another's"});
    ChunkFile nowhere;
    QCOMPARE(nowhere.open(writingTo(folder.file("missing/x.plmcap"))), ENOENT);
}

} // namespace

PLIMSOLL_TEST(RecordSinkTest, tests::NoApplication)
#include "record_sink_test.moc"
