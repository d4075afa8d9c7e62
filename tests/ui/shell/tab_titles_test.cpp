// SPDX-License-Identifier: Apache-2.0
// Tabs of documents with one title can be told apart.
#include "ui/shell/tab_titles.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QDir>
#include <QFile>
#include <QTabBar>
#include <QTest>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;

class TabTitlesTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void tellsThemApart_data();
    void tellsThemApart();
    void theTabsHaveThem();
    void longOnesFitTheBar();
};

void TabTitlesTest::tellsThemApart_data()
{
    QTest::addColumn<QStringList>("names"); // title, file, title, file
    QTest::addColumn<QStringList>("titles");
    QTest::newRow("none") << QStringList{} << QStringList{};
    QTest::newRow("different") << QStringList{"a", "/x/a", "b", "/y/b"} << QStringList{"a", "b"};
    QTest::newRow("folders") << QStringList{"a", "/x/a", "a", "/y/a", "b", "/x/b"}
                             << QStringList{"a — x", "a — y", "b"};
    QTest::newRow("deeper") << QStringList{"a", "/x/run/a", "a", "/y/run/a"}
                            << QStringList{"a — x", "a — y"};
    QTest::newRow("each its own depth")
        << QStringList{"a", "/x/run/a", "a", "/y/run/a", "a", "/y/last/a"}
        << QStringList{"a — x", "a", "a — last"};
    QTest::newRow("other lengths")
        << QStringList{"a", "/a", "a", "/y/a"} << QStringList{"a", "a — y"};
    QTest::newRow("one file twice")
        << QStringList{"a", "/x/a", "a", "/x/a"} << QStringList{"a", "a (2)"};
    QTest::newRow("no file") << QStringList{"a", "", "a", "", "a", ""}
                             << QStringList{"a", "a (2)", "a (3)"};
}

void TabTitlesTest::tellsThemApart()
{
    QFETCH(QStringList, names);
    QFETCH(QStringList, titles);
    std::vector<TabName> tabs;
    for (qsizetype i = 0; i < names.size(); i += 2)
        tabs.push_back({names[i], names[i + 1]});
    QCOMPARE(distinctTitles(tabs), titles);
}

void TabTitlesTest::theTabsHaveThem()
{
    openWindow();
    QVERIFY(open(sampleFile("resnet18")) != nullptr);
    const auto* tabs = m_window->findChild<QTabBar*>();
    QCOMPARE(tabs->tabText(1), QStringLiteral("resnet18"));
    const QDir folder{QString::fromStdString(m_folder->file(""))};
    QVERIFY(folder.mkpath(QStringLiteral("copies")));
    const QString copy = folder.filePath(QStringLiteral("copies/resnet18.plimsoll.json.gz"));
    QVERIFY(QFile::copy(sampleFile("resnet18"), copy));
    QVERIFY(open(copy) != nullptr);
    QTRY_COMPARE(tabs->tabText(1), QStringLiteral("resnet18 — samples"));
    QCOMPARE(tabs->tabText(2), QStringLiteral("resnet18 — copies"));
    closeWindow();
}

void TabTitlesTest::longOnesFitTheBar()
{
    openWindow();
    m_window->resize(1024, 640);
    const QString name = QStringLiteral("begin-") + QString{120, u'x'};
    const QString copy =
        QDir{QString::fromStdString(m_folder->file(""))}.filePath(name + ".plimsoll.json.gz");
    QVERIFY(QFile::copy(sampleFile("resnet18"), copy));
    QVERIFY(open(copy) != nullptr);
    const auto* tabs = m_window->findChild<QTabBar*>();
    const QString shown = tabs->tabText(1);
    QVERIFY2(shown.startsWith(QStringLiteral("begin-")) && shown.contains(u'…'), qPrintable(shown));
    QVERIFY(tabs->tabRect(1).width() < m_window->width() / 2);
    m_window->resize(1900, 900); // there is more room now
    QTRY_VERIFY(tabs->tabText(1).size() > shown.size());
    closeWindow();
}

} // namespace

PLIMSOLL_TEST(TabTitlesTest, QApplication)
#include "tab_titles_test.moc"
