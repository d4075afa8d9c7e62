// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/window_fixture.h"

#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_handle.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/compare_page/compare_kind.h"
#include "ui/frontier/frontier_view.h"
#include "ui/plan_panel/answer_head.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_panel/verdict_box.h"
#include "ui/planner_page/planner_kind.h"
#include "ui/planner_page/planner_views.h"
#include "ui/profile_page/profile_kind.h"
#include "ui/profile_page/profile_views.h"
#include "ui/record/launch_command.h"
#include "ui/record/recorder.h"
#include "ui/timeline_commands/timeline_commands.h"
#include "ui/waterfall_page/waterfall_kind.h"

#include "tests/support/planned_sample.h"

#include <QAction>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

namespace plimsoll::tests {

QString sampleFile(const char* name)
{
    return QString::fromStdString(samplePath(name));
}

void WindowFixture::openWindow(QSize size, std::optional<base::Budget> firstBudget,
                               const std::function<void(ui::PageRegistry&)>& extend)
{
    // The offscreen platform complains about what it can't do with dialogs; nobody else may.
    QTest::failOnWarning(QRegularExpression{QStringLiteral("^(?!This plugin does not support)")});
    m_folder = std::make_unique<tests::TempFolder>();
    m_theme = std::make_unique<ui::Theme>();
    m_settings =
        std::make_unique<ui::Settings>(QString::fromStdString(m_folder->file("settings.ini")));
    m_settings->drive(*m_theme);
    const auto recorder = std::make_shared<ui::Recorder>();
    ui::PageRegistry registry{
        workspace::documentKinds(tests::defaultChoices()),
        {ui::withMeasuredCommand(ui::plannerPageKind(*m_settings, firstBudget, ui::plannerLayout()),
                                 *m_settings),
         ui::withCompareCommand(ui::profilePageKind(*m_settings, ui::profileLayout(), recorder),
                                *m_settings),
         ui::comparePageKind(*m_settings), ui::waterfallPageKind(*m_settings)},
        ui::timelineCommands(),
        {ui::launchCommand(*m_settings, recorder), ui::messageCommand()}};
    if (extend)
        extend(registry);
    m_window = std::make_unique<ui::MainWindow>(*m_settings, std::move(registry));
    m_window->setCloseQuestion([](const QString&) { return ui::MainWindow::CloseAnswer::Discard; });
    m_window->resize(size);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void WindowFixture::closeWindow()
{
    m_window.reset();
    m_settings.reset();
    m_theme.reset();
    m_folder.reset();
}

ui::PlannerPage* WindowFixture::currentPage() const
{
    return qobject_cast<ui::PlannerPage*>(m_window->currentPage());
}

ui::PlannerPage* WindowFixture::open(const QString& path)
{
    QSignalSpy opened{m_window.get(), &ui::MainWindow::opened};
    m_window->openFiles({path});
    return opened.wait(kPatience) ? currentPage() : nullptr;
}

namespace {

bool isPlanned(ui::PlannerPage* page)
{
    return page != nullptr
           && QTest::qWaitFor(
               [page] { return page->document().isPlanned() && page->document().isRefined(); },
               kPatience);
}

} // namespace

ui::PlannerPage* WindowFixture::openPlanned(const char* sample)
{
    ui::PlannerPage* page = open(sampleFile(sample));
    return isPlanned(page) ? page : nullptr;
}

ui::PlannerPage* WindowFixture::openKept(const char* sample)
{
    static const tests::TempFolder kSessions;
    const std::string name = std::string{sample} + ".plimsoll";
    const QString session = QString::fromStdString(kSessions.file(name));
    if (!QFile::exists(session)) {
        ui::PlannerPage* page = openPlanned(sample);
        if (page == nullptr)
            return nullptr;
        m_window->saveTo(*page, session);
        if (!QTest::qWaitFor([page] { return page->isInSession() && !page->isUnsaved(); },
                             kPatience))
            return nullptr;
        m_window->closePage(*page);
        if (!QTest::qWaitFor([this] { return m_window->pages().empty(); }, kPatience))
            return nullptr;
    }
    const QString copy = QString::fromStdString(m_folder->file(name));
    ui::PlannerPage* page = QFile::copy(session, copy) ? open(copy) : nullptr;
    return isPlanned(page) ? page : nullptr;
}

void WindowFixture::trigger(const char* id)
{
    m_window->findChild<QAction*>(QString::fromLatin1(id))->trigger();
}

bool WindowFixture::isDone(ui::PlannerPage& page)
{
    return QTest::qWaitFor(
        [&document = page.document()] {
            return document.isPlanned() && document.isRefined() && !document.isPlanning();
        },
        2 * kPatience);
}

QPoint WindowFixture::budgetHandle(ui::PlannerPage& page)
{
    return viewOf<ui::BudgetHandle>(page).geometry().center();
}

void chooseTab(const ui::DocumentPage& page, const QString& title, const QString& dock)
{
    auto* tabs = page.dock(dock).findChild<QTabBar*>();
    for (int tab = 0; tab < tabs->count(); ++tab)
        if (tabs->isTabVisible(tab) && tabs->tabText(tab).startsWith(title)) {
            QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(tab).center());
            return;
        }
    QMenu* menu = tabs->parentWidget()->findChild<QToolButton*>()->menu();
    menu->popup(tabs->mapToGlobal(QPoint{0, tabs->height()}));
    for (QAction* action : menu->actions())
        if (action->text().remove(u'&').startsWith(title))
            QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
    menu->close();
}

QPushButton* buttonOf(const QWidget& parent, const char* text)
{
    for (QPushButton* button : parent.findChildren<QPushButton*>())
        if (button->isVisible() && button->text() == QString::fromUtf8(text))
            return button;
    return nullptr;
}

QString pictureFault(ui::PlannerPage& page)
{
    using namespace ui;
    ui::DocumentController& document = page.document();
    const base::Bytes budget = document.budget();
    if (viewOf<BudgetTimelineView>(page).budget() != budget)
        return QStringLiteral("the line is not at the budget");
    if (viewOf<FrontierView>(page).budget() != budget)
        return QStringLiteral("the frontier has another budget");
    const auto* field = viewOf<BudgetPanel>(page).findChild<QLineEdit*>();
    if (!(field->hasFocus() && field->isModified())
        && field->text() != bytesText(budget).replace(QChar{u'\u00a0'}, u' '))
        return QStringLiteral("the field has another budget: ") + field->text();
    const QString verdict = viewOf<VerdictBox>(page).sentence();
    const plan::VerifiedPlanPtr& best = document.outcome().best;
    const bool isSaid = verdict.startsWith(QStringLiteral("Planning"))
                        || verdict.startsWith(QStringLiteral("Not planned for the present"));
    if ((document.isOutdated() || (!best && document.isPlanning() && !document.isPlanned()))
        && !isSaid)
        return QStringLiteral("it is not said that the figures are of other settings: ") + verdict;
    if (viewOf<FrontierView>(page).current() != best)
        return QStringLiteral("the frontier rings another plan");
    const plan::Evaluation& shown =
        document.outcome().best ? best->evaluation() : document.planned()->unplanned->evaluation();
    const QString peak =
        viewOf<AnswerHead>(page).findChild<TextLabel*>(QStringLiteral("peak"))->text();
    if (best) {
        if (best->evaluation().peak > budget || best->problem().budget != budget)
            return QStringLiteral("the plan is over the budget");
        if (viewOf<BudgetTimelineView>(page).timeline() != best->evaluation().timeline)
            return QStringLiteral("another plan is drawn");
        if (peak != bytesText(shown.peak, Rounding::Up))
            return QStringLiteral("the panel has another peak: ") + peak;
    } else if (!isSaid) {
        if (!verdict.contains(QStringLiteral("no plan"), Qt::CaseInsensitive))
            return QStringLiteral("no plan, and it is not said: ") + verdict;
        if (peak != unknownText())
            return QStringLiteral("a peak without a plan: ") + peak;
    }
    return {};
}

} // namespace plimsoll::tests
