// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/gap_curve.h"
#include "core/memtrace/analysis/gaps.h"
#include "core/workspace/profile/profile_picture.h"
#include "ui/base/job_runner.h"

#include <QTimer>

#include <optional>
#include <vector>

namespace plimsoll::ui {

/// Finds the gaps between allocations at the cursor, or the peak, and the largest one at each step,
/// off the GUI thread.
class MapFigures : public QObject
{
    Q_OBJECT

public:
    explicit MapFigures(QObject* parent = nullptr);

    void setPicture(workspace::ProfilePicturePtr picture);
    /// None: the last one stays.
    void setStep(std::optional<std::size_t> step);
    /// "54.0 ms: 1.41 GiB in gaps, the largest 1.02 GiB, fragmentation 0.28"; empty: not known
    /// yet.
    [[nodiscard]] const QString& text() const { return m_text; }
    /// Null: not known yet.
    [[nodiscard]] const memtrace::GapCurvePtr& curve() const { return m_curve; }
    [[nodiscard]] std::vector<JobRunnerBase*> jobs() { return {&m_finder, &m_curveMaker}; }

Q_SIGNALS:
    void textChanged();
    void curveChanged();

private:
    void refresh();
    void makeCurve();

    workspace::ProfilePicturePtr m_picture;
    std::optional<std::size_t> m_step;
    QString m_text;
    QTimer m_later;
    memtrace::GapCurvePtr m_curve;
    JobRunner<memtrace::Gaps> m_finder;
    JobRunner<memtrace::GapCurvePtr> m_curveMaker;
};

} // namespace plimsoll::ui
