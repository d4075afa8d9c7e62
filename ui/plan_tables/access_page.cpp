// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/access_page.h"

#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/models/access_model.h"
#include "ui/models/program_texts.h"
#include "ui/step_filter/range_chip.h"
#include "ui/tables/table_look.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QStackedWidget>
#include <QTableView>

#include <chrono>

namespace plimsoll::ui {

namespace {

constexpr std::chrono::milliseconds kRest{60};

enum AccessPageIndex { AccessSentencePage, AccessTablePage };

bool isSame(const plan::Problem& a, const plan::Problem& b)
{
    return a.step() == b.step() && a.budget == b.budget && a.reserve == b.reserve
           && a.rounding == b.rounding && a.device == b.device;
}

} // namespace

AccessPage::AccessPage(QWidget* parent)
    : QWidget{parent}
    , m_model{new AccessModel}
    , m_table{makeTable(m_model, this, tr("Accesses"),
                        tr("When the step uses each value that is saved for backward, by ops, and "
                           "how long the value could be swapped out. Selecting a cell shows its op "
                           "on the timeline."))}
    , m_chip{new RangeChip{tr("values that are used in these steps"), this}}
    , m_summary{new TextLabel{{}, TextRole::Body, Role::Muted, this}}
    , m_over{new TextLabel{{}, TextRole::Body, Role::Muted, this}}
    , m_sentence{new TextLabel{{}, TextRole::Body, Role::Muted, this}}
    , m_pages{new QStackedWidget{this}}
{
    setManualPage(*this, QStringLiteral("window.md#plan-and-runs"));
    const Theme& theme = Theme::current();
    auto* filled = new QWidget{m_pages};
    auto* rows = makeColumn(filled);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(theme.px(12), theme.px(4), theme.px(8), theme.px(4));
    head->setSpacing(theme.px(2));
    for (TextLabel* label : {m_summary, m_over}) {
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        head->addWidget(label);
    }
    auto* top = makeRow(nullptr, 8, {0, 0, 8, 0});
    top->addLayout(head, 1);
    top->addWidget(m_chip, 0, Qt::AlignVCenter);
    rows->addLayout(top);
    connect(m_chip, &QToolButton::clicked, this, &AccessPage::rangeRemoved);
    rows->addWidget(m_table);
    m_sentence->setAlignment(Qt::AlignCenter);
    m_pages->addWidget(m_sentence);
    m_pages->addWidget(filled);
    auto* layout = makeColumn(this);
    layout->addWidget(m_pages);
    buildTable();
    m_later.setSingleShot(true);
    m_later.setInterval(kRest);
    connect(&m_later, &QTimer::timeout, this, &AccessPage::refresh);
    connect(&m_maker, &JobRunnerBase::progressed, this, [this](int perMille) {
        m_sentence->setText(tr("Looking up accesses… %1").arg(percentText(perMille / 1000.0)));
    });
}

void AccessPage::buildTable()
{
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(AccessModel::BytesColumn, Qt::DescendingOrder);
    setColumnWidths(*m_table->horizontalHeader(), AccessModel::ValueColumn,
                    {{AccessModel::BytesColumn, 84},
                     {AccessModel::FirstForwardColumn, 84},
                     {AccessModel::LastForwardColumn, 56},
                     {AccessModel::FirstBackwardColumn, 84},
                     {AccessModel::LastBackwardColumn, 56},
                     {AccessModel::SwapFreeColumn, 112}});
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid() && !m_isReplacing)
                    Q_EMIT opChosen(m_model->opAt(current));
            });
    addTableAction(*m_table, tr("Copy"), QKeySequence::Copy, [this] {
        const QModelIndex current = m_table->currentIndex();
        QGuiApplication::clipboard()->setText(current.isValid() ? m_model->rowText(current.row())
                                                                : QString{});
    });
    addTableAction(*m_table, tr("Copy table"), {}, [this] {
        QGuiApplication::clipboard()->setText(m_summary->text() + u'\n' + m_over->text() + u'\n'
                                              + m_model->asText());
    });
}

void AccessPage::setProblem(const plan::Problem& problem)
{
    if (m_problem && isSame(*m_problem, problem))
        return;
    m_problem = problem;
    m_isUpToDate = false;
    if (isVisible())
        m_later.start();
}

void AccessPage::setRange(std::optional<StepRange> range, std::optional<std::vector<bool>> ops)
{
    m_isReplacing = true;
    m_model->setOps(std::move(ops));
    m_isReplacing = false;
    m_chip->setRange(range);
}

void AccessPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void AccessPage::hideEvent(QHideEvent* event)
{
    m_later.stop();
    m_maker.stop();
    QWidget::hideEvent(event);
}

void AccessPage::refresh()
{
    m_later.stop();
    if (!m_problem || m_isUpToDate || !isVisible())
        return;
    if (!m_model->table()) {
        m_sentence->setText(tr("Looking up accesses…"));
        m_pages->setCurrentIndex(AccessSentencePage);
    }
    m_maker.start(
        [problem = *m_problem](const base::JobContext& job) { return accessTable(problem, job); },
        [this](const base::Result<AccessTablePtr>& table) {
            if (table) // else the job was stopped
                show(*table);
        });
}

void AccessPage::show(const AccessTablePtr& table)
{
    ++m_tables;
    m_isUpToDate = true;
    const bool isSameStep = m_model->table() && m_model->table()->program == table->program;
    const QModelIndex current = m_table->currentIndex();
    const int row = isSameStep && current.isValid() ? current.row() : -1;
    m_isReplacing = true;
    m_model->setTable(table);
    if (row >= 0 && row < m_model->rowCount()) // same value at another budget
        m_table->setCurrentIndex(m_model->index(row, current.column()));
    m_isReplacing = false;
    m_summary->setText(summary(*table));
    m_over->setText(tr("The step fits in %1.").arg(ui::bytesText(table->budget)));
    if (const auto interval = table->profile.peakInterval)
        m_over->setText(tr("Exceeds %1 first from op %2 (%3) to op %4 (%5).")
                            .arg(ui::bytesText(table->budget))
                            .arg(interval->first.index())
                            .arg(opPlace(*table->program, interval->first))
                            .arg(interval->second.index())
                            .arg(opPlace(*table->program, interval->second)));
    if (table->names.empty())
        m_sentence->setText(tr("This step saves no value for backward."));
    m_pages->setCurrentIndex(table->names.empty() ? AccessSentencePage : AccessTablePage);
}

QString AccessPage::summary(const AccessTable& table)
{
    const solve::AccessProfile& profile = table.profile;
    return tr("Unplanned peak %1, %2 if idle values are swapped out; %3 before the "
              "step; times of %4.")
        .arg(ui::bytesText(profile.maximumPeak, Rounding::Up),
             ui::bytesText(profile.minimumPeak, Rounding::Up), ui::bytesText(profile.staticBytes),
             table.device);
}

} // namespace plimsoll::ui
