// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/profile_page/docks/late_work.h"
#include "ui/profile_tables/allocation_model.h"

#include <QWidget>

#include <optional>

class QTableView;

namespace plimsoll::ui {

class RangeFilter;
class TextLabel;

/// A table of allocations: those that are live at a step, or all that live in a range. Rows are
/// selected and sorted off the GUI thread, and only while the page is shown.
class AllocationPage : public QWidget
{
    Q_OBJECT

public:
    enum class Rows { LiveAtStep, All };

    AllocationPage(Rows rows, const QString& name, QWidget* parent = nullptr);

    void setPicture(workspace::ProfilePicturePtr picture);
    /// None: the last one stays; at first the peak.
    void setStep(std::optional<std::size_t> step);
    /// Of all allocations those that live in it are listed.
    [[nodiscard]] RangeFilter& rangeFilter() const { return *m_range; }
    /// Makes its row the current one, if it is listed.
    void select(std::optional<std::uint32_t> allocation);
    [[nodiscard]] AllocationModel& model() const { return *m_model; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] JobRunnerBase& job() { return m_sorter; }
    /// Whether the rows are those that are wanted.
    [[nodiscard]] bool isCurrent() const { return m_work->isBegun() && !m_sorter.isRunning(); }

Q_SIGNALS:
    void allocationChosen(std::optional<std::uint32_t> allocation);
    void sourceWanted(const QString& source);

private:
    void refresh();
    void take(const AllocationRows& rows, std::optional<std::size_t> step);

    Rows m_rows;
    AllocationModel* m_model = nullptr;
    QTableView* m_table = nullptr;
    RangeFilter* m_range = nullptr;
    TextLabel* m_head = nullptr;
    workspace::ProfilePicturePtr m_picture;
    std::optional<std::size_t> m_step;
    std::optional<std::uint32_t> m_selected;
    LateWork* m_work = nullptr;
    bool m_isTaking = false; ///< the current row changes, but not by the user
    JobRunner<AllocationRows> m_sorter;
};

} // namespace plimsoll::ui
