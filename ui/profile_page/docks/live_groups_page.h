// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/base/job_runner.h"
#include "ui/profile_page/docks/late_work.h"
#include "ui/profile_tables/live_group_model.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace plimsoll::ui {

class TextLabel;
class TreemapView;

/// What is live at the cursor, in groups; at the peak until something was pointed at. Groups are
/// made off the GUI thread, and only while the page is shown.
class LiveGroupsPage : public QWidget
{
    Q_OBJECT

public:
    explicit LiveGroupsPage(QWidget* parent = nullptr);

    void setPicture(workspace::ProfilePicturePtr picture);
    /// None: the last one stays.
    void setStep(std::optional<std::size_t> step);
    void setGrouping(memtrace::LiveBy by);
    [[nodiscard]] memtrace::LiveBy grouping() const;
    /// As a map, whose areas are bytes, or as a table.
    void setMap(bool isMap);
    [[nodiscard]] bool isMap() const;
    [[nodiscard]] LiveGroupModel& model() const { return *m_model; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] TreemapView& map() const { return *m_map; }
    [[nodiscard]] JobRunnerBase& job() { return m_grouper; }
    /// Whether the groups are those that are wanted.
    [[nodiscard]] bool isCurrent() const { return m_work->isBegun() && !m_grouper.isRunning(); }

Q_SIGNALS:
    /// The grouping, or map and table.
    void shownChanged();
    void filterWanted(const memtrace::FilterTerm& term);
    void pictureWanted(QWidget& view, const QString& what);
    void sourceWanted(const QString& source);

private:
    void refresh();
    void take(memtrace::LiveGroups live, memtrace::LiveBy by, std::size_t step);
    /// Map and table have one current group.
    void connectGroups();
    void openSourceOf(int row);
    void filterBy(int row);
    void showMenu(int row, const QPoint& at);

    LiveGroupModel* m_model = nullptr;
    QTableView* m_table = nullptr;
    TreemapView* m_map = nullptr;
    QStackedWidget* m_pages = nullptr; ///< map, table
    QToolButton* m_asTable = nullptr;
    QComboBox* m_by = nullptr;
    TextLabel* m_head = nullptr;
    workspace::ProfilePicturePtr m_picture;
    std::optional<std::size_t> m_step;
    LateWork* m_work = nullptr;
    JobRunner<memtrace::LiveGroups> m_grouper;
};

} // namespace plimsoll::ui
