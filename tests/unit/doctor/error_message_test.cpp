// SPDX-License-Identifier: Apache-2.0
// Messages as the versions of PyTorch print them.
#include "core/doctor/error_message.h"

#include "core/doctor/diagnose.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

namespace {

using namespace plimsoll;
using base::Bytes;
using doctor::ErrorMessage;
using doctor::parseErrorMessage;
using doctor::ToldBytes;

constexpr const char* kTwo15 =
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.25 GiB. GPU 1 has a total "
    "capacity of 93.02 GiB of which 1.18 GiB is free. Process 2752205 has 10.00 GiB memory in use. "
    "Including non-PyTorch memory, this process has 81.84 GiB memory in use. 85.50 GiB allowed; Of "
    "the allocated memory 80.63 GiB is allocated by PyTorch, with 17.00 MiB allocated in private "
    "pools (e.g., CUDA Graphs), and 120.54 MiB is reserved by PyTorch but unallocated. If reserved "
    "but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True "
    "to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs)";

class ErrorMessageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsEveryWording_data();
    void readsEveryWording();
    void readsTheNewestInFull();
    void tellsHowFarPrintedSizesCanBeOff_data();
    void tellsHowFarPrintedSizesCanBeOff();
    void findsItInATraceback();
    void takesTheFirstOfSeveral();
    void leavesOutNoLimit();
    void refuses_data();
    void refuses();
    void isNeverCutShort();
    void diagnosesWhatOthersUse();
    void findsItsOwnProcess();
    void namesTheLimitOfTheProcess();
    void tellsWhatIsOutsidePyTorch();
    void tellsWhatIsOutsideWithoutAProcess();
    void namesProcessesThatAreNotListed();
    void tellsWhatLiftingTheLimitGives();
    void readsMps();
    void alwaysNamesSomething_data();
    void alwaysNamesSomething();
};

std::int64_t bytes(double value, int shift)
{
    return std::llround(value * std::exp2(shift));
}
constexpr int kGiB = 30;
constexpr int kMiB = 20;

void ErrorMessageTest::readsEveryWording_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("backend");
    QTest::addColumn<int>("device");          // -1: unknown
    QTest::addColumn<QList<qint64>>("sizes"); // asked, capacity, free, allocated, reserved; -1 …
    const auto row = [](const char* name, const char* text, const char* backend, int device,
                        const QList<qint64>& sizes) {
        QTest::newRow(name) << QByteArray{text} << QByteArray{backend} << device << sizes;
    };
    row("1.8",
        "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 4; 31.75 GiB total "
        "capacity; 30.29 GiB already allocated; 3.75 MiB free; 30.40 GiB reserved in total by "
        "PyTorch)",
        "CUDA", 4,
        {20 << 20, bytes(31.75, kGiB), bytes(3.75, kMiB), bytes(30.29, kGiB), bytes(30.40, kGiB)});
    row("1.13, with a limit",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 10.73 GiB (GPU 0; 8.00 "
        "GiB total capacity; 17.20 GiB already allocated; 0 bytes free; 7.50 GiB allowed; 19.15 "
        "GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting "
        "max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and "
        "PYTORCH_CUDA_ALLOC_CONF",
        "CUDA", 0, {bytes(10.73, kGiB), bytes(8, kGiB), 0, bytes(17.20, kGiB), bytes(19.15, kGiB)});
    row("2.1, as it spells capacity",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 496.00 MiB. GPU 0 has "
        "a total capacty of 14.75 GiB of which 235.06 MiB is free. Process 20398 has 14.52 GiB "
        "memory in use. Of the allocated memory 14.06 GiB is allocated by PyTorch, and 330.42 MiB "
        "is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try "
        "setting max_split_size_mb to avoid fragmentation.",
        "CUDA", 0,
        {bytes(496, kMiB), bytes(14.75, kGiB), bytes(235.06, kMiB), bytes(14.06, kGiB),
         bytes(14.06, kGiB) + bytes(330.42, kMiB)});
    row("2.2",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU has a "
        "total capacity of 8.00 GiB of which 0 bytes is free. Of the allocated memory 14.51 GiB is "
        "allocated by PyTorch, and 15.90 MiB is reserved by PyTorch but unallocated.",
        "CUDA", -1,
        {20 << 20, bytes(8, kGiB), 0, bytes(14.51, kGiB), bytes(14.51, kGiB) + bytes(15.9, kMiB)});
    row("HIP",
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total "
        "capacity of 255.98 GiB of which 244.65 GiB is free. 1.05 GiB allowed; Of the allocated "
        "memory 1017.01 MiB is allocated by PyTorch, with 17.00 MiB allocated in private pools "
        "(e.g., HIP Graphs), and 54.99 MiB is reserved by PyTorch but unallocated.",
        "HIP", 0,
        {2 << 20, bytes(255.98, kGiB), bytes(244.65, kGiB), bytes(1017.01, kMiB),
         bytes(1017.01, kMiB) + bytes(54.99, kMiB)});
    row("XPU",
        "torch.OutOfMemoryError: XPU out of memory. Tried to allocate 64.00 GiB. GPU 2 has a total "
        "capacity of 48.00 GiB of which 47.50 GiB is free. Of the allocated memory 512 bytes is "
        "allocated by PyTorch, and 2.00 MiB is reserved by PyTorch but unallocated. Please use "
        "`empty_cache` to release all unoccupied cached memory.",
        "XPU", 2, {bytes(64, kGiB), bytes(48, kGiB), bytes(47.5, kGiB), 512, 512 + (2 << 20)});
    row("cudaMallocAsync",
        "torch.cuda.OutOfMemoryError: Allocation on device 3 would exceed allowed memory. (out of "
        "memory)\nCurrently allocated     : 1.00 GiB\nRequested               : 2.00 GiB\nDevice "
        "limit            : 23.64 GiB\nFree (according to CUDA): 9.19 MiB\nPyTorch limit (set by "
        "user-supplied memory fraction)\n                        : 20.00 GiB",
        "CUDA", 3, {bytes(2, kGiB), bytes(23.64, kGiB), bytes(9.19, kMiB), bytes(1, kGiB), -1});
    row("short", "CUDA out of memory. Tried to allocate 512 bytes", "CUDA", -1,
        {512, -1, -1, -1, -1});
}

void ErrorMessageTest::readsEveryWording()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, backend);
    QFETCH(int, device);
    QFETCH(QList<qint64>, sizes);
    const auto read = parseErrorMessage(text.toStdString());
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(read->backend, backend.toStdString());
    QCOMPARE(read->device.value_or(-1), device);
    QCOMPARE(read->messages, std::size_t{1});
    const auto valueOf = [](const std::optional<ToldBytes>& told) {
        return told ? told->value.count() : -1;
    };
    QCOMPARE((QList<qint64>{valueOf(read->asked), valueOf(read->capacity), valueOf(read->free),
                            valueOf(read->allocated), valueOf(read->reserved)}),
             sizes);
}

void ErrorMessageTest::readsTheNewestInFull()
{
    const auto read = parseErrorMessage(kTwo15);
    QVERIFY(read);
    QCOMPARE(read->allowed->value.count(), bytes(85.5, kGiB));
    QCOMPARE(read->thisProcess->value.count(), bytes(81.84, kGiB));
    QCOMPARE(read->privatePools->value.count(), bytes(17, kMiB));
    QCOMPARE(read->unallocated->value.count(), bytes(120.54, kMiB));
    QCOMPARE(read->processes.size(), std::size_t{1});
    QCOMPARE(read->processes[0].pid, std::int64_t{2752205});
    QCOMPARE(read->processes[0].used.value.count(), bytes(10, kGiB));
}

void ErrorMessageTest::tellsHowFarPrintedSizesCanBeOff_data()
{
    QTest::addColumn<QByteArray>("size");
    QTest::addColumn<qint64>("value");
    QTest::addColumn<qint64>("error");
    QTest::newRow("bytes") << QByteArray{"512 bytes"} << qint64{512} << qint64{0};
    // Half of 0.01 units, rounded up: 5.12 B, 5,242.88 B, 5,368,709.12 B.
    QTest::newRow("KiB") << QByteArray{"1.50 KiB"} << qint64{1536} << qint64{6};
    QTest::newRow("MiB") << QByteArray{"12.00 MiB"} << qint64{12582912} << qint64{5243};
    QTest::newRow("GiB") << QByteArray{"2.00 GiB"} << qint64{2147483648} << qint64{5368710};
    QTest::newRow("one digit") << QByteArray{"2.5 MiB"} << qint64{2621440} << qint64{52429};
    QTest::newRow("none") << QByteArray{"3 MiB"} << qint64{3145728} << qint64{524288};
}

void ErrorMessageTest::tellsHowFarPrintedSizesCanBeOff()
{
    QFETCH(QByteArray, size);
    QFETCH(qint64, value);
    QFETCH(qint64, error);
    const auto read = parseErrorMessage("Tried to allocate " + size.toStdString() + ".");
    QVERIFY(read);
    QCOMPARE(read->asked->value.count(), value);
    QCOMPARE(read->asked->error.count(), error);
}

/// A terminal breaks lines anywhere between words, the traceback has numbers of its own.
void ErrorMessageTest::findsItInATraceback()
{
    std::string text = kTwo15;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == ' ' && i % 3 == 0) {
            text.replace(i, 1, "\r\n    ");
            i += 5;
        }
    const auto plain = parseErrorMessage(kTwo15);
    const auto broken = parseErrorMessage(
        "Traceback (most recent call last):\n  File \"train.py\", line 114, in forward\n    x = "
        "torch.empty(2 * 1024)  # 5.00 GiB is free\n"
        + text + "\n\nDuring handling of 3.00 GiB is free another exception occurred:\n");
    QVERIFY(plain && broken);
    QCOMPARE(broken->free, plain->free);
    QCOMPARE(broken->asked, plain->asked);
    QVERIFY(broken->processes == plain->processes);
    QCOMPARE(broken->reserved, plain->reserved);
    QCOMPARE(broken->privatePools, plain->privatePools);
}

void ErrorMessageTest::takesTheFirstOfSeveral()
{
    const auto read = parseErrorMessage(
        "CUDA out of memory. Tried to allocate 1.00 MiB\nCUDA out of memory. Tried to allocate "
        "2.00 MiB. GPU 5 has a total capacity of 4.00 GiB of which 1.00 GiB is free.");
    QVERIFY(read);
    QCOMPARE(read->messages, std::size_t{2});
    QCOMPARE(read->asked->value, Bytes{base::kMiB});
    QVERIFY(!read->capacity && !read->device);
}

/// Without a limit PyTorch prints the largest number that there is.
void ErrorMessageTest::leavesOutNoLimit()
{
    const auto read = parseErrorMessage(
        "Allocation on device 0 would exceed allowed memory. (out of memory)\nRequested : 2.00 "
        "GiB\nPyTorch limit (set by user-supplied memory fraction)\n : 17179869184.00 GiB");
    QVERIFY(read);
    QVERIFY(!read->allowed);
    QCOMPARE(read->device, std::optional<int>{0});
}

void ErrorMessageTest::refuses_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("sentence");
    QTest::newRow("empty") << QByteArray{}
                           << QByteArray{"no out-of-memory message of PyTorch was found"};
    QTest::newRow("another error") << QByteArray{"RuntimeError: shape mismatch"}
                                   << QByteArray{"no out-of-memory message of PyTorch was found"};
    QTest::newRow("of the driver")
        << QByteArray{"RuntimeError: CUDA error: out of memory"} << QByteArray{"has no figures"};
    QTest::newRow("of a manual") << QByteArray{"Tried to allocate X MiB"}
                                 << QByteArray{"no out-of-memory message of PyTorch was found"};
    QTest::newRow("no unit") << QByteArray{"Tried to allocate 12 things"}
                             << QByteArray{"no size that could be read"};
    QTest::newRow("too long") << QByteArray(65537, 'x') << QByteArray{"more than 65,536 bytes"};
}

void ErrorMessageTest::refuses()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, sentence);
    const auto read = parseErrorMessage(text.toStdString());
    QVERIFY(!read);
    QCOMPARE(read.error().kind, base::ErrorKind::File);
    QVERIFY2(read.error().message.find(sentence.toStdString()) != std::string::npos,
             read.error().message.c_str());
    QVERIFY(read.error().message.ends_with('.'));
}

/// However a message ends, what is read of it is what stands there.
void ErrorMessageTest::isNeverCutShort()
{
    const std::string text = kTwo15;
    const auto whole = parseErrorMessage(text);
    const std::size_t asked = text.find(". GPU 1");
    for (std::size_t end = asked; end < text.size(); ++end) {
        const auto read = parseErrorMessage(std::string_view{text}.substr(0, end));
        QVERIFY(read);
        QCOMPARE(read->asked, whole->asked);
        QVERIFY(!read->free || *read->free == *whole->free);
        QVERIFY(!read->allocated || *read->allocated == *whole->allocated);
        QVERIFY(!read->reserved || *read->reserved == *whole->reserved);
        QVERIFY(read->processes.size() <= 1);
    }
}

const doctor::Remedy* remedy(const doctor::Diagnosis& diagnosis, std::string_view id)
{
    for (const doctor::Remedy& one : diagnosis.remedies)
        if (one.id == id)
            return &one;
    return nullptr;
}

void ErrorMessageTest::diagnosesWhatOthersUse()
{
    const doctor::Diagnosis found = diagnose(*parseErrorMessage(kTwo15));
    QVERIFY(found.isFailure && !found.byClass && !found.byFrame && !found.idleBlocks);
    QCOMPARE(found.missing->value.count(), bytes(1.25, kGiB) - bytes(1.18, kGiB));
    QCOMPARE(found.missing->error.count(), std::int64_t{2 * 5368710});
    QCOMPARE(found.remedies[0].id, std::string{"other_processes"});
    QVERIFY(found.remedies[0].enough == doctor::Enough::Allocation);
    // Of 10 GiB that would be free the limit lets the process use what it has left.
    QCOMPARE(found.remedies[0].saves->count(),
             bytes(85.5, kGiB) - bytes(80.63, kGiB) - bytes(120.54, kMiB) - bytes(1.18, kGiB));
    QVERIFY(found.remedies[0].text.find("10.00 GiB") != std::string::npos);
    QVERIFY(found.remedies[0].text.ends_with(" raise the limit of the process, too."));
    QCOMPARE(found.remedies[0].known, doctor::HowKnown::Live);
    const doctor::Remedy* expandable = remedy(found, "expandable_segments");
    QVERIFY(expandable && !expandable->saves && expandable->enough == doctor::Enough::NotKnown);
    QCOMPARE(expandable->atMost->count(), bytes(120.54, kMiB));
    // What is idle in private pools counts as allocated in the message, and isn't live.
    QCOMPARE(found.live->value.count(), bytes(80.63, kGiB) - bytes(17, kMiB));
    QCOMPARE(found.idle->value.count(), bytes(120.54, kMiB) + bytes(17, kMiB));
    QCOMPARE(remedy(found, "private_pools")->atMost->count(), bytes(17, kMiB));
    QCOMPARE(found.notes.size(), std::size_t{1});
    QVERIFY(
        found.notes[0].starts_with("The message counts 17.0 MiB of private pools as allocated"));
}

/// In a container the process that uses what PyTorch reserved is this one.
void ErrorMessageTest::findsItsOwnProcess()
{
    const auto message = [](const char* processes) {
        return *parseErrorMessage(
            "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 47.53 "
            "GiB of which 16.88 MiB is free. "
            + std::string{processes}
            + "Of the allocated memory 20.14 GiB is allocated by PyTorch, and 57.79 MiB is "
              "reserved by PyTorch but unallocated.");
    };
    const auto own =
        diagnose(message("Process 17 has 26.90 GiB memory in use. Process 36 has 20.61 "
                         "GiB memory in use. "));
    QCOMPARE(own.message->thisProcess->value.count(), bytes(20.61, kGiB));
    QCOMPARE(own.message->processes.size(), std::size_t{1});
    QCOMPARE(remedy(own, "other_processes")->saves->count(), bytes(26.9, kGiB));
    const auto alone = diagnose(message("Process 36 has 47.51 GiB memory in use. "));
    QVERIFY(!remedy(alone, "other_processes"));
    const auto small = diagnose(message("Process 36 has 1.00 GiB memory in use. "));
    QVERIFY(remedy(small, "other_processes")
            && remedy(small, "other_processes")->enough == doctor::Enough::NotKnown);
}

void ErrorMessageTest::namesTheLimitOfTheProcess()
{
    const auto found = diagnose(*parseErrorMessage(
        "CUDA out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 255.98 GiB "
        "of which 244.65 GiB is free. 1.05 GiB allowed; Of the allocated memory 1017.01 MiB is "
        "allocated by PyTorch, and 54.99 MiB is reserved by PyTorch but unallocated."));
    // 1.05 GiB - 1,072 MiB are left, and 2 MiB were asked for; each figure has an error.
    QCOMPARE(found.missing->value, Bytes{});
    QCOMPARE(found.missing->error.count(), std::int64_t{5368710 + 3 * 5243});
    QVERIFY(remedy(found, "memory_fraction"));
    QCOMPARE(remedy(found, "memory_fraction")->saves->count(),
             bytes(244.65, kGiB) - (bytes(1.05, kGiB) - bytes(1017.01, kMiB) - bytes(54.99, kMiB)));
    QVERIFY(remedy(found, "memory_fraction")->enough == doctor::Enough::Allocation);
}

constexpr std::int64_t kErrorGiB = 5368710; ///< of a size in GiB with two decimals

std::string oomOf(const std::string& asked, const std::string& rest)
{
    return "CUDA out of memory. Tried to allocate " + asked
           + ". GPU 0 has a total capacity of 79.15 GiB of which " + rest
           + " Of the allocated memory 20.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved "
             "by PyTorch but unallocated.";
}

/// The device has 79.15 GiB, of which 1 is free, this process has 40, and PyTorch 21 of these.
void ErrorMessageTest::tellsWhatIsOutsidePyTorch()
{
    const auto found = diagnose(*parseErrorMessage(
        oomOf("2.00 GiB", "1.00 GiB is free. Including non-PyTorch memory, this process has 40.00 "
                          "GiB memory in use.")));
    QCOMPARE(*found.foreign, (ToldBytes{Bytes{bytes(19, kGiB)}, Bytes{3 * kErrorGiB}}));
    QCOMPARE(*found.otherProcesses,
             (ToldBytes{Bytes{bytes(79.15, kGiB) - bytes(41, kGiB)}, Bytes{3 * kErrorGiB}}));
    QVERIFY(!found.outside);
    QCOMPARE(remedy(found, "other_processes")->atMost, found.otherProcesses->value);
    QVERIFY(!remedy(found, "other_processes")->saves);
    QCOMPARE(remedy(found, "outside_pytorch")->atMost, found.foreign->value);
    QVERIFY(!remedy(found, "outside_pytorch")->saves);
    QCOMPARE(found.remedies[0].id, std::string{"other_processes"});
    QCOMPARE(found.remedies[1].id, std::string{"outside_pytorch"});
    // Sizes that don't fit together tell nothing.
    const auto wrong = diagnose(*parseErrorMessage(
        oomOf("2.00 GiB", "70.00 GiB is free. Including non-PyTorch memory, this process has 20.00 "
                          "GiB memory in use.")));
    QVERIFY(!wrong.foreign && !wrong.otherProcesses && !remedy(wrong, "outside_pytorch"));
}

/// Before PyTorch 2.1, and on AMD, a message doesn't tell what the process has.
void ErrorMessageTest::tellsWhatIsOutsideWithoutAProcess()
{
    const auto found = diagnose(*parseErrorMessage(oomOf("2.00 GiB", "1.00 GiB is free.")));
    QVERIFY(!found.foreign && !found.otherProcesses);
    QCOMPARE(*found.outside,
             (ToldBytes{Bytes{bytes(79.15, kGiB) - bytes(22, kGiB)}, Bytes{4 * kErrorGiB}}));
    QCOMPARE(remedy(found, "outside_pytorch")->atMost, found.outside->value);
}

void ErrorMessageTest::namesProcessesThatAreNotListed()
{
    const auto found = diagnose(*parseErrorMessage(
        oomOf("2.00 GiB", "1.00 GiB is free. Process 7 has 30.00 GiB memory in use. Including "
                          "non-PyTorch memory, this process has 40.00 GiB memory in use.")));
    QCOMPARE(remedy(found, "other_processes")->saves->count(), bytes(30, kGiB));
    QCOMPARE(remedy(found, "unlisted_processes")->atMost->count(),
             bytes(79.15, kGiB) - bytes(71, kGiB));
    // 8.15 GiB more: within what the sizes may be off, nothing is left.
    const auto all = diagnose(*parseErrorMessage(
        oomOf("2.00 GiB", "1.00 GiB is free. Process 7 has 38.14 GiB memory in use. Including "
                          "non-PyTorch memory, this process has 40.00 GiB memory in use.")));
    QVERIFY(!remedy(all, "unlisted_processes"));
}

/// Of the 2 GiB that the process may have PyTorch has 1.3, so that 0.7 are left of 3.12 free ones.
void ErrorMessageTest::tellsWhatLiftingTheLimitGives()
{
    const auto after = [](const char* asked) {
        return diagnose(*parseErrorMessage(
            std::string{"CUDA out of memory. Tried to allocate "} + asked
            + ". GPU 0 has a total capacity of 8.00 GiB of which 3.12 GiB is free. 2.00 GiB "
              "allowed; Of the allocated memory 1.20 GiB is allocated by PyTorch, and 0.10 GiB is "
              "reserved by PyTorch but unallocated."));
    };
    const auto found = after("4.00 GiB");
    const std::int64_t left = bytes(2, kGiB) - bytes(1.2, kGiB) - bytes(0.1, kGiB);
    QCOMPARE(found.missing->value.count(), bytes(4, kGiB) - left);
    QCOMPARE(found.missing->error.count(), 4 * kErrorGiB);
    const doctor::Remedy* limit = remedy(found, "memory_fraction");
    QVERIFY(limit && limit->enough == doctor::Enough::NotKnown);
    QCOMPARE(limit->saves->count(), bytes(3.12, kGiB) - left);
    QVERIFY(limit->text.find("torch.cuda.set_per_process_memory_fraction()") != std::string::npos);
    QVERIFY(remedy(after("2.00 GiB"), "memory_fraction")->enough == doctor::Enough::Allocation);
    // More free memory is of no use below that limit.
    const doctor::Remedy* outside = remedy(found, "outside_pytorch");
    QVERIFY(outside && outside->text.ends_with(" raise the limit of the process, too."));
    const auto others = diagnose(*parseErrorMessage(
        oomOf("2.00 GiB", "3.00 GiB is free. Process 7 has 30.00 GiB memory in use. Including "
                          "non-PyTorch memory, this process has 40.00 GiB memory in use. 21.50 GiB "
                          "allowed;")));
    QCOMPARE(remedy(others, "other_processes")->atMost->count(), bytes(30, kGiB));
    QVERIFY(!remedy(others, "other_processes")->saves);
    QVERIFY(remedy(others, "other_processes")->enough == doctor::Enough::NotKnown);
    // 3.12 GiB are free, within 0.005; and as many are asked for.
    QVERIFY(remedy(after("3.12 GiB"), "memory_fraction")->enough == doctor::Enough::NotKnown);
}

void ErrorMessageTest::readsMps()
{
    const auto read = parseErrorMessage(
        "RuntimeError: MPS backend out of memory (MPS allocated: 17.99 GiB, other allocations: "
        "96.00 MiB, max allowed: 18.13 GiB). Tried to allocate 100.00 MiB on private pool. Use "
        "PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may "
        "cause system failure).");
    QVERIFY(read);
    QCOMPARE(read->backend, std::string{"MPS"});
    QCOMPARE(read->asked->value.count(), bytes(100, kMiB));
    QCOMPARE(read->allocated->value.count(), bytes(17.99, kGiB));
    QCOMPARE(read->foreign->value.count(), bytes(96, kMiB));
    QCOMPARE(read->allowed->value.count(), bytes(18.13, kGiB));
    const auto found = diagnose(*read);
    QCOMPARE(found.live->value.count(), bytes(17.99, kGiB));
    QCOMPARE(*found.foreign, *read->foreign);
    QCOMPARE(found.missing->value.count(),
             bytes(100, kMiB) - (bytes(18.13, kGiB) - bytes(17.99, kGiB) - bytes(96, kMiB)));
    QCOMPARE(found.missing->error.count(), 2 * kErrorGiB + 2 * 5243);
    QCOMPARE(remedy(found, "outside_pytorch")->atMost->count(), bytes(96, kMiB));
    const doctor::Remedy* limit = remedy(found, "memory_fraction");
    QVERIFY(limit && !limit->saves);
    QVERIFY(limit->text.find("PYTORCH_MPS_HIGH_WATERMARK_RATIO") != std::string::npos);
    // Until PyTorch 2.6 the same units were called GB and MB.
    const auto old = parseErrorMessage(
        "MPS backend out of memory (MPS allocated: 17.99 GB, other allocations: 96.00 MB, max "
        "allowed: 18.13 GB). Tried to allocate 100.00 MB on private pool.");
    QVERIFY(old);
    for (const auto member : {&doctor::ErrorMessage::asked, &doctor::ErrorMessage::allocated,
                              &doctor::ErrorMessage::foreign, &doctor::ErrorMessage::allowed})
        QVERIFY((*old).*member == (*read).*member);
    // What another message says before isn't this one's.
    const auto second = parseErrorMessage("MPS backend out of memory (MPS allocated: 1.00 GiB) and "
                                          "CUDA out of memory. Tried to allocate 3.00 MiB");
    QVERIFY(second && second->backend == "CUDA" && !second->allocated);
}

void ErrorMessageTest::alwaysNamesSomething_data()
{
    readsEveryWording_data();
}

void ErrorMessageTest::alwaysNamesSomething()
{
    QFETCH(QByteArray, text);
    const auto found = diagnose(*parseErrorMessage(text.toStdString()));
    for (const char* id : {"smaller_batch", "checkpointing"}) {
        const doctor::Remedy* one = remedy(found, id);
        QVERIFY2(one && !one->saves && !one->atMost, id);
    }
}

} // namespace

PLIMSOLL_TEST(ErrorMessageTest, QCoreApplication)
#include "error_message_test.moc"
