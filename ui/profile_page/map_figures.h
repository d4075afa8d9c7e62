// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/gaps.h"
#include "core/workspace/profile/profile_picture.h"
#include "ui/base/job_runner.h"

#include <QTimer>

#include <optional>

namespace plimsoll::ui {

/// Finds the gaps between allocations at the cursor, or the peak, off the GUI thread.
class MapFigures : public QObject
{
    Q_OBJECT

public:
    explicit MapFigures(QObject* parent = nullptr);

    void setPicture(workspace::ProfilePicturePtr picture);
    /// None: the last one stays.
    void setStep(std::optional<std::size_t> step);
    /// "at 54.0 ms 1.41 GiB idle, largest gap 1.02 GiB, fragmentation 0.28"; empty: not known yet.
    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] JobRunnerBase& job() { return m_finder; }

Q_SIGNALS:
    void textChanged();

private:
    void refresh();

    workspace::ProfilePicturePtr m_picture;
    std::optional<std::size_t> m_step;
    QString m_text;
    QTimer m_later;
    JobRunner<memtrace::GapFigures> m_finder;
};

} // namespace plimsoll::ui
