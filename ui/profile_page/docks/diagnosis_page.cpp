// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/docks/diagnosis_page.h"

#include "core/base/try.h"
#include "core/doctor/diagnose.h"
#include "core/doctor/remedies.h"
#include "core/workspace/profile/planned_remedy.h"
#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/diagnosis/diagnosis_view.h"
#include "ui/profile_page/profile_texts.h"

#include <utility>

namespace plimsoll::ui {

DiagnosisPage::DiagnosisPage(QWidget* parent) : QWidget{parent}
{
    setManualPage(*this, QStringLiteral("profiles.md#when-memory-runs-out"));
    auto* column = makeColumn(this);
    m_view = new DiagnosisView{this};
    column->addWidget(m_view, 1);
    connect(m_view, &DiagnosisView::momentWanted, this, [this] {
        if (m_diagnosis && m_diagnosis->moment
            && m_diagnosis->moment->shownStep() < m_picture->timeline->stepCount())
            Q_EMIT stepWanted(m_diagnosis->moment->shownStep());
    });
    m_view->setOffersPlan(true);
    connect(m_view, &DiagnosisView::planWanted, this, &DiagnosisPage::openPlan);
    connect(&m_doctor, &JobRunnerBase::progressed, this, [this](int perMille) {
        if (m_diagnosis) // of the recording before it grew
            return;
        m_view->showText((m_picture && m_picture->settings.graph
                              ? tr("Replaying the allocator, and planning the graph: %1")
                              : tr("Replaying the allocator under other settings: %1"))
                             .arg(percentText(perMille / 1000.0)));
    });
    m_work = new LateWork{*this, [this] { refresh(); }};
}

void DiagnosisPage::setPicture(workspace::ProfilePicturePtr picture)
{
    // It is about the device, whatever is shown of it, and what a graph's plan does for it.
    const bool isSame = m_picture && m_picture->recorded == picture->recorded
                        && m_picture->deviceIndex == picture->deviceIndex
                        && m_picture->settings.graph == picture->settings.graph;
    // A recording that grows faster than it is diagnosed has an older diagnosis for a while.
    const bool isGrown = m_picture && m_picture->recorded != picture->recorded;
    m_picture = std::move(picture);
    if (!isSame && !(isGrown && m_doctor.isRunning()))
        m_work->want();
}

void DiagnosisPage::refresh()
{
    if (!m_picture)
        return;
    if (!m_diagnosed || m_diagnosed->recorded == m_picture->recorded)
        m_diagnosis.reset();
    m_diagnosed = m_picture;
    m_opener.stop();
    m_doctor.start(
        [picture = m_picture](const base::JobContext& job) -> base::Result<doctor::Diagnosis> {
            const std::shared_ptr<const workspace::ComparedStep>& graph = picture->settings.graph;
            ASSIGN_OR_RETURN(doctor::Diagnosis diagnosis,
                             doctor::diagnose(*picture->trace, picture->device(),
                                              graph ? job.piece(0, 2) : job));
            if (!graph || !picture->graphFault.empty())
                return diagnosis;
            ASSIGN_OR_RETURN(doctor::Remedy remedy,
                             workspace::plannedRemedy(*graph, diagnosis, job.piece(1, 2)));
            doctor::addPlanned(diagnosis.remedies, std::move(remedy));
            return diagnosis;
        },
        [this](base::Result<doctor::Diagnosis> diagnosis) { take(std::move(diagnosis)); });
}

void DiagnosisPage::take(base::Result<doctor::Diagnosis> diagnosis)
{
    if (!diagnosis) {
        m_diagnosis.reset();
        m_view->showText(QString::fromStdString(diagnosis.error().message));
        return;
    }
    m_diagnosis = *std::move(diagnosis);
    m_view->show(*m_diagnosis, m_diagnosis->moment
                                   ? stepText(*m_diagnosed, m_diagnosis->moment->shownStep())
                                   : QString{});
    if (m_diagnosed->recorded != m_picture->recorded)
        m_work->want();
}

void DiagnosisPage::openPlan()
{
    if (!m_diagnosis || !m_picture->settings.graph)
        return;
    m_opener.start(
        [graph = m_picture->settings.graph, diagnosis = *m_diagnosis](const base::JobContext& job) {
            return workspace::plannedDocument(*graph, diagnosis, job);
        },
        [this](base::Result<workspace::DocumentPtr> plan) {
            if (plan)
                Q_EMIT planMade(*plan);
            else
                Q_EMIT planFailed(QString::fromStdString(plan.error().message));
        });
}

} // namespace plimsoll::ui
