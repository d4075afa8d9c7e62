// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/run_check.h"

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr int kRest = 150; ///< ms without another question
constexpr std::size_t kMostVerdicts = 64;

} // namespace

RunCheck::RunCheck(QObject* parent) : QObject{parent}
{
    m_later.setSingleShot(true);
    m_later.setInterval(kRest);
    connect(&m_later, &QTimer::timeout, this, &RunCheck::compute);
}

bool RunCheck::isAsked(const Known& known) const
{
    return m_question.plan && known.evaluation == m_question.plan->evaluationPtr()
           && known.budget == m_question.budget && known.isExpandable == m_question.isExpandable;
}

void RunCheck::ask(const RunQuestion& question)
{
    const bool isSame = question.plan && m_question.plan
                        && question.plan->evaluationPtr() == m_question.plan->evaluationPtr()
                        && question.budget == m_question.budget
                        && question.isExpandable == m_question.isExpandable;
    m_question = question;
    if (isSame && (m_later.isActive() || m_runner.isRunning()))
        return;
    m_later.stop();
    m_runner.stop();
    if (question.plan && !verdict())
        m_later.start();
}

std::optional<run::RunVerdict> RunCheck::verdict() const
{
    const auto found =
        std::ranges::find_if(m_known, [this](const Known& known) { return isAsked(known); });
    return found == m_known.end() ? std::nullopt : std::optional{found->verdict};
}

void RunCheck::compute()
{
    m_runner.start(
        [question = m_question](const base::JobContext& job) {
            allocator::AllocatorSettings settings;
            settings.expandableSegments = question.isExpandable;
            return run::willRun(*question.plan, settings, question.budget, job);
        },
        [this, question = m_question](const base::Result<run::RunVerdict>& verdict) {
            if (!verdict) // only ever cancelled
                return;
            m_known.insert(m_known.begin(), {question.plan->evaluationPtr(), question.budget,
                                             question.isExpandable, *verdict});
            if (m_known.size() > kMostVerdicts)
                m_known.pop_back();
            if (isAsked(m_known.front()))
                Q_EMIT answered();
        });
}

} // namespace plimsoll::ui
