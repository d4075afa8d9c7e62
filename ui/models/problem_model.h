// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"
#include "ui/models/table_model.h"

#include <optional>
#include <vector>

namespace plimsoll::ui {

enum class ProblemKind : std::uint8_t {
    Fault,   ///< could not be done
    Warning, ///< done, with a remark
    Remark,
};

/// A remark about a document or its plan.
struct Problem
{
    ProblemKind kind = ProblemKind::Remark;
    QString sentence = {};
    std::uint64_t count = 1;
    std::optional<graph::OpId> op = {}; ///< the op, if it refers to one
    bool recomputed = false;            ///< refers to the op's recomputation
    QString where = {};                 ///< "lm_head, backward"; empty: nowhere

    bool operator==(const Problem&) const = default;
};

/// Faults first, then warnings, then remarks; each kind in the order given.
class ProblemModel : public RowsModel<Problem>
{
    Q_OBJECT

public:
    enum Column { SentenceColumn, CountColumn, WhereColumn, ColumnCount };

    explicit ProblemModel(QObject* parent = nullptr);

    void setProblems(std::vector<Problem> problems);
    /// Number of rows, at the end, that are only remarks.
    [[nodiscard]] int remarkCount() const;

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
};

} // namespace plimsoll::ui
