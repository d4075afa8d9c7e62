// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/base/job_runner.h"
#include "ui/profile_tables/diff_model.h"

#include <QMenu>
#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace plimsoll::ui {

/// What another profile holds at its peak that this one doesn't, and the other way round. The other
/// profile is one that is open, or a file. Compared off the GUI thread.
class ComparePage : public QWidget
{
    Q_OBJECT

public:
    struct Other
    {
        QString name;
        memtrace::MemoryTracePtr trace;
    };
    /// The other profiles that are open, asked for when the menu opens.
    using Others = std::function<std::vector<Other>()>;

    ComparePage(Others others, QWidget* parent = nullptr);

    void setPicture(workspace::ProfilePicturePtr picture);
    void compareWith(const Other& other);
    /// Reads the file, too.
    void compareWithFile(const QString& path);
    [[nodiscard]] DiffModel& model() const { return *m_model; }
    [[nodiscard]] QComboBox& grouping() const { return *m_by; }
    [[nodiscard]] JobRunnerBase& job() { return m_runner; }
    /// Both peaks and what only one of them has, or why there is nothing.
    [[nodiscard]] QString text() const;
    [[nodiscard]] bool isCurrent() const { return m_isCurrent && !m_runner.isRunning(); }
    [[nodiscard]] QMenu& menu() const { return *m_menu; }

Q_SIGNALS:
    /// A file is to be chosen.
    void fileWanted();

private:
    struct Compared
    {
        Other other;
        std::size_t stepB = 0;
        std::size_t device = 0; ///< of the other profile
        memtrace::TraceDiff diff;
    };

    void fillMenu();
    void refresh();
    void run(const std::function<base::Result<Other>(const base::JobContext&)>& open);
    void take(Compared compared, memtrace::LiveBy by);

    Others m_others;
    QMenu* m_menu = nullptr;
    QPushButton* m_choose = nullptr;
    QComboBox* m_by = nullptr;
    QLabel* m_text = nullptr;
    DiffModel* m_model = nullptr;
    QTableView* m_table = nullptr;
    workspace::ProfilePicturePtr m_picture;
    std::optional<Other> m_other;
    bool m_isCurrent = false;
    JobRunner<Compared> m_runner;
};

} // namespace plimsoll::ui
