// SPDX-License-Identifier: Apache-2.0
#include "ui/manual/manual_search.h"

#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace plimsoll::ui;

ManualPage page(const char* path, const char* markdown)
{
    return parseManualPage(QString::fromLatin1(path), QString::fromUtf8(markdown));
}

class ManualSearchTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsSectionsWithAllWords();
    void ranksTitlesBeforeTexts();
    void ranksChaptersBeforeDescriptions();
    void quotesTheTextAroundAWord();
    void findsNothingWithoutWords();
    void readsTextsWithoutTheirMarkup();
    void numbersHeadingsThatRepeat();
    void resolvesLinksFromTheirPage();
};

void ManualSearchTest::findsSectionsWithAllWords()
{
    const std::vector<ManualPage> pages{
        page("resources/manual/a.md", "# A\n\nkeeps memory\n\n## Budget\n\nlimits the PEAK\n")};
    const std::vector<ManualHit> hits =
        searchManual(pages, searchWords(QStringLiteral("peak lim")));
    QCOMPARE(hits.size(), std::size_t{1});
    QCOMPARE(hits[0].target, QStringLiteral("resources/manual/a.md#budget"));
    QCOMPARE(hits[0].title, QStringLiteral("Budget"));
    QCOMPARE(hits[0].page, QStringLiteral("A"));
    QVERIFY(searchManual(pages, searchWords(QStringLiteral("peak memory"))).empty());
}

void ManualSearchTest::ranksTitlesBeforeTexts()
{
    const std::vector<ManualPage> pages{page(
        "resources/manual/a.md", "# A\n\npins pins pins pins pins\n\n## Pins\n\nkeep values\n")};
    const std::vector<ManualHit> hits = searchManual(pages, searchWords(QStringLiteral("pins")));
    QCOMPARE(hits.size(), std::size_t{2});
    QCOMPARE(hits[0].title, QStringLiteral("Pins"));
}

void ManualSearchTest::ranksChaptersBeforeDescriptions()
{
    const std::vector<ManualPage> pages{
        page("core/plan_file/FORMAT.md", "# Plan file\n\nthe reserve\n"),
        page("resources/manual/a.md", "# A\n\nthe reserve\n")};
    const std::vector<ManualHit> hits = searchManual(pages, searchWords(QStringLiteral("reserve")));
    QCOMPARE(hits.size(), std::size_t{2});
    QCOMPARE(hits[0].target, QStringLiteral("resources/manual/a.md"));
}

void ManualSearchTest::quotesTheTextAroundAWord()
{
    const QByteArray text = "# A\n\n" + QByteArray{"word "}.repeated(50) + "needle in it\n";
    const std::vector<ManualHit> hits =
        searchManual({page("a.md", text.constData())}, searchWords(QStringLiteral("needle")));
    QCOMPARE(hits.size(), std::size_t{1});
    QVERIFY(hits[0].excerpt.startsWith(u'…'));
    QVERIFY(hits[0].excerpt.endsWith(QLatin1String("needle in it")));
}

void ManualSearchTest::findsNothingWithoutWords()
{
    QVERIFY(
        searchManual({page("a.md", "# A\n\ntext\n")}, searchWords(QStringLiteral("  "))).empty());
}

void ManualSearchTest::readsTextsWithoutTheirMarkup()
{
    const ManualPage read = page("a.md", "# A `b`\n\nsee [the **page**](b.md#c) of `d`\n\n"
                                         "| e | f |\n| --- | --- |\n| g | h \\| i |\n\n"
                                         "```sh\n# j\n```\n");
    QCOMPARE(read.title(), QStringLiteral("A b"));
    QCOMPARE(read.sections.size(), std::size_t{1});
    QCOMPARE(read.sections[0].text, QStringLiteral("see the page of d e f g h i # j"));
    QCOMPARE(read.links, QStringList{QStringLiteral("b.md#c")});
}

void ManualSearchTest::numbersHeadingsThatRepeat()
{
    const ManualPage read =
        page("a.md", "# Where is …\n## How to add a dock\n## How to add a dock\n");
    QCOMPARE(read.sections[0].anchor, QStringLiteral("where-is-"));
    QCOMPARE(read.sections[1].anchor, QStringLiteral("how-to-add-a-dock"));
    QCOMPARE(read.sections[2].anchor, QStringLiteral("how-to-add-a-dock-1"));
}

void ManualSearchTest::resolvesLinksFromTheirPage()
{
    const QString from = QStringLiteral("resources/manual/a.md");
    QCOMPARE(resolvedLink(from, QStringLiteral("b.md#c")),
             QStringLiteral("resources/manual/b.md#c"));
    QCOMPARE(resolvedLink(from, QStringLiteral("#c")), from + QStringLiteral("#c"));
    QCOMPARE(resolvedLink(from, QStringLiteral("../../core/d.md")), QStringLiteral("core/d.md"));
    const QString web = QStringLiteral("https://example.org/x");
    QCOMPARE(resolvedLink(from, web), web);
    QCOMPARE(manualPath(manualUrl(from + QStringLiteral("#c"))), from + QStringLiteral("#c"));
}

} // namespace

PLIMSOLL_TEST(ManualSearchTest, QCoreApplication)
#include "manual_search_test.moc"
