// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/profile_page/docks/late_work.h"
#include "ui/profile_tables/event_rows.h"

#include <QWidget>

class QLineEdit;
class QTableView;

namespace plimsoll::ui {

class RangeFilter;
class TextLabel;

/// The events of a recording: those that a text field finds, in the selected range, sorted. Rows
/// are found and sorted off the GUI thread, and only while the page is shown.
class EventsPage : public QWidget
{
    Q_OBJECT

public:
    explicit EventsPage(QWidget* parent = nullptr);

    void setPicture(workspace::ProfilePicturePtr picture);
    [[nodiscard]] RangeFilter& rangeFilter() const { return *m_range; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] JobRunnerBase& job() { return m_finder; }
    /// Whether the rows are those that are wanted.
    [[nodiscard]] bool isCurrent() const { return m_work->isBegun() && !m_finder.isRunning(); }

Q_SIGNALS:
    void eventChosen(plimsoll::memtrace::EventIndex event);

private:
    struct Found
    {
        EventRows rows;
        bool isText = false; ///< what is looked for is no expression
    };

    void refresh();
    void take(const workspace::ProfilePicturePtr& picture, const Found& found);

    EventModel* m_model = nullptr;
    QTableView* m_table = nullptr;
    QLineEdit* m_query = nullptr;
    RangeFilter* m_range = nullptr;
    TextLabel* m_head = nullptr;
    workspace::ProfilePicturePtr m_picture;
    std::optional<memtrace::EventIndex> m_chosen;
    LateWork* m_work = nullptr;
    bool m_isTaking = false; ///< the current row changes, but not by the user
    JobRunner<Found> m_finder;
};

} // namespace plimsoll::ui
