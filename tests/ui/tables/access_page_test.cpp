// SPDX-License-Identifier: Apache-2.0
// Accesses, as a user goes: the figures of `inspect --accesses`, sorted, copied, gone to on the
// timeline; made in the background, and not at all while nobody looks.
#include "ui/plan_tables/access_page.h"

#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/document_page/pages_dock.h"
#include "ui/models/access_model.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QTableView>
#include <QTest>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using namespace plimsoll::tests;

class AccessPageTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void showsTheProfileOfWhatIsPlanned();
    void sortsAndKeepsTheSelectedValue();
    void goesToTheOpOfACell();
    void copiesARowAndTheTable();
    void restsWhileHidden();
    void stopsWhenAsked();

private:
    /// The page of a planned ResNet-18, its table made.
    AccessPage* openAccesses()
    {
        m_page = openPlanned();
        if (m_page == nullptr)
            return nullptr;
        AccessPage& accesses = viewOf<AccessPage>(*m_page);
        chooseTab(*m_page, QStringLiteral("Accesses"));
        return QTest::qWaitFor([&] { return accesses.tables() > 0; }, kPatience) ? &accesses
                                                                                 : nullptr;
    }

    PlannerPage* m_page = nullptr;
};

QString textsOf(const QWidget& widget)
{
    QStringList texts;
    for (const TextLabel* label : widget.findChildren<TextLabel*>())
        if (label->isVisible())
            texts << label->text();
    return texts.join(u'\n');
}

QString cell(const AccessModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

void AccessPageTest::showsTheProfileOfWhatIsPlanned()
{
    AccessPage* page = openAccesses();
    QVERIFY(page != nullptr);
    const QAbstractItemModelTester tester{page->model()};
    plan::Problem problem = m_page->document().planned()->unplanned->problem();
    problem.budget = m_page->document().budget();
    const solve::AccessProfile profile = solve::profileAccesses(problem).value();
    AccessModel& model = *page->model();
    QCOMPARE(model.rowCount(), static_cast<int>(profile.values.size()));
    QVERIFY(model.rowCount() > 50);
    for (int row = 0; row < model.rowCount(); ++row) { // largest first
        const solve::ValueAccess& value = model.valueAt(row);
        QVERIFY(row == 0 || value.bytes <= model.valueAt(row - 1).bytes);
        QCOMPARE(cell(model, row, AccessModel::BytesColumn), ui::bytesText(value.bytes));
        QCOMPARE(cell(model, row, AccessModel::FirstForwardColumn).toInt(),
                 value.accesses.firstForward);
        QCOMPARE(cell(model, row, AccessModel::LastForwardColumn).toInt(),
                 value.accesses.lastForward);
        QCOMPARE(cell(model, row, AccessModel::FirstBackwardColumn).toInt(),
                 value.accesses.firstBackward);
        QCOMPARE(cell(model, row, AccessModel::LastBackwardColumn).toInt(),
                 value.accesses.lastBackward);
        QCOMPARE(cell(model, row, AccessModel::SwapFreeColumn), swapFreeText(value.swapFree));
    }
    const QString texts = textsOf(*page);
    QVERIFY(texts.contains(ui::bytesText(profile.maximumPeak, Rounding::Up)));
    QVERIFY(texts.contains(ui::bytesText(profile.minimumPeak, Rounding::Up)));
    QVERIFY(texts.contains(ui::bytesText(profile.staticBytes)));
    QVERIFY(profile.peakInterval.has_value());
    QVERIFY(texts.contains(
        QStringLiteral("first from op %1").arg(profile.peakInterval->first.index())));
    QCOMPARE(swapFreeText(base::Nanoseconds{-1'500'000}), QStringLiteral("1.50\u00a0ms too short"));
    QCOMPARE(swapFreeText(std::nullopt), unknownText());
    // Another budget has another interval; the selection stays.
    auto* table = page->findChild<QTableView*>();
    table->setCurrentIndex(model.index(3, AccessModel::BytesColumn));
    const int before = page->tables();
    m_page->document().commitBudget(profile.maximumPeak + base::Bytes{1});
    QTRY_VERIFY_WITH_TIMEOUT(page->tables() > before, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(textsOf(*page).contains(QStringLiteral("fits in")), kPatience);
    QCOMPARE(table->currentIndex().row(), 3);
}

void AccessPageTest::sortsAndKeepsTheSelectedValue()
{
    AccessPage* page = openAccesses();
    QVERIFY(page != nullptr);
    AccessModel& model = *page->model();
    const QAbstractItemModelTester tester{&model};
    auto* table = page->findChild<QTableView*>();
    table->setCurrentIndex(model.index(2, AccessModel::ValueColumn));
    const graph::StorageId chosen = model.valueAt(2).value;
    for (int column = 0; column < model.columnCount(); ++column)
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            table->sortByColumn(column, order);
            QCOMPARE(model.valueAt(table->currentIndex().row()).value, chosen);
        }
    table->sortByColumn(AccessModel::SwapFreeColumn, Qt::AscendingOrder);
    for (int row = 1; row < model.rowCount(); ++row)
        QVERIFY(model.valueAt(row - 1).swapFree <= model.valueAt(row).swapFree);
    table->sortByColumn(AccessModel::LastBackwardColumn, Qt::DescendingOrder);
    for (int row = 1; row < model.rowCount(); ++row)
        QVERIFY(model.valueAt(row - 1).accesses.lastBackward
                >= model.valueAt(row).accesses.lastBackward);
}

void AccessPageTest::goesToTheOpOfACell()
{
    AccessPage* page = openAccesses();
    QVERIFY(page != nullptr);
    AccessModel& model = *page->model();
    auto* table = page->findChild<QTableView*>();
    const plan::Schedule& schedule = *m_page->document().shownPlan()->evaluation().schedule;
    const solve::Accesses& accesses = model.valueAt(1).accesses;
    for (const auto& [column, moment] :
         {std::pair{AccessModel::ValueColumn, accesses.firstForward},
          std::pair{AccessModel::LastForwardColumn, accesses.lastForward},
          std::pair{AccessModel::FirstBackwardColumn, accesses.firstBackward},
          std::pair{AccessModel::LastBackwardColumn, accesses.lastBackward}}) {
        const QRect place = table->visualRect(model.index(1, column));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, place.center());
        QCOMPARE(viewOf<BudgetTimelineView>(*m_page).cursorStep(),
                 std::optional<std::size_t>{schedule.stepOf(graph::opAt(moment), false)});
    }
}

void AccessPageTest::copiesARowAndTheTable()
{
    AccessPage* page = openAccesses();
    QVERIFY(page != nullptr);
    AccessModel& model = *page->model();
    auto* table = page->findChild<QTableView*>();
    table->setCurrentIndex(model.index(1, AccessModel::ValueColumn));
    const auto copied = [&](const QString& title) {
        for (QAction* action : table->actions())
            if (QString{action->text()}.remove(u'&') == title)
                action->trigger();
        return QGuiApplication::clipboard()->text();
    };
    const QStringList cells = copied(QStringLiteral("Copy")).split(u'\t');
    QCOMPARE(cells.size(), qsizetype{AccessModel::ColumnCount});
    QCOMPARE(cells.first(), cell(model, 1, AccessModel::ValueColumn));
    QVERIFY(!cells.join(u'\t').contains(QChar::Nbsp));
    const QStringList lines = copied(QStringLiteral("Copy table")).trimmed().split(u'\n');
    QCOMPARE(lines.size(), qsizetype{model.rowCount() + 3});
    QVERIFY(lines.first().startsWith(QStringLiteral("Unplanned peak")));
    QCOMPARE(lines.at(2).count(u'\t'), qsizetype{AccessModel::ColumnCount - 1});
    QCOMPARE(lines.at(4), cells.join(u'\t'));
}

void AccessPageTest::restsWhileHidden()
{
    AccessPage* page = openAccesses();
    QVERIFY(page != nullptr);
    chooseTab(*m_page, QStringLiteral("Plan"));
    const int before = page->tables();
    m_page->document().commitBudget(m_page->document().budget() + base::Bytes{1 << 20});
    QTest::qWait(200);
    QCOMPARE(page->tables(), before);
    chooseTab(*m_page, QStringLiteral("Accesses"));
    QTRY_COMPARE_WITH_TIMEOUT(page->tables(), before + 1, kPatience);
}

void AccessPageTest::stopsWhenAsked()
{
    m_page = openPlanned();
    QVERIFY(m_page != nullptr);
    const plan::Problem& problem = m_page->document().planned()->unplanned->problem();
    std::stop_source stop;
    stop.request_stop();
    const auto table = accessTable(problem, {.stop = stop.get_token()});
    QVERIFY(!table);
    QCOMPARE(table.error().kind, base::ErrorKind::Cancelled);
    base::Progress progress;
    QVERIFY(accessTable(problem, {.stop = {}, .progress = &progress}));
    QVERIFY(progress.perMille() > 900);
}

} // namespace

PLIMSOLL_TEST(AccessPageTest, QApplication)

#include "access_page_test.moc"
