// SPDX-License-Identifier: Apache-2.0
// The plots as tables, for users who can't see them or want the numbers.
#include "ui/base/numbers.h"
#include "ui/base/theme.h"
#include "ui/document_page/pages_dock.h"
#include "ui/frontier/frontier_view.h"
#include "ui/models/point_model.h"
#include "ui/models/step_model.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"
#include "ui/tables/table_look.h"

#include <QTableView>

#include <algorithm>
#include <chrono>

namespace plimsoll::ui {

namespace {

constexpr std::chrono::milliseconds kRest{60};
constexpr int kFigureWidth = 96;
constexpr int kNameWidth = 160;

/// Dock pages shown and hidden by a key. A hidden table costs nothing while the plan changes.
class TableTwins : public QObject
{
public:
    explicit TableTwins(PlannerPage& page)
        : QObject{&page}
        , m_page{page}
        , m_dock{page.dock(QStringLiteral("plan"))}
        , m_steps{makeTwin(m_stepModel, QStringLiteral("steps"), PlannerPage::tr("Steps"),
                           PlannerPage::tr("The timeline as a table. Selecting a row shows its "
                                           "step on the timeline."))}
        , m_points{makeTwin(m_pointModel, QStringLiteral("points"),
                            PlannerPage::tr("Points of the frontier"),
                            PlannerPage::tr("The frontier as a table. Enter sets the budget to "
                                            "the row's peak."))}
    {
        for (const int column : {StepModel::OpColumn, StepModel::ModuleColumn})
            m_steps->horizontalHeader()->resizeSection(column, Theme::current().px(kNameWidth));
        connect(m_steps->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                [this](const QModelIndex& current) {
                    if (current.isValid() && !m_isFilling)
                        Q_EMIT m_page.stepWanted(static_cast<std::size_t>(current.row()));
                });
        connect(m_points, &QTableView::activated, this, [this](const QModelIndex& index) {
            m_page.document().commitBudget(
                shownCeiling(m_pointModel->pointAt(index.row())->evaluation().peak));
        });
        connect(&page, &PlannerPage::tableWanted, this, &TableTwins::toggle);
        m_later.setSingleShot(true);
        m_later.setInterval(kRest);
        connect(&m_later, &QTimer::timeout, this, &TableTwins::bringUpToDate);
    }

    void update(Changes what)
    {
        if ((what & (Change::Answer | Change::Overlay))
            && (m_dock.holds(m_steps) || m_dock.holds(m_points)))
            m_later.start();
    }

    /// Shows and focuses the table of the plot that has the focus, the timeline's table at the
    /// cursor; hides it if it is already shown.
    void toggle()
    {
        const auto* frontier = m_page.findChild<FrontierView*>();
        const bool isSteps =
            !m_points->hasFocus() && (frontier == nullptr || !frontier->hasFocus());
        QTableView* table = isSteps ? m_steps : m_points;
        // Read this first: focusing the table selects a row and thereby its step.
        const int row = isSteps ? static_cast<int>(m_page.selection().step().value_or(0)) : 0;
        if (m_dock.holds(table) && table->isVisible()) {
            m_dock.takePage(table, &m_page);
            return;
        }
        if (!m_dock.holds(table))
            m_dock.addPage(table, isSteps ? PlannerPage::tr("Steps") : PlannerPage::tr("Points"));
        bringUpToDate();
        m_dock.showPage(table);
        table->setFocus(Qt::ShortcutFocusReason);
        table->setCurrentIndex(
            table->model()->index(std::min(row, table->model()->rowCount() - 1), 0));
    }

private:
    QTableView* makeTwin(QAbstractItemModel* model, const QString& id, const QString& name,
                         const QString& sentence)
    {
        QTableView* table = makeTable(model, &m_page, name, sentence);
        table->hide();
        table->setObjectName(id);
        table->horizontalHeader()->setDefaultSectionSize(Theme::current().px(kFigureWidth));
        return table;
    }

    void bringUpToDate()
    {
        const PlannerState state = m_page.state();
        if (m_dock.holds(m_steps))
            fillSteps(state);
        if (m_dock.holds(m_points))
            m_pointModel->setFrontier(state.planned.frontier,
                                      state.planned.unplanned->evaluation().stepTime);
    }

    void fillSteps(const PlannerState& state)
    {
        const int row = m_steps->currentIndex().row();
        const workspace::MeasuredRunPtr own = state.runOfShown();
        if (own && own->live)
            m_stepModel->setPlan(state.shown, {{own, &own->run}, own->predicted});
        else
            m_stepModel->setPlan(state.shown, {});
        // Measured bytes come right after the predicted ones, before the classes.
        QHeaderView* header = m_steps->horizontalHeader();
        for (int column = StepModel::MeasuredColumn; column < m_stepModel->columnCount(); ++column)
            header->moveSection(header->visualIndex(column),
                                StepModel::FirstClassColumn + column - StepModel::MeasuredColumn);
        // Another plan has other steps, but often the same one at the same place.
        if (row < 0 || row >= m_stepModel->rowCount())
            return;
        m_isFilling = true;
        m_steps->setCurrentIndex(m_stepModel->index(row, 0));
        m_isFilling = false;
    }

    PlannerPage& m_page;
    PagesDock& m_dock;
    StepModel* m_stepModel = new StepModel;
    PointModel* m_pointModel = new PointModel;
    QTableView* m_steps;
    QTableView* m_points;
    QTimer m_later; ///< while the line is dragged plans change at every move
    bool m_isFilling = false;
};

} // namespace

PlannerView makeTwinsView(PlannerPage& page)
{
    auto* twins = new TableTwins{page};
    return {
        .update = [twins](const PlannerState& /*state*/, Changes what) { twins->update(what); }};
}

} // namespace plimsoll::ui
