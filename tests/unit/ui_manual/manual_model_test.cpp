// SPDX-License-Identifier: Apache-2.0
#include "ui/manual/manual_model.h"

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

class ManualModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void listsThePagesAndTheSectionsOfTheShownOne();
    void listsADescriptionOnlyWhileItIsShown();
    void listsWhatASearchFindsAndGoesBack();

private:
    static QStringList titles(const ManualModel& model)
    {
        QStringList all;
        for (int row = 0; row < model.rowCount(); ++row)
            all << model.index(row).data().toString();
        return all;
    }
};

void ManualModelTest::listsThePagesAndTheSectionsOfTheShownOne()
{
    ManualModel model{pages()};
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    QCOMPARE(titles(model), (QStringList{QStringLiteral("First"), QStringLiteral("A")}));
    model.setPage(QStringLiteral("resources/manual/a.md"));
    QCOMPARE(titles(model), (QStringList{QStringLiteral("First"), QStringLiteral("A"),
                                         QStringLiteral("One"), QStringLiteral("Two")}));
    QCOMPARE(model.rowOf(QStringLiteral("resources/manual/a.md#two")), 3);
    QCOMPARE(model.index(3).data(ManualModel::LevelRole).toInt(), 1);
    QCOMPARE(model.rowOf(QStringLiteral("resources/manual/b.md")), -1);
}

void ManualModelTest::listsADescriptionOnlyWhileItIsShown()
{
    ManualModel model{pages()};
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    model.setPage(QStringLiteral("core/FORMAT.md"));
    QCOMPARE(titles(model).last(), QStringLiteral("Header"));
    model.setPage(QStringLiteral("resources/manual/index.md"));
    QCOMPARE(titles(model).last(), QStringLiteral("A"));
}

void ManualModelTest::listsWhatASearchFindsAndGoesBack()
{
    ManualModel model{pages()};
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    model.setSearch({QStringLiteral("needle")});
    QVERIFY(model.isSearching());
    QCOMPARE(titles(model),
             (QStringList{QStringLiteral("One (A)"), QStringLiteral("Header (Format)")}));
    QCOMPARE(model.index(0).data(ManualModel::NoteRole).toString(), QStringLiteral("needle"));
    model.setSearch({QStringLiteral("nowhere")});
    QCOMPARE(model.rowCount(), 0);
    model.setSearch({});
    QVERIFY(!model.isSearching());
    QCOMPARE(model.rowCount(), 2);
}

} // namespace

QTEST_GUILESS_MAIN(ManualModelTest)
#include "manual_model_test.moc"
