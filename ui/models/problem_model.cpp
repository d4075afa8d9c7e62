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

constexpr std::array kColumns{TableColumn{"What"}, TableColumn{"Count", true},
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

ProblemModel::ProblemModel(QObject* parent) : TableModel{kColumns, parent} {}

void ProblemModel::setProblems(std::vector<Problem> problems)
{
    std::stable_sort(problems.begin(), problems.end(),
                     [](const Problem& a, const Problem& b) { return a.kind < b.kind; });
    if (problems == m_problems)
        return;
    beginResetModel();
    m_problems = std::move(problems);
    endResetModel();
}

int ProblemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_problems.size());
}

int ProblemModel::remarkCount() const
{
    return static_cast<int>(
        std::count_if(m_problems.begin(), m_problems.end(),
                      [](const Problem& problem) { return problem.kind == ProblemKind::Remark; }));
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Problem& problem = problemAt(index.row());
    const Look look = lookOf(problem.kind);
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole: {
        if (index.column() == CountColumn)
            return countText(problem.count);
        const QString& text = index.column() == SentenceColumn ? problem.sentence : problem.where;
        return role == Qt::ToolTipRole ? plainTip(text) : text;
    }
    case Qt::AccessibleTextRole:
        return index.column() == SentenceColumn
                   ? QVariant{tr(look.word) + QStringLiteral(": ") + problem.sentence}
                   : QVariant{};
    case Qt::TextAlignmentRole: return alignmentAt(index.column());
    case Qt::DecorationRole:
        return index.column() == SentenceColumn
                   ? QVariant{icon(QString::fromLatin1(look.icon), look.ink, look.ink)}
                   : QVariant{};
    default: return {};
    }
}

} // namespace plimsoll::ui
