// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/largest_sizes.h"
#include "ui/models/table_model.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::ui {

/// The largest size of an axis that runs with a planner, as far as it is known.
struct LargestSizeRow
{
    std::string axis;
    QString planner = {}; ///< as plannerTitle()
    QString call = {};    ///< as on the command line: "rotor --ways on"
    std::optional<std::int64_t> size = {};
    // Of the plan at that size; empty without one.
    std::optional<run::RunStatus> run = {};
    std::optional<base::Nanoseconds> stepTime = {};
    std::optional<base::Bytes> peak = {};
    // The next size, which doesn't run; empty: every larger one does, or it isn't known yet.
    std::optional<std::int64_t> nextSize = {};
    workspace::SizeStatus nextStatus = workspace::SizeStatus::NotFound;
    QString refusal = {};
    bool isOver = false; ///< no size lies between the two

    bool operator==(const LargestSizeRow&) const = default;
};

[[nodiscard]] LargestSizeRow largestSizeRow(const workspace::SizeQuestion& question,
                                            const workspace::LargestSize& found);

/// The largest sizes that run: a row for each axis and planner. Rows are filled in place.
class LargestSizeModel : public RowsModel<LargestSizeRow>
{
    Q_OBJECT

public:
    enum Column {
        AxisColumn,
        PlannerColumn,
        SizeColumn,
        TimeColumn,
        PeakColumn,
        NextColumn,
        ColumnCount
    };

    explicit LargestSizeModel(QObject* parent = nullptr);

    /// A row for each question, without an answer.
    void setQuestions(std::vector<workspace::SizeQuestion> questions);
    /// Fills in the row of that question.
    void setFound(std::size_t question, const workspace::LargestSize& found);

protected:
    [[nodiscard]] QString text(int at, int column) const override;
    [[nodiscard]] QVariant cell(int at, int column, int role) const override;

private:
    std::vector<workspace::SizeQuestion> m_questions;
};

} // namespace plimsoll::ui
