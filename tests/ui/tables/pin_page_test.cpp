// SPDX-License-Identifier: Apache-2.0
// Pins by hand: typed, changed, taken back, from menus of rows; what they mean and cost; undo,
// session and plan file.
#include "ui/plan_tables/pin_page.h"

#include "core/plan_file/plan_json.h"
#include "core/workspace/export.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/models/pin_globs.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/plan_tables/plan_view.h"

#include "tests/support/planned_sample.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QToolButton>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using namespace plimsoll::tests;

using Texts = std::vector<std::string>;

class PinPageTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void aTypedPinIsHonouredPricedAndUndone();
    void pinsAreChangedAndTakenBackInTheirRows();
    void badPinsAreToldAndNotTaken();
    void rowsOfThePlanArePinnedByTheirMenu();
    void pinsAreInSessionAndPlanFile();
};

bool waitForPlan(PlannerPage& page)
{
    return QTest::qWaitFor(
        [&] {
            return page.document().isPlanned() && !page.document().isOutdated()
                   && page.document().isRefined();
        },
        kPatience);
}

void openPins(PlannerPage& page)
{
    chooseTab(page, QStringLiteral("Pins"));
}

/// Rows from top to bottom, the last one for another pin.
std::vector<QLineEdit*> fieldsOf(const PinPage& page)
{
    QTest::qWait(10); // a layout shows new rows in the next turn
    std::vector<QLineEdit*> fields;
    for (QLineEdit* field : page.findChildren<QLineEdit*>())
        if (field->isVisible())
            fields.push_back(field);
    std::sort(fields.begin(), fields.end(), [&page](const QWidget* a, const QWidget* b) {
        return a->mapTo(&page, QPoint{}).y() < b->mapTo(&page, QPoint{}).y();
    });
    return fields;
}

void typeInto(QLineEdit* field, const char* text)
{
    QTest::mouseClick(field, Qt::LeftButton);
    field->selectAll();
    QTest::keyClicks(field, QString::fromLatin1(text));
    QTest::keyClick(field, Qt::Key_Return);
}

void chooseKind(const QLineEdit* field, int kind)
{
    auto* box = field->parentWidget()->findChild<QComboBox*>();
    QTest::mouseClick(box, Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([box] { return box->view()->isVisible(); }));
    QTest::keyClick(box->view(), kind == 0 ? Qt::Key_Home : Qt::Key_End);
    QTest::keyClick(box->view(), Qt::Key_Return);
}

QString errorOf(const PinPage& page)
{
    for (const QLabel* label : page.findChildren<QLabel*>())
        if (label->isVisible())
            return label->text();
    return {};
}

QStringList textsOf(const QWidget& row)
{
    QStringList texts;
    for (const TextLabel* label : row.findChildren<TextLabel*>())
        texts << label->text();
    return texts;
}

const Texts& chosen(PlannerPage& page)
{
    return page.document().document().choices.pins;
}

void PinPageTest::aTypedPinIsHonouredPricedAndUndone()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    openPins(*page);
    const plan::VerifiedPlanPtr free = page->document().outcome().best;
    QVERIFY(!free->plan().recomputesNothing());
    QCOMPARE(fieldsOf(viewOf<PinPage>(*page)).size(), std::size_t{1});
    // What saves most is what the pin takes back.
    const PlanModel& rows = *viewOf<PlanPage>(*page).model();
    const auto [first, last] = rows.stretchesAt(rows.index(0, 0)).front();
    const QString glob = rowGlobs(*free, first, last).front();
    typeInto(fieldsOf(viewOf<PinPage>(*page)).back(), qPrintable(glob));
    const Texts pin{"keep:" + glob.toStdString()};
    QCOMPARE(chosen(*page), pin);
    QVERIFY(waitForPlan(*page));
    const plan::VerifiedPlanPtr pinned = page->document().outcome().best;
    QVERIFY(pinned);
    QCOMPARE(pinned->problem().pins.size(), std::size_t{1});
    QVERIFY(plan::honoursPins(pinned->problem(), *pinned->evaluation().schedule));
    QVERIFY(!plan::honoursPins(pinned->problem(), *free->evaluation().schedule));
    QVERIFY(QTest::qWaitFor([&] { return page->document().pinPrices().size() == 1; }, kPatience));
    // The plans that are taken for the budget are compared, both of which run.
    QVERIFY(
        QTest::qWaitFor([&] { return page->document().choice().verdict.has_value(); }, kPatience));
    const base::Nanoseconds price =
        page->document().outcome().best->evaluation().stepTime - free->evaluation().stepTime;
    QVERIFY(price.count() > 0);
    QVERIFY(page->document().outcome().best->evaluationPtr() == pinned->evaluationPtr());
    QVERIFY(page->document().pinPrices()[0].price == price);
    QVERIFY(textsOf(*fieldsOf(viewOf<PinPage>(*page))[0]->parentWidget())
                .contains(QStringLiteral("costs ") + timeText(price)));
    page->document().undoStack().undo();
    QVERIFY(chosen(*page).empty());
    QCOMPARE(fieldsOf(viewOf<PinPage>(*page)).size(), std::size_t{1});
    QVERIFY(waitForPlan(*page));
    QVERIFY(page->document().outcome().best->evaluation().stepTime == free->evaluation().stepTime);
    page->document().undoStack().redo();
    QCOMPARE(chosen(*page), pin);
}

void PinPageTest::pinsAreChangedAndTakenBackInTheirRows()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    openPins(*page);
    typeInto(fieldsOf(viewOf<PinPage>(*page)).back(), "bn1");
    typeInto(fieldsOf(viewOf<PinPage>(*page)).back(), "layer1.*");
    QCOMPARE(chosen(*page), (Texts{"keep:bn1", "keep:layer1.*"}));
    typeInto(fieldsOf(viewOf<PinPage>(*page))[1], "layer2.*");
    QCOMPARE(chosen(*page), (Texts{"keep:bn1", "keep:layer2.*"}));
    chooseKind(fieldsOf(viewOf<PinPage>(*page))[0], 1);
    QCOMPARE(chosen(*page), (Texts{"recompute:bn1", "keep:layer2.*"}));
    QVERIFY(waitForPlan(*page));
    const plan::VerifiedPlanPtr& best = page->document().outcome().best;
    QVERIFY(best && plan::honoursPins(best->problem(), *best->evaluation().schedule));
    QCOMPARE(best->problem().pins.size(), std::size_t{2});
    auto* remove = fieldsOf(viewOf<PinPage>(*page))[0]->parentWidget()->findChild<QToolButton*>();
    QTest::mouseClick(remove, Qt::LeftButton);
    QCOMPARE(chosen(*page), Texts{"keep:layer2.*"});
    QCOMPARE(fieldsOf(viewOf<PinPage>(*page)).size(), std::size_t{2});
    QCOMPARE(page->document().undoStack().count(), 5);
}

void PinPageTest::badPinsAreToldAndNotTaken()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    openPins(*page);
    typeInto(fieldsOf(viewOf<PinPage>(*page)).back(), "no.such.module");
    QVERIFY(errorOf(viewOf<PinPage>(*page)).contains(QStringLiteral("matches nothing")));
    QVERIFY(chosen(*page).empty());
    typeInto(fieldsOf(viewOf<PinPage>(*page)).back(), "layer1.0");
    QVERIFY(errorOf(viewOf<PinPage>(*page)).isEmpty());
    QCOMPARE(chosen(*page), Texts{"keep:layer1.0"});
    chooseKind(fieldsOf(viewOf<PinPage>(*page)).back(), 1);
    typeInto(fieldsOf(viewOf<PinPage>(*page)).back(), "layer1.0.bn1");
    QCOMPARE(chosen(*page), Texts{"keep:layer1.0"});
    QVERIFY(errorOf(viewOf<PinPage>(*page))
                .startsWith(QStringLiteral("The pins keep:layer1.0 and recompute:layer1.0.bn1 "
                                           "conflict over what ")));
    QCOMPARE(page->document().undoStack().count(), 1);
}

void PinPageTest::rowsOfThePlanArePinnedByTheirMenu()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto* table = viewOf<PlanPage>(*page).findChild<PlanView*>();
    const QModelIndex cell = table->model()->index(0, PlanModel::ModuleColumn);
    const QString module = cell.data().toString();
    QVERIFY(!module.isEmpty());
    const QPoint at = table->visualRect(cell).center();
    QContextMenuEvent event{QContextMenuEvent::Mouse, at, table->viewport()->mapToGlobal(at)};
    QCoreApplication::sendEvent(table->viewport(), &event);
    auto* menu = viewOf<PlanPage>(*page).findChild<QMenu*>();
    QVERIFY(menu != nullptr && menu->isVisible());
    QAction* keep = nullptr;
    for (QAction* action : menu->actions())
        if (QString{action->text()}.remove(u'&').startsWith(QStringLiteral("Always keep")))
            keep = action->menu() != nullptr ? action->menu()->actions().front() : action;
    QVERIFY(keep != nullptr);
    keep->trigger();
    menu->close();
    QCOMPARE(chosen(*page).size(), std::size_t{1});
    QVERIFY(chosen(*page).front().starts_with("keep:"));
    QVERIFY(viewOf<PinPage>(*page).isVisible());
    QVERIFY(waitForPlan(*page));
    const plan::VerifiedPlanPtr& best = page->document().outcome().best;
    QVERIFY(best && plan::honoursPins(best->problem(), *best->evaluation().schedule));
}

void PinPageTest::pinsAreInSessionAndPlanFile()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    openPins(*page);
    typeInto(fieldsOf(viewOf<PinPage>(*page)).back(), "layer1.*");
    QVERIFY(waitForPlan(*page));
    const std::string plan = m_folder->file("plan.json");
    QVERIFY(workspace::exportPlan(page->document().outcome().best, plan, {"resnet18"}));
    std::ifstream written{plan};
    const auto file = nlohmann::json::parse(written);
    QCOMPARE(file["pins"].dump(), std::string{R"(["keep:layer1.*"])"});
    const std::string session = m_folder->file("pinned.plimsoll");
    m_window->saveTo(*page, QString::fromStdString(session));
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved(); }, kPatience));
    const auto opened = tests::openPlan(session, {});
    QVERIFY(opened.has_value());
    QCOMPARE(opened->choices.pins, Texts{"keep:layer1.*"});
    QVERIFY(opened->notes.empty());
}

} // namespace

PLIMSOLL_TEST(PinPageTest, QApplication)
#include "pin_page_test.moc"
