// SPDX-License-Identifier: Apache-2.0
#include "ui/fits_page/largest_sizes_pane.h"

#include "ui/base/texts.h"
#include "ui/tables/column_fitter.h"

#include <QStringList>
#include <QTableView>

#include <algorithm>
#include <map>

namespace plimsoll::ui {

namespace {
constexpr int kLeastPlanner = 110; ///< before scaling
constexpr int kLeastNext = 160;    ///< "96: no plan is possible"
} // namespace

LargestSizesPane::LargestSizesPane(QWidget* parent) : LargestSizesPane{new LargestSizeModel, parent}
{
}

LargestSizesPane::LargestSizesPane(LargestSizeModel* model, QWidget* parent)
    : SearchPane{model,
                 {tr("Searches the largest sizes that run within the budget."),
                  tr("Find Largest Sizes"), tr("Largest sizes"),
                  tr("The largest size of each axis that runs within the budget, by planner, and "
                     "why the next one doesn't. Press Enter on a row to plan at that size."),
                  tr("Use This Size")},
                 parent}
    , m_model{model}
{
    new ColumnFitter{*table(),
                     {LargestSizeModel::NextColumn, kLeastNext},
                     {{LargestSizeModel::PlannerColumn, kLeastPlanner}}};
    followJob();
}

LargestSizesPane::Search LargestSizesPane::makeSearch() const
{
    return [recorded = settings().recorded, questions = sizeQuestions(settings()),
            budget = settings().budget, allocator = settings().allocator](
               const base::JobContext& job, const Listener& listener) {
        return workspace::largestSizes(recorded, questions, budget, allocator, job, listener);
    };
}

void LargestSizesPane::showRow(std::size_t place, const workspace::LargestSize& found)
{
    m_model->setFound(place, found);
}

void LargestSizesPane::updateRows(bool isNew)
{
    if (isNew)
        m_model->setQuestions(sizeQuestions(settings()));
}

/// "Up to batch 12, sequence 1504 within the budget".
QString LargestSizesPane::summary() const
{
    std::map<std::string, std::int64_t> largest;
    int over = 0;
    for (int at = 0; at < m_model->rowCount(); ++at) {
        const LargestSizeRow& row = m_model->rowAt(at);
        over += row.isOver ? 1 : 0;
        if (row.size)
            largest[row.axis] = std::max(largest[row.axis], *row.size);
    }
    QStringList sizes;
    for (const auto& [axis, size] : largest)
        sizes << tr("%1 up to %2").arg(fileText(axis), QString::number(size));
    const QString runs = sizes.isEmpty() ? tr("No size was found that runs")
                                         : tr("Runs with %1").arg(sizes.join(tr(", or ")));
    return over == m_model->rowCount()
               ? runs
               : tr("%1; %2 of %3 rows searched").arg(runs).arg(over).arg(m_model->rowCount());
}

QString LargestSizesPane::refusal() const
{
    return m_model->rowCount() > 0 ? QString{} : tr("The step was traced at one size only.");
}

void LargestSizesPane::takeRow(int row)
{
    const LargestSizeRow& chosen = m_model->rowAt(row);
    if (chosen.size)
        Q_EMIT sizeChosen(chosen.axis, *chosen.size);
}

} // namespace plimsoll::ui
