// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/doctor/diagnosis.h"
#include "core/workspace/profile/profile_picture.h"
#include "ui/base/job_runner.h"
#include "ui/profile_page/docks/late_work.h"

#include <QWidget>

#include <optional>

namespace plimsoll::ui {

class DiagnosisView;

/// Why memory ran out on the shown device, or what its peak consists of. Found off the GUI thread
/// when the page is shown: the allocator is replayed under other settings, and a graph of the
/// model is planned.
class DiagnosisPage : public QWidget
{
    Q_OBJECT

public:
    explicit DiagnosisPage(QWidget* parent = nullptr);

    void setPicture(workspace::ProfilePicturePtr picture);
    [[nodiscard]] DiagnosisView& view() const { return *m_view; }
    [[nodiscard]] JobRunnerBase& job() { return m_doctor; }
    [[nodiscard]] JobRunnerBase& planJob() { return m_opener; }
    [[nodiscard]] bool isCurrent() const { return m_work->isBegun() && !m_doctor.isRunning(); }

Q_SIGNALS:
    /// To the moment that the diagnosis is about.
    void stepWanted(std::size_t step);
    /// The plan that would help, as a document.
    void planMade(workspace::DocumentPtr& plan);
    void planFailed(const QString& sentence);

private:
    void refresh();
    void take(base::Result<doctor::Diagnosis> diagnosis);
    void openPlan();

    DiagnosisView* m_view = nullptr;
    workspace::ProfilePicturePtr m_picture;
    LateWork* m_work = nullptr;
    workspace::ProfilePicturePtr m_diagnosed; ///< that the diagnosis, or the running job, is about
    std::optional<doctor::Diagnosis> m_diagnosis;
    JobRunner<doctor::Diagnosis> m_doctor;
    JobRunner<workspace::DocumentPtr> m_opener;
};

} // namespace plimsoll::ui
