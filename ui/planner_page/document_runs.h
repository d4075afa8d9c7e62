// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/plan_document.h"

#include <QObject>
#include <QString>

namespace plimsoll::ui {

class SessionKeeper;

/// The budgets of a document that were tried, and their results. Each change goes to the session.
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

Q_SIGNALS:
    void changed();
    /// The user changed the document, too.
    void edited();

private:
    void keep(const workspace::Run& run);

    workspace::PlanDocument& m_document;
    SessionKeeper& m_keeper;
    std::int64_t m_lastKey = 0;
};

} // namespace plimsoll::ui
