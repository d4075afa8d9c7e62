// SPDX-License-Identifier: Apache-2.0
#include "ui/models/problem_model.h"

#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

struct Look
{
    const char* icon;
    Role ink;
    const char* word;
};

constexpr std::array kProblemColumns{TableColumn{"What"}, TableColumn{"Count", true},
                                     TableColumn{"Where"}};

Look lookOf(ProblemKind kind)
{
    switch (kind) {
    case ProblemKind::Fault: return {"error", Role::Danger, QT_TR_NOOP("Fault")};
    case ProblemKind::Warning: return {"warn", Role::Warn, QT_TR_NOOP("Warning")};
    case ProblemKind::Remark: break;
    }
    return {"info", Role::Muted, QT_TR_NOOP("Remark")};
}

} // namespace

ProblemModel::ProblemModel(QObject* parent) : RowsModel{kProblemColumns, parent} {}

void ProblemModel::setProblems(std::vector<Problem> problems)
{
    std::ranges::stable_sort(problems, {}, &Problem::kind);
    resetRows(std::move(problems));
}

int ProblemModel::remarkCount() const
{
    return static_cast<int>(std::ranges::count(m_rows, ProblemKind::Remark, &Problem::kind));
}

QString ProblemModel::text(int row, int column) const
{
    const Problem& problem = rowAt(row);
    switch (column) {
    case SentenceColumn: return problem.sentence;
    case CountColumn: return countText(problem.count);
    default: return problem.where;
    }
}

QVariant ProblemModel::cell(int row, int column, int role) const
{
    if (role == Qt::ToolTipRole)
        return plainTip(text(row, column));
    if (column != SentenceColumn)
        return {};
    const Look look = lookOf(rowAt(row).kind);
    if (role == Qt::AccessibleTextRole)
        return QString{tr(look.word) + QStringLiteral(": ") + rowAt(row).sentence};
    if (role == Qt::DecorationRole)
        return icon(QString::fromLatin1(look.icon), look.ink, look.ink);
    return {};
}

} // namespace plimsoll::ui
