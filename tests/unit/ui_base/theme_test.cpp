// SPDX-License-Identifier: Apache-2.0
#include "ui/base/theme.h"

#include "ui/base/drawn_text.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"

#include "tests/support/test_main.h"
#include "tests/unit/ui_base/color_distance.h"

#include <QApplication>
#include <QFile>
#include <QPainter>
#include <QPalette>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace {

using plimsoll::base::Bytes;
using plimsoll::base::Nanoseconds;
using plimsoll::tests::colorDistance;
using plimsoll::tests::Vision;
using namespace plimsoll::ui; // NOLINT(google-build-using-namespace)

double leastDistance(const std::vector<Role>& roles, bool dark, Vision vision, bool neighboursOnly)
{
    double least = 1000;
    for (std::size_t a = 0; a < roles.size(); ++a)
        for (std::size_t b = a + 1; b < roles.size(); ++b)
            if (!neighboursOnly || b == a + 1)
                least = std::min(least, colorDistance(tokenColor(roles[a], dark),
                                                      tokenColor(roles[b], dark), vision));
    return least;
}

std::vector<Role> rolesOf(RoleKind kind)
{
    std::vector<Role> roles;
    for (const Token& token : tokens())
        if (token.kind == kind)
            roles.push_back(token.role);
    return roles;
}

class ThemeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression{QStringLiteral(".*")}); }

    void listsTheTokensInTheOrderOfTheirRoles();
    void measuresKnownDistances();
    void keepsContrast_data();
    void keepsContrast();
    void keepsDistances_data();
    void keepsDistances();
    void labelsEveryClassReadably();
    void switchesWhileRunning();
    void leavesNoPlaceholderInTheSheet();
    void scalesFontsAndLengths();
    void hasAnIconForEachName_data();
    void hasAnIconForEachName();
    void tintsIconsWithTheTheme();
    void writesNumbers();
    void givesEveryDigitTheSameWidth();
};

void ThemeTest::listsTheTokensInTheOrderOfTheirRoles()
{
    QCOMPARE(tokens().size(), kRoleCount);
    for (std::size_t i = 0; i < tokens().size(); ++i)
        QCOMPARE(static_cast<std::size_t>(tokens()[i].role), i);
    QCOMPARE(tokenColor(Role::Accent, true).name(), QStringLiteral("#8e9bff"));
    QCOMPARE(tokenColor(classRole(5), false).name(), QStringLiteral("#2791cd"));
}

void ThemeTest::measuresKnownDistances()
{
    QVERIFY(std::abs(contrast(Qt::white, Qt::black) - 21.0) < 1e-9);
    QCOMPARE(colorDistance(Qt::red, Qt::red, Vision::Normal), 0.0);
    QVERIFY(std::abs(colorDistance(Qt::white, Qt::black, Vision::Normal) - 100.0) < 0.01);
    // A red-blind eye tells this red and green apart far less than a full one.
    const QColor red{200, 60, 60};
    const QColor green{110, 120, 50};
    QVERIFY(colorDistance(red, green, Vision::Protan)
            < colorDistance(red, green, Vision::Normal) / 2);
}

void ThemeTest::keepsContrast_data()
{
    QTest::addColumn<int>("role");
    QTest::addColumn<bool>("dark");
    for (const Token& token : tokens())
        for (const bool dark : {false, true})
            if (token.kind != RoleKind::Ground && token.kind != RoleKind::Decoration)
                QTest::addRow("%s %s", token.name, dark ? "dark" : "light")
                    << static_cast<int>(token.role) << dark;
}

void ThemeTest::keepsContrast()
{
    QFETCH(int, role);
    QFETCH(bool, dark);
    const Token& token = tokens()[static_cast<std::size_t>(role)];
    const bool text = token.kind == RoleKind::Text;
    std::vector<Role> grounds{Role::Panel, Role::Plot};
    if (text)
        grounds.push_back(Role::Window);
    for (const Role ground : grounds)
        QVERIFY(contrast(tokenColor(token.role, dark), tokenColor(ground, dark))
                >= (text ? 4.5 : 3.0));
}

void ThemeTest::keepsDistances_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<int>("vision");
    for (const bool dark : {false, true})
        for (const Vision vision : {Vision::Normal, Vision::Protan, Vision::Deutan})
            QTest::addRow("%s vision %d", dark ? "dark" : "light", static_cast<int>(vision))
                << dark << static_cast<int>(vision);
}

void ThemeTest::keepsDistances()
{
    QFETCH(bool, dark);
    QFETCH(int, vision);
    const auto seen = static_cast<Vision>(vision);
    const std::vector<Role> classes = rolesOf(RoleKind::Class);
    QCOMPARE(classes.size(), kClassRoles);
    for (const RoleKind kind : {RoleKind::Class, RoleKind::Decision, RoleKind::Planner})
        QVERIFY(leastDistance(rolesOf(kind), dark, seen, false) >= 12.0);
    QVERIFY(leastDistance(classes, dark, seen, true) >= 13.0);
    if (seen == Vision::Normal)
        for (const Role role : classes)
            QVERIFY(colorDistance(tokenColor(role, dark), tokenColor(Role::Danger, dark), seen)
                    >= 18.0);
}

void ThemeTest::labelsEveryClassReadably()
{
    for (const Role role : rolesOf(RoleKind::Class))
        for (const bool dark : {false, true}) {
            const QColor ground = tokenColor(role, dark);
            QVERIFY(contrast(labelColorOn(ground), ground) >= 4.5);
        }
}

void ThemeTest::switchesWhileRunning()
{
    Theme theme;
    theme.setChoice(ThemeChoice::Light);
    const QSignalSpy changed{&theme, &Theme::changed};
    theme.setChoice(ThemeChoice::Dark);
    QCOMPARE(changed.size(), 1);
    QVERIFY(theme.isDark());
    QCOMPARE(QApplication::palette().color(QPalette::Window), tokenColor(Role::Window, true));
    QVERIFY(qApp->styleSheet().contains(tokenColor(Role::Accent, true).name()));
    theme.setChoice(ThemeChoice::Dark);
    QCOMPARE(changed.size(), 1);
}

void ThemeTest::leavesNoPlaceholderInTheSheet()
{
    const Theme theme;
    QVERIFY(qApp->styleSheet().size() > 1000);
    QVERIFY(!qApp->styleSheet().contains(u'@'));
}

void ThemeTest::scalesFontsAndLengths()
{
    Theme theme;
    const double scale = theme.scale();
    const int body = theme.font(TextRole::Body).pixelSize();
    theme.setScalePercent(200);
    QCOMPARE(theme.scale(), scale * 2);
    QCOMPARE(theme.font(TextRole::Body).pixelSize(), body * 2);
    QVERIFY(theme.font(TextRole::Figure).pixelSize() > theme.font(TextRole::Head).pixelSize());
    theme.setScalePercent(10);
    QCOMPARE(theme.scalePercent(), 75);
}

void ThemeTest::hasAnIconForEachName_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"check",    "chev",
                             "chevr",    "clock",
                             "close",    "error",
                             "export",   "file",
                             "fit",      "gpu",
                             "info",     "keep",
                             "more",     "open",
                             "pin",      "planner",
                             "plus",     "recompute",
                             "redo",     "search",
                             "settings", "undo",
                             "verified", "warn",
                             "plimsoll", "plimsoll-symbolic"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void ThemeTest::hasAnIconForEachName()
{
    QFETCH(QString, name);
    const Theme theme; // registers the resources
    QVERIFY(QFile::exists(QStringLiteral(":/plimsoll/icons/%1.svg").arg(name)));
    for (const int side : {12, 16, 32}) {
        QImage image{side, side, QImage::Format_ARGB32_Premultiplied};
        image.fill(Qt::transparent);
        QPainter painter{&image};
        drawIcon(painter, QRectF{0, 0, static_cast<double>(side), static_cast<double>(side)}, name,
                 Qt::black);
        painter.end();
        QImage blank{image.size(), image.format()};
        blank.fill(Qt::transparent);
        QVERIFY(image != blank);
    }
}

void ThemeTest::tintsIconsWithTheTheme()
{
    Theme theme;
    const QIcon undo = icon(QStringLiteral("undo"), Role::Text);
    const auto brightness = [&] {
        const QImage image = undo.pixmap(QSize{32, 32}).toImage();
        int sum = 0;
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (image.pixelColor(x, y).alpha() > 200) {
                    sum += image.pixelColor(x, y).lightness();
                    ++count;
                }
        return count == 0 ? -1 : sum / count;
    };
    theme.setChoice(ThemeChoice::Light);
    const int light = brightness();
    theme.setChoice(ThemeChoice::Dark);
    const int dark = brightness();
    QVERIFY(light >= 0 && light < 60);
    QVERIFY(dark > 200);
}

void ThemeTest::writesNumbers()
{
    const auto plain = [](QString text) { return text.replace(QChar{0xa0}, QChar{u' '}); };
    constexpr std::int64_t kMiB = std::int64_t{1} << 20;
    QCOMPARE(plain(bytesText(Bytes{7424 * kMiB})), QStringLiteral("7.25 GiB"));
    QCOMPARE(plain(bytesText(Bytes{288 * kMiB})), QStringLiteral("288.0 MiB"));
    QCOMPARE(plain(bytesText(Bytes{12})), QStringLiteral("12 B"));
    QCOMPARE(plain(bytesText(Bytes{7424 * kMiB + 1}, Rounding::Up)), QStringLiteral("7.26 GiB"));
    QCOMPARE(plain(bytesText(Bytes{7424 * kMiB - 1}, Rounding::Down)), QStringLiteral("7.24 GiB"));
    QCOMPARE(plain(shortBytesText(Bytes{289 * kMiB})), QStringLiteral("289 MiB"));
    QCOMPARE(plain(exactBytesText(Bytes{288 * kMiB})),
             QStringLiteral("288.00 MiB (301,989,888 B)"));
    QCOMPARE(plain(bytesDifferenceText(Bytes{-7342 * kMiB})), QStringLiteral("−7.17 GiB"));
    QCOMPARE(bytesDifferenceText(Bytes{}), QStringLiteral("0"));
    QCOMPARE(plain(bytesDifferenceText(Bytes{-512 * kMiB}, Bytes{2048 * kMiB})),
             QStringLiteral("−0.50 GiB"));
    QCOMPARE(plain(bytesDifferenceText(Bytes{-512 * kMiB}, Bytes{600 * kMiB})),
             QStringLiteral("−512.0 MiB"));
    QCOMPARE(plain(timeText(Nanoseconds{93'800'000})), QStringLiteral("93.8 ms"));
    QCOMPARE(plain(timeText(Nanoseconds{164'000'000})), QStringLiteral("164 ms"));
    QCOMPARE(plain(timeText(Nanoseconds{2'310'000'000})), QStringLiteral("2.31 s"));
    QCOMPARE(plain(timeDifferenceText(Nanoseconds{15'300'000})), QStringLiteral("+15.3 ms"));
    QCOMPARE(plain(percentText(0.474)), QStringLiteral("47.4 %"));
    QCOMPARE(plain(percentDifferenceText(0.102)), QStringLiteral("+10.2 %"));
    QCOMPARE(percentDifferenceText(0.0001), QStringLiteral("0"));
    QCOMPARE(countText(48312), QStringLiteral("48,312"));
    QCOMPARE(plain(countText(2'700'000)), QStringLiteral("2.7 M"));
}

void ThemeTest::givesEveryDigitTheSameWidth()
{
    const Theme theme;
    const QFont font = theme.font(TextRole::Body);
    QCOMPARE(numberWidth(font, QStringLiteral("1.11")), numberWidth(font, QStringLiteral("8.08")));
}

} // namespace

PLIMSOLL_TEST(ThemeTest, QApplication)
#include "theme_test.moc"
