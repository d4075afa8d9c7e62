// SPDX-License-Identifier: Apache-2.0
// The small things of the Planner's docks: aligned fields, links, names, warnings.
#include "core/solve/registry.h"
#include "ui/base/message_strip.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_panel/verdict_box.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/plan_tables/plan_view.h"
#include "ui/plan_tables/planner_table.h"
#include "ui/problem_form/option_form.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QSpinBox>
#include <QTest>

#include <set>
#include <string>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;
using plimsoll::base::Bytes;

class PanelLookTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void linesUpTheFields();
    void offersTheNamedOptionsOfThePlanner();
    void theFormHasThePlannersOptions();
    void takesTextsAndTellsWhatIsWrongWithThem();
    void showsSwitchesAsBoxesToCheck();
    void tellsWhosePlanItIs();
    void keepsTheSortArrowClearOfTheFigures();
    void copiesAPlaceInTheSource();
    void namesOpsInShort();
    void tellsThatItPlans();
    void warnsAboutMoreThanTheGpuHas();
    void keepsTheAxisInItsGutter();
};

bool hasText(const QWidget& widget, const QString& text)
{
    for (const TextLabel* label : widget.findChildren<TextLabel*>())
        if (label->isVisible() && label->text() == text)
            return true;
    return false;
}

void PanelLookTest::linesUpTheFields()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    std::vector<int> lefts;
    for (const QWidget* field : viewOf<BudgetPanel>(*page).findChildren<QWidget*>())
        if (field->isVisible()
            && (qobject_cast<const QComboBox*>(field) != nullptr
                || qobject_cast<const QCheckBox*>(field) != nullptr
                || qobject_cast<const QAbstractSpinBox*>(field) != nullptr
                || (qobject_cast<const QLineEdit*>(field) != nullptr
                    && qobject_cast<const QAbstractSpinBox*>(field->parentWidget()) == nullptr)))
            lefts.push_back(field->mapTo(&viewOf<BudgetPanel>(*page), QPoint{}).x());
    QVERIFY(lefts.size() >= 6);
    // Nothing sticks out of the dock.
    QVERIFY(viewOf<BudgetPanel>(*page).width()
            <= viewOf<BudgetPanel>(*page).parentWidget()->width());
    for (const int left : lefts)
        QCOMPARE(left, lefts.front());
    for (const QComboBox* combo : viewOf<BudgetPanel>(*page).findChildren<QComboBox*>())
        if (combo->accessibleName() == QStringLiteral("GPU"))
            QVERIFY(!combo->itemIcon(combo->currentIndex()).isNull());
}

void PanelLookTest::offersTheNamedOptionsOfThePlanner()
{
    BudgetPanel panel;
    plimsoll::workspace::Choices choices;
    panel.setChoices(choices);
    QComboBox* regions = nullptr;
    for (QComboBox* combo : panel.findChildren<QComboBox*>())
        if (combo->accessibleName() == QStringLiteral("Regions"))
            regions = combo;
    QVERIFY(regions != nullptr && regions->isEnabled());
    QCOMPARE(regions->currentText(), QStringLiteral("module"));
    connect(&panel, &BudgetPanel::choicesChanged, this,
            [&choices](const plimsoll::workspace::Choices& changed) { choices = changed; });
    Q_EMIT regions->activated(1);
    QCOMPARE(choices.options, (plimsoll::solve::Options{{"granularity", 1}}));
    panel.setChoices(choices);
    QCOMPARE(regions->currentText(), QStringLiteral("op"));
    choices.planner = "none";
    choices.options.clear();
    panel.setChoices(choices);
    QVERIFY(!regions->isVisibleTo(&panel));
}

/// Each planner's own options and no others, numbers included.
void PanelLookTest::theFormHasThePlannersOptions()
{
    BudgetPanel panel;
    plimsoll::workspace::Choices choices;
    connect(&panel, &BudgetPanel::choicesChanged, this,
            [&choices](const plimsoll::workspace::Choices& changed) { choices = changed; });
    std::set<std::string> all;
    for (const auto& planner : plimsoll::solve::planners())
        for (const plimsoll::solve::OptionRecord& record : planner->descriptor().options)
            all.insert(record.name);
    for (const auto& planner : plimsoll::solve::planners()) {
        choices.planner = planner->descriptor().id;
        choices.options.clear();
        panel.setChoices(choices);
        std::set<std::string> shown;
        for (const std::string& name : all) {
            const auto* field = panel.findChild<QWidget*>(QString::fromStdString(name));
            QVERIFY(field != nullptr && !field->accessibleName().isEmpty());
            if (field->isVisibleTo(&panel))
                shown.insert(name);
        }
        std::set<std::string> wanted;
        for (const plimsoll::solve::OptionRecord& record : planner->descriptor().options)
            wanted.insert(record.name);
        QCOMPARE(shown, wanted);
    }

    choices.planner = "rotor";
    choices.options.clear();
    panel.setChoices(choices);
    auto* slots500 = panel.findChild<QSpinBox*>(QStringLiteral("slots"));
    QVERIFY(slots500 != nullptr);
    QCOMPARE(slots500->value(), 500);
    slots500->selectAll();
    QTest::keyClicks(slots500, QStringLiteral("64"));
    QVERIFY(choices.options.empty()); // not at each digit
    QTest::keyClick(slots500, Qt::Key_Return);
    QCOMPARE(choices.options, (plimsoll::solve::Options{{"slots", 64}}));
    slots500->selectAll();
    QTest::keyClicks(slots500, QStringLiteral("99999"));
    QTest::keyClick(slots500, Qt::Key_Return);
    QVERIFY(std::get<std::int64_t>(choices.options.at("slots"))
            <= 4000); // a form can't ask for what a planner refuses
}

/// A text is taken when it is whole; a planner's refusal is told, and taking the text back mends
/// it.
void PanelLookTest::takesTextsAndTellsWhatIsWrongWithThem()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const auto isOver = [page] { return !page->document().isPlanning(); };
    plimsoll::workspace::Choices choices = page->document().document().choices;
    choices.planner = "trunk";
    choices.options.clear();
    page->document().commitChoices(choices);
    QVERIFY(QTest::qWaitFor(isOver, kPatience));
    auto* edit = viewOf<BudgetPanel>(*page).findChild<QLineEdit*>(QStringLiteral("boundaries"));
    QVERIFY(edit != nullptr && edit->isVisible() && edit->text().isEmpty());
    QCOMPARE(edit->placeholderText(), QStringLiteral("layer2,layer3.1"));
    const auto options = [page]() -> const plimsoll::solve::Options& {
        return page->document().document().choices.options;
    };
    edit->setFocus();
    QTest::keyClicks(edit, QStringLiteral("layer2,layr3"));
    QVERIFY(options().empty());
    QTest::keyClick(edit, Qt::Key_Return);
    QCOMPARE(options(), (plimsoll::solve::Options{{"boundaries", "layer2,layr3"}}));
    QVERIFY(QTest::qWaitFor(isOver, kPatience));
    const auto isTold = [&strip = page->strip()] {
        return strip.count() > 0
               && strip.shown().rest.startsWith(
                   QStringLiteral("The boundary layr3 is not a module"));
    };
    QVERIFY(isTold());
    trigger("edit.undo");
    QVERIFY(options().empty());
    QVERIFY(edit->text().isEmpty());
    QVERIFY(QTest::qWaitFor(isOver, kPatience));
    QVERIFY(page->document().isPlanned());
    QVERIFY(!isTold());
}

void PanelLookTest::showsSwitchesAsBoxesToCheck()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const BudgetPanel& panel = viewOf<BudgetPanel>(*page);
    int boxes = 0;
    for (const auto& planner : plimsoll::solve::planners())
        for (const plimsoll::solve::OptionRecord& record : planner->descriptor().options) {
            const auto* field = panel.findChild<QWidget*>(QString::fromStdString(record.name));
            const bool isSwitch = record.choices == std::vector<std::string>{"off", "on"};
            QVERIFY(field != nullptr);
            QCOMPARE(qobject_cast<const QSpinBox*>(field) != nullptr,
                     record.kind() == plimsoll::solve::OptionKind::Number);
            QCOMPARE(qobject_cast<const QCheckBox*>(field) != nullptr, isSwitch);
            boxes += isSwitch ? 1 : 0;
        }
    QVERIFY(boxes >= 2);

    auto* box = panel.findChild<QCheckBox*>(QStringLiteral("freeze-stats"));
    QVERIFY(box->isVisible() && box->isEnabled() && !box->isChecked());
    QCOMPARE(box->text(), QStringLiteral("Freeze batch-norm statistics"));
    QVERIFY(box->toolTip().contains(QStringLiteral("running statistics")));
    const QPoint onText{box->fontMetrics().horizontalAdvance(box->text()) / 2, box->height() / 2};
    const auto isDone = [&document = page->document()] {
        return document.isPlanned() && document.isRefined() && !document.isPlanning();
    };
    for (const bool on : {true, false}) {
        QTest::mouseClick(box, Qt::LeftButton, {}, onText);
        QCOMPARE(box->isChecked(), on);
        const auto& options = page->document().document().choices.options;
        QCOMPARE(options.at("freeze-stats"), plimsoll::solve::OptionValue{on ? 1 : 0});
        QVERIFY(QTest::qWaitFor(isDone, kPatience));
        page->document().commitBudget(page->document().planned()->smallestPeak);
        QVERIFY(QTest::qWaitFor(isDone, kPatience));
        const auto& best = page->document().outcome().best;
        QVERIFY(best && !best->plan().recomputesNothing());
        QCOMPARE(best->plan().freezeStats(), on);
    }
    plimsoll::workspace::Choices choices = page->document().document().choices;
    choices.options["freeze-stats"] = 1;
    viewOf<BudgetPanel>(*page).setChoices(choices); // as from a session
    QVERIFY(box->isChecked());
    choices.planner = "none";
    choices.options.clear();
    viewOf<BudgetPanel>(*page).setChoices(choices);
    QVERIFY(!box->isVisible());
}

/// Auto shows another planner's plan, and says so; the answer is above the table, the options
/// below.
void PanelLookTest::tellsWhosePlanItIs()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QCOMPARE(page->document().document().choices.planner, std::string{"auto"});
    const auto maker = [page] { return page->document().outcome().best.provenance->maker; };
    QTRY_VERIFY_WITH_TIMEOUT(page->document().outcome().best && maker(), kPatience);
    const PlannerTable& planners = viewOf<BudgetPanel>(*page).planners();
    QVERIFY(planners.isVisible());
    for (int row = 0; row < planners.model()->rowCount(); ++row)
        QCOMPARE(planners.model()->rowAt(row).isUsed,
                 planners.model()->rowAt(row).planner.toStdString() == maker()->planner);
    const auto top = [page](const QWidget& widget) {
        return widget.mapTo(&viewOf<BudgetPanel>(*page), QPoint{}).y();
    };
    const auto* verdict = viewOf<BudgetPanel>(*page).findChild<VerdictBox*>();
    const auto* options = viewOf<BudgetPanel>(*page).findChild<OptionForm*>();
    QVERIFY(verdict != nullptr && options != nullptr);
    QVERIFY(top(*verdict) + verdict->height() <= top(planners));
    QVERIFY(top(planners) + planners.height() <= top(*options));
}

void PanelLookTest::keepsTheSortArrowClearOfTheFigures()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto* header = viewOf<PlanView>(*page).header();
    QCOMPARE(header->sortIndicatorSection(), static_cast<int>(PlanModel::SavedColumn));
    const int right = header->sectionViewportPosition(PlanModel::SavedColumn)
                      + header->sectionSize(PlanModel::SavedColumn);
    const QImage image = header->grab().toImage();
    const QColor panel = m_theme->color(Role::Panel);
    for (int x = right - m_theme->px(7); x < right; ++x)
        for (int y = 0; y < header->height() - 1; ++y)
            QCOMPARE(image.pixelColor(x, y).name(), panel.name());
}

void PanelLookTest::copiesAPlaceInTheSource()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto* table = &viewOf<PlanView>(*page);
    QModelIndex cell = table->model()->index(0, PlanModel::SourceColumn);
    while (!cell.data(LinkRole).toBool()) { // rows of several places have no link
        cell = table->indexBelow(cell);
        QVERIFY(cell.isValid());
    }
    const QString path = cell.data(Qt::ToolTipRole).toString();
    QVERIFY(path.contains(u'/') && path.contains(u':'));
    if (QGuiApplication::platformName() == QStringLiteral("offscreen"))
        for (const char* missing : {"raise()", "grabbing the keyboard"})
            QTest::ignoreMessage(
                QtWarningMsg,
                qPrintable(
                    QStringLiteral("This plugin does not support %1").arg(QLatin1String{missing})));
    const QPoint at = table->visualRect(cell).center();
    QContextMenuEvent asked{QContextMenuEvent::Mouse, at, table->viewport()->mapToGlobal(at)};
    QCoreApplication::sendEvent(table->viewport(), &asked);
    auto* menu = viewOf<PlanPage>(*page).findChild<QMenu*>();
    QVERIFY(menu != nullptr);
    QVERIFY(QTest::qWaitFor([&] { return menu->isVisible(); }));
    QCOMPARE(menu->actions().front()->text(), QStringLiteral("&Open in editor"));
    menu->actions()[1]->trigger();
    menu->close();
    QCOMPARE(QGuiApplication::clipboard()->text(), path);
    // Elsewhere a click only selects.
    QTest::qWait(20);
    const QModelIndex other = table->model()->index(0, PlanModel::ModuleColumn);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(other).center());
    QVERIFY(viewOf<PlanPage>(*page).findChild<QMenu*>() == nullptr);
}

void PanelLookTest::namesOpsInShort()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    page->document().commitBudget(Bytes{200 << 20});
    QVERIFY(QTest::qWaitFor([&] { return page->document().isRefined(); }, kPatience));
    const QString verdict = viewOf<BudgetPanel>(*page).findChild<VerdictBox*>()->sentence();
    QVERIFY(verdict.contains(QStringLiteral("must be live at once")));
    QVERIFY(!verdict.contains(QStringLiteral("aten.")));
    QVERIFY(!page->strip().shown().rest.contains(QStringLiteral("aten.")));
}

void PanelLookTest::tellsThatItPlans()
{
    PlannerPage* page = open(sampleFile("unet"));
    QVERIFY(page != nullptr);
    const auto* verdict = viewOf<BudgetPanel>(*page).findChild<VerdictBox*>();
    QCOMPARE(verdict->sentence(), QStringLiteral("Planning for 5.00\u00A0GiB…"));
    page->document().commitBudget(Bytes{64 << 20}); // less than any plan needs: none shows earlier
    QVERIFY(page->document().isPlanning());
    QCOMPARE(verdict->sentence(), QStringLiteral("Planning for 64.0\u00A0MiB…"));
    const auto isAnswered = [verdict] {
        return verdict->sentence().contains(QStringLiteral("must be live at once"));
    };
    QVERIFY2(QTest::qWaitFor(isAnswered, kPatience), qPrintable(verdict->sentence()));
}

void PanelLookTest::warnsAboutMoreThanTheGpuHas()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const Bytes memory = page->document().document().choices.device.memory;
    const QString warning =
        QStringLiteral("Over this GPU's %1.").arg(plimsoll::ui::bytesText(memory, Rounding::Down));
    QVERIFY(!hasText(viewOf<BudgetPanel>(*page), warning));
    page->document().commitBudget(memory);
    QVERIFY(!hasText(viewOf<BudgetPanel>(*page), warning));
    page->document().commitBudget(memory + Bytes{1 << 20});
    QVERIFY(hasText(viewOf<BudgetPanel>(*page), warning));
}

void PanelLookTest::keepsTheAxisInItsGutter()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    m_window->resize(1024, 640);
    QTest::qWait(50);
    const QImage image = viewOf<BudgetTimelineView>(*page).grab().toImage();
    const QColor panel = m_theme->color(Role::Panel);
    for (int y = 0; y < image.height(); ++y)
        QCOMPARE(image.pixelColor(0, y).name(), panel.name());
}

} // namespace

PLIMSOLL_TEST(PanelLookTest, QApplication)
#include "panel_look_test.moc"
