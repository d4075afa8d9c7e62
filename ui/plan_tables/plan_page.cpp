// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/plan_page.h"

#include "ui/base/drawn_text.h"
#include "ui/base/help_context.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/menus/mnemonics.h"
#include "ui/models/plan_names.h"
#include "ui/models/program_texts.h"
#include "ui/plan_tables/pin_menu.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_view.h"
#include "ui/step_filter/range_chip.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>
#include <QStackedWidget>

#include <algorithm>

namespace plimsoll::ui {

namespace {

enum PlanPageIndex { PlanSentencePage, PlanTablePage, BoundTensorsPage };

constexpr std::size_t kNamedRows = 4;

bool isResident(const graph::Storage& storage)
{
    return storage.storageClass == graph::StorageClass::Parameter
           || storage.storageClass == graph::StorageClass::OptimizerState
           || storage.storageClass == graph::StorageClass::Gradient
           || storage.storageClass == graph::StorageClass::Buffer;
}

void drawCentred(QPainter& painter, const QRectF& line, const QString& text)
{
    const QString shown = fittedName(painter.font(), text, Qt::ElideMiddle, line.width());
    drawNameOn(Theme::current().color(Role::Panel), painter,
               {line.center().x() - nameWidth(painter.font(), shown) / 2,
                baselineIn(line, painter.font())},
               shown);
}

} // namespace

/// Shown when no plan fits: the mark, the reason, and the tensors that make up the bound.
class BoundPage : public QWidget
{
public:
    explicit BoundPage(QWidget* parent) : QWidget{parent}
    {
        connect(&Theme::current(), &Theme::changed, this, QOverload<>::of(&QWidget::update));
    }

    void show(const graph::ProgramPtr& program, const plan::PeakBound& bound,
              const QString& sentence)
    {
        m_sentence = sentence;
        m_rows.clear();
        base::Bytes resident;
        base::Bytes rest;
        for (const graph::StorageId id : bound.storages) {
            const base::Bytes bytes = program->storage(id).bytes;
            if (isResident(program->storage(id)))
                resident += bytes;
            else if (m_rows.size() < kNamedRows)
                m_rows.push_back({storageTitle(*program, id), ui::bytesText(bytes)});
            else
                rest += bytes;
        }
        if (rest.count() > 0)
            m_rows.push_back({PlanPage::tr("other values in use there"), ui::bytesText(rest)});
        if (resident.count() > 0)
            m_rows.push_back({PlanPage::tr("parameters, gradients, optimizer state, buffers"),
                              ui::bytesText(resident)});
        update();
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const Theme& theme = Theme::current();
        QPainter painter{this};
        painter.setRenderHint(QPainter::Antialiasing);
        const QFontMetricsF metrics{theme.font(TextRole::Body)};
        const double line = std::max(metrics.height(), static_cast<double>(theme.px(18)));
        const double wanted = theme.px(52) + line * (2.4 + static_cast<double>(m_rows.size()));
        double y = std::max(4.0, (height() - wanted) / 2);
        const double middle = width() / 2.0;
        if (wanted <= height()) { // the mark is the first to be hidden if there is little room
            const double radius = theme.px(11);
            painter.setPen(QPen{theme.color(Role::BorderStrong), 1.5});
            painter.drawEllipse(QPointF{middle, y + radius}, radius, radius);
            painter.drawLine(QPointF{middle - 2 * radius, y + radius},
                             QPointF{middle + 2 * radius, y + radius});
            y += 2 * radius + theme.px(10);
        }
        setText(painter, TextRole::Lead, Role::Text);
        drawCentred(painter, {0, y, static_cast<double>(width()), line},
                    PlanPage::tr("No plan at this budget"));
        y += line * 1.2;
        setText(painter, TextRole::Body, Role::Muted);
        drawCentred(painter, {8, y, width() - 16.0, line}, m_sentence);
        y += line * 1.2;
        const double left = std::max(8.0, middle - theme.px(210));
        const double right = std::min(width() - 8.0, middle + theme.px(210));
        for (const Row& row : m_rows) {
            const double number = numberWidth(painter.font(), row.bytes);
            painter.setPen(theme.color(Role::Text));
            const QColor ground = theme.color(Role::Panel);
            drawNameOn(
                ground, painter, {left, baselineIn({left, y, right - left, line}, painter.font())},
                fittedName(painter.font(), row.name, Qt::ElideMiddle, right - left - number - 12));
            drawNumberOn(ground, painter, {right, y + line / 2 + metrics.capHeight() / 2},
                         row.bytes, Qt::AlignRight);
            y += line;
        }
    }

private:
    struct Row
    {
        QString name;
        QString bytes;
    };
    QString m_sentence;
    std::vector<Row> m_rows; ///< largest first, the rest summed in the last one
};

PlanPage::PlanPage(QWidget* parent)
    : QWidget{parent}
    , m_model{new PlanModel}
    , m_view{new PlanView{m_model, this}}
    , m_pages{new QStackedWidget{this}}
    , m_bound{new BoundPage{this}}
    , m_sentence{new TextLabel{tr("Open a graph to plan."), TextRole::Body, Role::Muted, this}}
{
    setManualPage(*this, QStringLiteral("window.md#plan-and-runs"));
    m_sentence->setAlignment(Qt::AlignCenter);
    m_pages->addWidget(m_sentence);
    m_pages->addWidget(m_view);
    m_pages->addWidget(m_bound);
    auto* layout = makeColumn(this);
    m_runtime = new TextLabel{{}, TextRole::Small, Role::Muted, this};
    m_runtime->setObjectName(QStringLiteral("runtime"));
    m_runtime->setSteady(); // during a drag, plans differ in the number of kept results
    m_runtime->setMinimumHeight(Theme::current().px(22));
    m_runtime->hide();
    auto* row = makeRow(nullptr, 0, {8, 2, 8, 2});
    row->addWidget(m_runtime, 1);
    m_chip = new RangeChip{tr("decisions with an op that runs in these steps"), this};
    row->addWidget(m_chip, 0, Qt::AlignRight);
    connect(m_chip, &QToolButton::clicked, this, &PlanPage::rangeRemoved);
    layout->addLayout(row);
    layout->addWidget(m_pages);
    m_view->setAccessibleName(tr("Plan"));
    m_view->setAccessibleDescription(
        tr("The values that the plan doesn't keep, what that saves and what it costs. Rows open to "
           "regions and values. Selecting a row shows its step on the timeline."));
    connectView();
    addKeys();
}

void PlanPage::connectView()
{
    const auto goTo = [this](const QModelIndex& index) {
        if (index.isValid() && !m_isReplacing)
            choose(index);
    };
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, goTo);
    connect(m_view, &QTreeView::activated, this, goTo);
    connect(m_view, &PlanView::columnsChosen, this, &PlanPage::columnsChosen);
    m_view->setMouseTracking(true);
    connect(m_view, &QTreeView::entered, this, [this](const QModelIndex& index) {
        if (index.data(LinkRole).toBool())
            m_view->viewport()->setCursor(Qt::PointingHandCursor);
        else
            m_view->viewport()->unsetCursor();
    });
    connect(m_view, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        if (index.data(LinkRole).toBool())
            Q_EMIT sourceWanted(index.data(PathRole).toString());
    });
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_view, &QWidget::customContextMenuRequested, this, [this](const QPoint& pos) {
        openRowMenu(m_view->indexAt(pos), m_view->viewport()->mapToGlobal(pos));
    });
}

void PlanPage::choose(const QModelIndex& index)
{
    if (const QVariant module = index.data(PlanModel::ModuleRole); module.isValid()) {
        m_isReplacing = true; // this row stays the current one
        Q_EMIT moduleChosen(module.toULongLong());
        m_isReplacing = false;
    }
    Q_EMIT stepChosen(index.data(PlanModel::FirstStepRole).toInt());
}

void PlanPage::selectModule(std::optional<std::size_t> module)
{
    if (m_isReplacing)
        return;
    QModelIndex index = module ? m_model->indexOfModule(*module) : QModelIndex{};
    if (index.parent().isValid() && !m_view->isExpanded(index.parent()))
        index = index.parent();
    m_isReplacing = true;
    m_view->setCurrentIndex(index);
    m_isReplacing = false;
}

void PlanPage::addKeys()
{
    const auto add = [this](const QKeySequence& key, auto run) {
        auto* action = new QAction{m_view};
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, run);
        m_view->addAction(action);
    };
    add(Qt::Key_K, [this] { pinCurrent(QStringLiteral("keep:")); });
    add(Qt::Key_R, [this] { pinCurrent(QStringLiteral("recompute:")); });
    add(QKeySequence::Copy, [this] {
        if (m_view->currentIndex().isValid())
            QGuiApplication::clipboard()->setText(m_view->currentText());
    });
}

void PlanPage::pinCurrent(const QString& kind)
{
    const QModelIndex current = m_view->currentIndex();
    if (!current.isValid())
        return;
    const QStringList globs = m_model->globsAt(current);
    if (globs.size() == 1)
        Q_EMIT pinWanted(kind + globs.front());
    else
        openRowMenu(current,
                    m_view->viewport()->mapToGlobal(m_view->visualRect(current).bottomLeft()));
}

void PlanPage::openRowMenu(const QModelIndex& index, const QPoint& globalPos)
{
    auto* menu = new QMenu{this};
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (index.isValid()) {
        if (const QString path = index.data(PathRole).toString(); !path.isEmpty()) {
            menu->addAction(icon(QStringLiteral("source")), tr("Open in editor"), this,
                            [this, path] { Q_EMIT sourceWanted(path); });
            menu->addAction(tr("Copy path"), this,
                            [path] { QGuiApplication::clipboard()->setText(path); });
        }
        addPinActions(*menu, *m_model->plan()->problem().step(), m_model->globsAt(index),
                      [this](const QString& pin) { Q_EMIT pinWanted(pin); });
    }
    m_view->addColumnActions(*menu->addMenu(tr("Columns")));
    addMnemonics(*menu);
    menu->popup(globalPos);
}

/// During a drag a plan is shown too briefly to explain.
QString PlanPage::runtimeText(const plan::VerifiedPlan& plan) const
{
    const QString sentence = runtimeSentence(plan.plan());
    const QString why = m_isHeld ? QString{} : noRegionsSentence(plan);
    return why.isEmpty() ? sentence : sentence + u' ' + why;
}

void PlanPage::showPlan(const plan::VerifiedPlanPtr& plan)
{
    replacePlan(plan);
    showRuntime(plan ? runtimeText(*plan) : QString{});
    showTable();
}

/// Or why it has no rows.
void PlanPage::showTable()
{
    const plan::VerifiedPlanPtr& plan = m_model->plan();
    const bool isEmpty = plan && m_model->rowCount() == 0;
    if (plan && plan->plan().recomputesNothing())
        m_sentence->setText(tr("The peak is within the budget; nothing to recompute."));
    else if (isEmpty)
        m_sentence->setText(tr("No decision of the plan is about these steps."));
    m_pages->setCurrentIndex(isEmpty ? PlanSentencePage : PlanTablePage);
}

/// During a drag the line keeps its space, or the table would jump.
void PlanPage::showRuntime(const QString& sentence)
{
    m_runtime->setText(sentence);
    if (!m_isHeld)
        m_runtime->setVisible(!sentence.isEmpty());
}

void PlanPage::replacePlan(const plan::VerifiedPlanPtr& plan)
{
    keepCurrentRow([&] { m_model->setPlan(plan); });
}

void PlanPage::setRange(std::optional<StepRange> range)
{
    keepCurrentRow([&] { m_model->setRange(range); });
    m_chip->setRange(range);
    if (m_model->plan())
        showTable();
}

/// The selected decision stays selected, wherever it is now.
void PlanPage::keepCurrentRow(const std::function<void()>& change)
{
    m_isReplacing = true;
    change();
    // Otherwise the tree would lay itself out during painting and then be painted a second time.
    m_view->doItemsLayout();
    m_view->fitColumns();
    m_isReplacing = false;
}

void PlanPage::setHeld(bool held)
{
    m_isHeld = held;
    m_view->setHeld(held);
}

QStringList PlanPage::optionalColumns() const
{
    return m_view->optionalColumns();
}

void PlanPage::setOptionalColumns(const QStringList& ids)
{
    m_view->setOptionalColumns(ids);
}

void PlanPage::showInfeasible(const graph::ProgramPtr& program, const solve::Outcome& outcome,
                              base::Bytes budget, std::optional<base::Bytes> leastBudget)
{
    replacePlan(nullptr);
    showRuntime({});
    const QString place = opPlace(*program, outcome.peakBound.op);
    const QString sentence =
        outcome.status == solve::Status::Infeasible
            ? tr("These are live at once at %1, and no recomputation removes them:").arg(place)
        : leastBudget
            ? tr("None found for %1, without flushes from %2 on. Live at once at %3 in any plan:")
                  .arg(ui::bytesText(budget), ui::bytesText(*leastBudget, Rounding::Up), place)
            : tr("None found for %1. Live at once at %2 in any plan:")
                  .arg(ui::bytesText(budget), place);
    m_bound->show(program, outcome.peakBound, sentence);
    m_pages->setCurrentIndex(BoundTensorsPage);
}

void PlanPage::showNothing(const QString& sentence)
{
    replacePlan(nullptr);
    showRuntime({});
    m_sentence->setText(sentence);
    m_pages->setCurrentIndex(PlanSentencePage);
}

QString PlanPage::summary() const
{
    QStringList parts;
    if (m_model->decisionCount() > 0)
        parts << tr("%1 recompute").arg(m_model->decisionCount());
    if (m_model->movedCount() > 0)
        parts << tr("%1 moved").arg(m_model->movedCount());
    return parts.join(QStringLiteral(", "));
}

} // namespace plimsoll::ui
