// SPDX-License-Identifier: Apache-2.0
#include "core/capture/checksum.h"

#include "tests/support/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <span>
#include <string>
#include <zlib.h>

using namespace plimsoll;

namespace {

std::uint32_t ours(std::string_view bytes, std::uint32_t before = 0)
{
    return capture::wire::checksum(std::as_bytes(std::span{bytes}), before);
}

std::uint32_t zlibs(std::string_view bytes)
{
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

class ChecksumTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isThatOfZlib();
    void canBeContinuedAnywhere();
};

void ChecksumTest::isThatOfZlib()
{
    QCOMPARE(ours("123456789"), 0xCBF43926U); // the check value of CRC-32
    tests::Random random{7};
    std::string bytes;
    for (int size = 0; size < 200; ++size) {
        QCOMPARE(ours(bytes), zlibs(bytes));
        bytes += static_cast<char>(random.between(0, 255));
    }
}

void ChecksumTest::canBeContinuedAnywhere()
{
    const std::string bytes = "A capture's chunk: its head, then its records.";
    for (std::size_t at = 0; at <= bytes.size(); ++at)
        QCOMPARE(
            ours(std::string_view{bytes}.substr(at), ours(std::string_view{bytes}.substr(0, at))),
            zlibs(bytes));
}

} // namespace

PLIMSOLL_TEST(ChecksumTest, tests::NoApplication)
#include "checksum_test.moc"
