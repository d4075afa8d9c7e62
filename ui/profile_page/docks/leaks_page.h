// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/leaks.h"
#include "core/workspace/profile/profile_picture.h"
#include "ui/base/job_runner.h"
#include "ui/profile_page/docks/late_work.h"
#include "ui/profile_tables/leak_model.h"

#include <QWidget>

#include <optional>

class QLabel;
class QTableView;

namespace plimsoll::ui {

class RangeFilter;

/// What outlives the step that allocated it, and what of it grows by the step. Looked for off the
/// GUI thread, and only while the page is shown.
class LeaksPage : public QWidget
{
    Q_OBJECT

public:
    explicit LeaksPage(QWidget* parent = nullptr);

    void setPicture(workspace::ProfilePicturePtr picture);
    /// Only the steps that end within it are looked at.
    [[nodiscard]] RangeFilter& rangeFilter() const { return *m_range; }
    [[nodiscard]] LeakModel& model() const { return *m_model; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] JobRunnerBase& job() { return m_finder; }
    /// What was found, as a sentence.
    [[nodiscard]] QString text() const;
    [[nodiscard]] bool isCurrent() const { return m_work->isBegun() && !m_finder.isRunning(); }

Q_SIGNALS:
    /// The newest allocation of the chosen place.
    void allocationChosen(std::optional<std::uint32_t> allocation);
    void sourceWanted(const QString& source);

private:
    void refresh();
    void take(memtrace::Leaks leaks);

    LeakModel* m_model = nullptr;
    QTableView* m_table = nullptr;
    QLabel* m_text = nullptr;
    RangeFilter* m_range = nullptr;
    workspace::ProfilePicturePtr m_picture;
    LateWork* m_work = nullptr;
    JobRunner<memtrace::Leaks> m_finder;
};

} // namespace plimsoll::ui
