// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/base/job_runner.h"
#include "ui/profile_tables/live_group_model.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QComboBox;
class QTableView;

namespace plimsoll::ui {

class TextLabel;

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
    [[nodiscard]] LiveGroupModel& model() const { return *m_model; }
    [[nodiscard]] JobRunnerBase& job() { return m_grouper; }
    /// Whether the groups are those that are wanted.
    [[nodiscard]] bool isCurrent() const { return m_isCurrent && !m_grouper.isRunning(); }

Q_SIGNALS:
    void groupingChanged();
    void sourceWanted(const QString& source);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refreshSoon();
    void refresh();

    LiveGroupModel* m_model = nullptr;
    QTableView* m_table = nullptr;
    QComboBox* m_by = nullptr;
    TextLabel* m_head = nullptr;
    workspace::ProfilePicturePtr m_picture;
    std::optional<std::size_t> m_step;
    bool m_isCurrent = false;
    QTimer m_later;
    JobRunner<memtrace::LiveGroups> m_grouper;
};

} // namespace plimsoll::ui
