// SPDX-License-Identifier: Apache-2.0
#include "ui/manual/manual_list.h"

#include "ui/base/theme.h"

#include "tests/support/test_main.h"

#include <QAbstractItemModelTester>
#include <QTest>

namespace {

using namespace plimsoll::ui;

std::vector<ManualPage> pages()
{
    const auto page = [](const char* path, const char* markdown) {
        return parseManualPage(QString::fromLatin1(path), QString::fromUtf8(markdown));
    };
    return {page("resources/manual/index.md", "# First\n\ntext\n"),
            page("resources/manual/a.md", "# A\n\n## One\n\nneedle\n\n### Inner\n\n## Two\n"),
            page("core/FORMAT.md", "# Format\n\n## Header\n\nneedle\n")};
}

class ManualListTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void listsThePagesAndTheSectionsOfTheShownOne();
    void listsADescriptionOnlyWhileItIsShown();
    void listsWhatASearchFindsAndGoesBack();

private:
    static QStringList titles(const ManualList& list)
    {
        QStringList all;
        for (int row = 0; row < list.model()->rowCount(); ++row)
            all << list.model()->index(row, 0).data().toString();
        return all;
    }

    Theme m_theme;
};

void ManualListTest::listsThePagesAndTheSectionsOfTheShownOne()
{
    ManualList list{pages()};
    const QAbstractItemModelTester tester{list.model(),
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    QCOMPARE(titles(list), (QStringList{QStringLiteral("First"), QStringLiteral("A")}));
    list.goTo(QStringLiteral("resources/manual/a.md#two"));
    QCOMPARE(titles(list), (QStringList{QStringLiteral("First"), QStringLiteral("A"),
                                        QStringLiteral("One"), QStringLiteral("Two")}));
    QCOMPARE(list.currentIndex().row(), 3);
    QCOMPARE(list.currentIndex().data(ManualList::LevelRole).toInt(), 1);
    list.goTo(QStringLiteral("resources/manual/a.md#inner"));
    QCOMPARE(list.currentIndex().row(), 1);
    list.goTo(QStringLiteral("resources/manual/b.md"));
    QCOMPARE(titles(list), (QStringList{QStringLiteral("First"), QStringLiteral("A")}));
    QVERIFY(!list.currentIndex().isValid());
}

void ManualListTest::listsADescriptionOnlyWhileItIsShown()
{
    ManualList list{pages()};
    list.goTo(QStringLiteral("core/FORMAT.md"));
    QCOMPARE(titles(list).last(), QStringLiteral("Header"));
    list.goTo(QStringLiteral("resources/manual/index.md"));
    QCOMPARE(titles(list).last(), QStringLiteral("A"));
}

void ManualListTest::listsWhatASearchFindsAndGoesBack()
{
    ManualList list{pages()};
    list.search({QStringLiteral("needle")});
    QCOMPARE(titles(list),
             (QStringList{QStringLiteral("One (A)"), QStringLiteral("Header (Format)")}));
    QCOMPARE(list.currentIndex().data(Qt::AccessibleDescriptionRole).toString(),
             QStringLiteral("needle"));
    list.search({QStringLiteral("nowhere")});
    QCOMPARE(list.model()->rowCount(), 0);
    list.search({});
    QCOMPARE(list.model()->rowCount(), 2);
}

} // namespace

PLIMSOLL_TEST(ManualListTest, QApplication)
#include "manual_list_test.moc"
