// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/plan_document.h"

#include <QObject>
#include <QString>

namespace plimsoll::ui {

class SessionKeeper;

/// The budgets of a document that were tried and their results. Writes them into the session, and
/// with them the settings and the plans that a search found.
class DocumentRuns : public QObject
{
    Q_OBJECT

public:
    DocumentRuns(workspace::PlanDocument& document, SessionKeeper& keeper,
                 QObject* parent = nullptr);

    /// Unless the document has such a run.
    void add(workspace::Run run);
    void rename(std::int64_t key, const QString& name);
    void remove(std::int64_t key);
    /// Settings, with the times of ops, and budget, which the user changed.
    void keepSettings();
    /// The result of the last finished search, if the session doesn't have it. To be called when
    /// the user changed something: opening a session writes nothing into it.
    void keepPlans();

Q_SIGNALS:
    void changed();
    /// The user changed the document, too.
    void edited();

private:
    void keep(const workspace::Run& run);

    workspace::PlanDocument& m_document;
    SessionKeeper& m_keeper;
    std::int64_t m_lastKey = 0;
    workspace::PlannedPtr m_kept; ///< last written
    workspace::ProfiledTimes m_keptTimes;
};

} // namespace plimsoll::ui
