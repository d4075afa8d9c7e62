// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/docks/diagnosis_page.h"

#include "core/doctor/diagnose.h"
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
        if (m_step)
            Q_EMIT stepWanted(*m_step);
    });
    connect(&m_doctor, &JobRunnerBase::progressed, this, [this](int perMille) {
        m_view->showText(tr("Replaying the allocator under other settings: %1")
                             .arg(percentText(perMille / 1000.0)));
    });
    m_work = new LateWork{*this, [this] { refresh(); }};
}

void DiagnosisPage::setPicture(workspace::ProfilePicturePtr picture)
{
    // It is about the device, whatever is shown of it.
    if (m_picture && m_picture->deviceIndex == picture->deviceIndex) {
        m_picture = std::move(picture);
        return;
    }
    m_picture = std::move(picture);
    m_work->want();
}

void DiagnosisPage::refresh()
{
    if (!m_picture)
        return;
    m_doctor.start(
        [picture = m_picture](const base::JobContext& job) {
            return doctor::diagnose(*picture->trace, picture->device(), job);
        },
        [this](const base::Result<doctor::Diagnosis>& diagnosis) { take(diagnosis); });
}

void DiagnosisPage::take(const base::Result<doctor::Diagnosis>& diagnosis)
{
    if (!diagnosis) {
        m_step.reset();
        m_view->showText(QString::fromStdString(diagnosis.error().message));
        return;
    }
    m_step = diagnosis->moment ? std::optional{diagnosis->moment->step} : std::nullopt;
    m_view->show(*diagnosis, m_step ? stepText(*m_picture, *m_step) : QString{});
}

} // namespace plimsoll::ui
