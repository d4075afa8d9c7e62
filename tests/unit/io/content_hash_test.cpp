// SPDX-License-Identifier: Apache-2.0
#include "core/io/content_hash.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <set>
#include <string>

namespace {

using plimsoll::io::contentHash;
using plimsoll::io::PartsHash;

std::string partsHash(std::string_view bytes, std::size_t part = std::string_view::npos)
{
    PartsHash hash;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(part, bytes.size())))
        hash.add(bytes.substr(0, part));
    return hash.text();
}

class ContentHashTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void neverChanges_data();
    void neverChanges();
    void differsForEveryChangedBit();
    void differsForEveryLength();
    void partsMakeNoDifference();
};

void ContentHashTest::neverChanges_data()
{
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::string>("hash");
    // Saved sessions hold such values: a change here breaks them.
    QTest::newRow("nothing") << std::string{} << std::string{"1176da9e29601ab2"};
    QTest::newRow("less than a word") << std::string{"abc"} << std::string{"3702dbf1f7f70992"};
    QTest::newRow("words and a rest")
        << std::string{"the load line of a ship"} << std::string{"81e129dbe2cf7e83"};
}

void ContentHashTest::neverChanges()
{
    QFETCH(std::string, bytes);
    QFETCH(std::string, hash);
    QCOMPARE(contentHash(bytes), hash);
}

void ContentHashTest::differsForEveryChangedBit()
{
    std::string bytes(100, 'x');
    std::set<std::string> seen{contentHash(bytes), partsHash(bytes)};
    for (char& byte : bytes)
        for (unsigned bit = 0; bit < 8; ++bit) {
            const char before = byte;
            byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << bit));
            QVERIFY(seen.insert(contentHash(bytes)).second);
            QVERIFY(seen.insert(partsHash(bytes)).second);
            byte = before;
        }
}

void ContentHashTest::differsForEveryLength()
{
    std::set<std::string> seen;
    for (std::size_t length = 0; length < 100; ++length) {
        QVERIFY(seen.insert(contentHash(std::string(length, '\0'))).second);
        QVERIFY(seen.insert(partsHash(std::string(length, '\0'))).second);
    }
}

void ContentHashTest::partsMakeNoDifference()
{
    std::string bytes;
    for (int i = 0; i < 1000; ++i)
        bytes += static_cast<char>(i * 7 % 251);
    const std::string whole = partsHash(bytes);
    QCOMPARE(whole.c_str(), "b3b97f855d4f0ae0"); // saved sessions hold such values
    for (const std::size_t part : {1U, 3U, 31U, 32U, 33U, 500U})
        QCOMPARE(partsHash(bytes, part), whole);
}

} // namespace

PLIMSOLL_TEST(ContentHashTest, QCoreApplication)
#include "content_hash_test.moc"
