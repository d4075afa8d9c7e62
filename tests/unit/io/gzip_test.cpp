// SPDX-License-Identifier: Apache-2.0
// What is compressed is read back as it was, whatever it is and however it falls into pieces.
#include "core/io/gzip.h"

#include "core/io/byte_source.h"

#include "tests/support/random.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <string>

using namespace plimsoll;

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16U;

/// Half of it repeats, half does not.
std::string content(std::size_t size)
{
    tests::Random random{size};
    std::string bytes;
    while (bytes.size() < size)
        bytes += bytes.size() % 2048 < 1024 ? 'a' : static_cast<char>(random.between(0, 255));
    return bytes;
}

class GzipTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isReadBackAsItWas_data();
    void isReadBackAsItWas();
    void nothingIsACompressedFileToo();
};

void GzipTest::isReadBackAsItWas_data()
{
    QTest::addColumn<int>("size");
    for (const std::size_t size : {std::size_t{1}, kPiece - 1, kPiece, kPiece + 1, 5 * kPiece})
        QTest::addRow("%zu bytes", size) << static_cast<int>(size);
}

void GzipTest::isReadBackAsItWas()
{
    QFETCH(int, size);
    const std::string bytes = content(static_cast<std::size_t>(size));
    const std::string packed = io::gzipped(bytes).value();
    QCOMPARE(io::gzipped(bytes).value(), packed);
    QVERIFY(size < 100 || packed.size() < bytes.size());
    const tests::TempFolder folder;
    const auto read = io::readFile(folder.fileWith("packed", packed));
    QVERIFY(read && read->file.compressed);
    QVERIFY(read->bytes == bytes);
}

void GzipTest::nothingIsACompressedFileToo()
{
    const std::string packed = io::gzipped("").value();
    QCOMPARE(packed.size(), std::size_t{20}); // header, an empty block, sums
    QVERIFY(packed.starts_with("\x1f\x8b"));
}

} // namespace

PLIMSOLL_TEST(GzipTest, QCoreApplication)
#include "gzip_test.moc"
