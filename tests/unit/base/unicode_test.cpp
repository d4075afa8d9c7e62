// SPDX-License-Identifier: Apache-2.0
#include "core/base/unicode.h"

#include "core/base/format.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <string>

namespace {

using namespace plimsoll::base;

class UnicodeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void decodesValidTextOnly_data();
    void decodesValidTextOnly();
    void knowsWhatIsHidden();
    void escapesAsLiteralsDo();
    void printableShowsHiddenCharacters();
};

void UnicodeTest::decodesValidTextOnly_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<uint>("code");
    QTest::addColumn<int>("length");
    QTest::newRow("empty") << std::string{} << 0U << 0;
    QTest::newRow("ASCII") << std::string{"a"} << 0x61U << 1;
    QTest::newRow("two bytes") << std::string{"\xc3\xa9"} << 0xe9U << 2;
    QTest::newRow("three bytes") << std::string{"\xe2\x80\xaex"} << 0x202eU << 3;
    QTest::newRow("four bytes") << std::string{"\xf0\x9f\x98\x80"} << 0x1f600U << 4;
    QTest::newRow("cut off") << std::string{"\xe2\x80"} << 0U << 0;
    QTest::newRow("overlong in two") << std::string{"\xc1\xbf"} << 0U << 0;
    QTest::newRow("overlong in three") << std::string{"\xe0\x80\x9b"} << 0U << 0;
    QTest::newRow("surrogate") << std::string{"\xed\xa0\x80"} << 0U << 0;
    QTest::newRow("past the last") << std::string{"\xf4\x90\x80\x80"} << 0U << 0;
    QTest::newRow("stray continuation") << std::string{"\x9b"} << 0U << 0;
}

void UnicodeTest::decodesValidTextOnly()
{
    QFETCH(std::string, text);
    QFETCH(uint, code);
    QFETCH(int, length);
    const Character character = firstCharacter(text);
    QCOMPARE(static_cast<uint>(character.code), code);
    QCOMPARE(static_cast<int>(character.length), length);
}

void UnicodeTest::knowsWhatIsHidden()
{
    for (const char32_t code :
         {U'\0', U'\x1b', U'\x7f', char32_t{0x9b}, char32_t{0x200b}, char32_t{0x202e},
          char32_t{0x2066}, char32_t{0xfeff}, char32_t{0xe0001}})
        QVERIFY2(isHidden(code), std::to_string(static_cast<unsigned>(code)).c_str());
    for (const char32_t code :
         {U' ', U'~', char32_t{0xe9}, char32_t{0x2026}, char32_t{0x4e00}, char32_t{0x1f600}})
        QVERIFY2(!isHidden(code), std::to_string(static_cast<unsigned>(code)).c_str());
}

void UnicodeTest::escapesAsLiteralsDo()
{
    const std::string text = "\"a\xe2\x80\xae\xc3\xa9\xf3\xa0\x80\x81\x7f\"\n";
    QCOMPARE(escapeHidden(text, Escapes::Python),
             std::string{"\"a\\u202e\xc3\xa9\\U000e0001\\u007f\"\n"});
    QCOMPARE(escapeHidden(text, Escapes::Json),
             std::string{"\"a\\u202e\xc3\xa9\\udb40\\udc01\\u007f\"\n"});
}

void UnicodeTest::printableShowsHiddenCharacters()
{
    QCOMPARE(printable("a\x1b[31m\n\xe2\x80\xae\xc2\x9b\xe2\x81\xa6\xff\xc3\xa9"),
             std::string{"a\\x1b[31m\\x0a\\u202e\\u009b\\u2066\\xff\xc3\xa9"});
}

} // namespace

PLIMSOLL_TEST(UnicodeTest, QCoreApplication)
#include "unicode_test.moc"
