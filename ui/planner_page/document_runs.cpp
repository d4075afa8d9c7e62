// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/document_runs.h"

#include "core/workspace/kept_plans.h"
#include "ui/document_page/session_keeper.h"

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

std::string runSlot(std::int64_t key)
{
    return "run " + std::to_string(key);
}

} // namespace

DocumentRuns::DocumentRuns(workspace::PlanDocument& document, SessionKeeper& keeper,
                           QObject* parent)
    : QObject{parent}
    , m_document{document}
    , m_keeper{keeper}
    , m_keptTimes{document.choices.profiled}
{
    for (const workspace::Run& run : m_document.runs)
        m_lastKey = std::max(m_lastKey, run.key);
}

void DocumentRuns::add(workspace::Run run)
{
    if (workspace::contains(m_document.runs, run))
        return;
    run.key = ++m_lastKey;
    keep(run);
    m_document.runs.push_back(std::move(run));
    Q_EMIT changed();
}

void DocumentRuns::keep(const workspace::Run& run)
{
    m_keeper.put(runSlot(run.key), [run](session::SessionStore& store, session::DocumentId id) {
        return session::saveRun(store, id, workspace::savedRun(run));
    });
}

void DocumentRuns::rename(std::int64_t key, const QString& name)
{
    for (workspace::Run& run : m_document.runs)
        if (run.key == key && run.name != name.toStdString()) {
            run.name = name.toStdString();
            keep(run);
            Q_EMIT edited();
            Q_EMIT changed();
        }
}

void DocumentRuns::remove(std::int64_t key)
{
    const auto run = std::ranges::find(m_document.runs, key, &workspace::Run::key);
    if (run == m_document.runs.end())
        return;
    m_keeper.put(runSlot(key), [key](session::SessionStore& store, session::DocumentId id) {
        return session::removeRun(store, id, key);
    });
    m_document.runs.erase(run);
    Q_EMIT edited();
    Q_EMIT changed();
}

void DocumentRuns::keepSettings()
{
    m_keeper.put("problem", [problem = workspace::savedProblem(m_document)](
                                session::SessionStore& store, session::DocumentId id) {
        return session::saveProblem(store, id, problem);
    });
    if (m_document.choices.profiled != m_keptTimes) {
        m_keptTimes = m_document.choices.profiled;
        m_keeper.put("times", [profiled = m_keptTimes](session::SessionStore& store,
                                                       session::DocumentId id) {
            return session::saveTimes(store, id, workspace::savedTimes(profiled));
        });
    }
    keepPlans();
}

void DocumentRuns::keepPlans()
{
    if (!m_document.planned || m_kept == m_document.planned)
        return;
    m_kept = m_document.planned;
    m_keeper.put("frontier", [planned = m_kept, hash = m_document.graph.contentHash](
                                 session::SessionStore& store, session::DocumentId id) {
        return session::saveFrontier(store, id, workspace::keptPlans(*planned, hash));
    });
}

} // namespace plimsoll::ui
