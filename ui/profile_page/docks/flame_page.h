// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/base/job_runner.h"
#include "ui/flame/flame_view.h"
#include "ui/profile_page/docks/late_work.h"

#include <QWidget>

#include <optional>

namespace plimsoll::ui {

class RangeFilter;
class TextLabel;

/// What functions cost: bytes times lifetime, in the selected range or the whole recording. Found
/// off the GUI thread, and only while the page is shown.
class FlamePage : public QWidget
{
    Q_OBJECT

public:
    explicit FlamePage(QWidget* parent = nullptr);

    void setPicture(workspace::ProfilePicturePtr picture);
    [[nodiscard]] RangeFilter& rangeFilter() const { return *m_range; }
    [[nodiscard]] FlameView& view() const { return *m_view; }
    [[nodiscard]] JobRunnerBase& job() { return m_finder; }
    [[nodiscard]] QString text() const;
    [[nodiscard]] bool isCurrent() const { return m_work->isBegun() && !m_finder.isRunning(); }

Q_SIGNALS:
    void sourceWanted(const QString& source);
    void filterWanted(const memtrace::FilterTerm& term);
    void pictureWanted(QWidget& view, const QString& what);

private:
    void refresh();
    void openSourceOf(std::uint32_t node);
    void showMenu(std::uint32_t node, const QPoint& at);

    TextLabel* m_head = nullptr;
    RangeFilter* m_range = nullptr;
    FlameView* m_view = nullptr;
    workspace::ProfilePicturePtr m_picture;
    LateWork* m_work = nullptr;
    JobRunner<FlamePtr> m_finder;
};

} // namespace plimsoll::ui
