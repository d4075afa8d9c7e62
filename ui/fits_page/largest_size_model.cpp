// SPDX-License-Identifier: Apache-2.0
#include "ui/fits_page/largest_size_model.h"

#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/option_names.h"

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kSizeColumns{TableColumn{"Axis"},          TableColumn{"Planner"},
                                  TableColumn{"Largest", true}, TableColumn{"Step time", true},
                                  TableColumn{"Peak", true},    TableColumn{"Next size"}};

using workspace::SizeStatus;

/// "≥ 16" while larger ones are still to be tried.
QString largestText(const LargestSizeRow& row)
{
    if (!row.size)
        return row.isOver ? LargestSizeModel::tr("none") : unknownText();
    const QString size = QString::number(*row.size);
    return row.isOver ? size : QStringLiteral("≥\u00a0") + size;
}

QString whyText(const LargestSizeRow& row)
{
    switch (row.nextStatus) {
    case SizeStatus::Infeasible: return LargestSizeModel::tr("no plan is possible");
    case SizeStatus::Fails: return LargestSizeModel::tr("fails by fragmentation");
    case SizeStatus::Refused: return row.refusal;
    default: return LargestSizeModel::tr("no plan was found");
    }
}

QString nextText(const LargestSizeRow& row)
{
    if (!row.isOver)
        return LargestSizeModel::tr("Not known yet");
    if (!row.nextSize)
        return LargestSizeModel::tr("No larger size can be planned");
    return (row.size ? LargestSizeModel::tr("%1: %2") : LargestSizeModel::tr("%1, smallest: %2"))
        .arg(QString::number(*row.nextSize), whyText(row));
}

QIcon sizeIcon(const LargestSizeRow& row)
{
    if (!row.isOver)
        return icon(QStringLiteral("clock"), Role::Muted, Role::Muted);
    if (!row.size)
        return icon(QStringLiteral("error"), Role::Danger, Role::Danger);
    return row.run == run::RunStatus::RunsWithFlushes
               ? icon(QStringLiteral("warn"), Role::Warn, Role::Warn)
               : icon(QStringLiteral("verified"), Role::Ok, Role::Ok);
}

QString sizeTip(const LargestSizeRow& row)
{
    if (!row.size)
        return nextText(row);
    const QString largest =
        (row.run == run::RunStatus::RunsWithFlushes
             ? LargestSizeModel::tr("%1 %2 runs with a verified plan, but PyTorch has to empty its "
                                    "cache.")
             : LargestSizeModel::tr("%1 %2 runs with a verified plan."))
            .arg(fileText(row.axis), QString::number(*row.size));
    return largest + u'\n' + nextText(row);
}

} // namespace

LargestSizeRow largestSizeRow(const workspace::SizeQuestion& question,
                              const workspace::LargestSize& found)
{
    LargestSizeRow row{.axis = question.axis,
                       .planner = plannerTitle(question.choices),
                       .call = QString::fromStdString(workspace::plannerCall(question.choices)),
                       .isOver = found.isOver};
    if (found.largest) {
        const plan::Evaluation& plan = found.largest->plan->evaluation();
        row.size = found.largest->size;
        row.run = found.largest->run;
        row.stepTime = plan.stepTime;
        row.peak = plan.peak;
    }
    if (found.isOver && found.next) {
        row.nextSize = found.next->size;
        row.nextStatus = found.next->status;
        row.refusal = fileText(found.next->refusal);
    }
    return row;
}

LargestSizeModel::LargestSizeModel(QObject* parent) : RowsModel{kSizeColumns, parent} {}

void LargestSizeModel::setQuestions(std::vector<workspace::SizeQuestion> questions)
{
    m_questions = std::move(questions);
    std::vector<LargestSizeRow> rows;
    for (const workspace::SizeQuestion& question : m_questions)
        rows.push_back(largestSizeRow(question, {}));
    resetRows(std::move(rows));
}

void LargestSizeModel::setFound(std::size_t question, const workspace::LargestSize& found)
{
    LargestSizeRow now = largestSizeRow(m_questions[question], found);
    if (now == m_rows[question])
        return;
    m_rows[question] = std::move(now);
    const int at = static_cast<int>(question);
    Q_EMIT dataChanged(index(at, 0), index(at, ColumnCount - 1));
}

QString LargestSizeModel::text(int at, int column) const
{
    const LargestSizeRow& row = rowAt(at);
    switch (column) {
    case AxisColumn: return fileText(row.axis);
    case PlannerColumn: return row.planner;
    case SizeColumn: return largestText(row);
    case TimeColumn: return row.stepTime ? timeText(*row.stepTime) : unknownText();
    case PeakColumn: return row.peak ? bytesText(*row.peak, Rounding::Up) : unknownText();
    case NextColumn: return nextText(row);
    default: return {};
    }
}

QVariant LargestSizeModel::cell(int at, int column, int role) const
{
    const LargestSizeRow& row = rowAt(at);
    if (role == Qt::DecorationRole && column == PlannerColumn)
        return sizeIcon(row);
    if (role == Qt::ToolTipRole)
        return plainTip(column == PlannerColumn ? row.call : sizeTip(row));
    return {};
}

} // namespace plimsoll::ui
