// SPDX-License-Identifier: Apache-2.0
// What files bring along is shown as text and as nothing else.
#include "ui/base/texts.h"

#include "tests/support/test_main.h"

#include <QTest>
#include <QTextDocument>

namespace {

using namespace plimsoll::ui;

class TextsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void escapesWhatDoesNotShow();
    void keepsHtmlOutOfToolTips();
    void keepsAmpersands();
};

void TextsTest::escapesWhatDoesNotShow()
{
    QCOMPARE(fileText(std::string_view{"über/h.0 ✓"}), QStringLiteral("über/h.0 ✓"));
    QCOMPARE(fileText(std::string_view{"a\xe2\x80\xae"
                                       "b\nc\x1b[31m"}),
             QStringLiteral("a\\u202eb\\x0ac\\x1b[31m"));
    QCOMPARE(fileText(std::string_view{"\xff"}), QStringLiteral("\\xff"));
    QCOMPARE(fileText(QStringLiteral("a\u2066b")), QStringLiteral("a\\u2066b"));
    QVERIFY(fileText(std::string(100'000, 'x')).size() < 1100);
}

void TextsTest::keepsHtmlOutOfToolTips()
{
    const QString plain = QStringLiteral("h.0 < 1 & 2");
    QCOMPARE(plainTip(plain), plain);
    const QString name = QStringLiteral("<b>bold</b><img src='/etc/hostname'>");
    QTextDocument shown;
    shown.setHtml(plainTip(name));
    QCOMPARE(shown.toPlainText(), name);
}

void TextsTest::keepsAmpersands()
{
    QCOMPARE(withoutMnemonic(QStringLiteral("R&D")), QStringLiteral("R&&D"));
}

} // namespace

PLIMSOLL_TEST(TextsTest, QApplication)
#include "texts_test.moc"
