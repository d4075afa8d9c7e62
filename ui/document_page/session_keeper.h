// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/document.h"
#include "ui/base/job_runner.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::ui {

/// Writes a document's changes into its session file: gathered for a moment, one job at a time. In
/// no session it only forgets what it is told.
class SessionKeeper : public QObject
{
    Q_OBJECT

public:
    explicit SessionKeeper(workspace::Document& document, QObject* parent = nullptr);
    ~SessionKeeper() override;

    /// Saves the whole document into a new file, or beside the documents that a session holds
    /// already, once what is being written is; later changes go there. Waits for nothing.
    void saveInto(session::SessionFilePtr file, bool isNew);
    /// A change of the document (PendingWrites::put).
    void put(std::string slot, workspace::PendingWrites::Write write);

    /// Changes that the file doesn't hold yet.
    [[nodiscard]] bool isPending() const { return isWriting() || !m_document.pending.isEmpty(); }
    [[nodiscard]] bool isWriting() const { return m_job != nullptr || m_creation.has_value(); }
    /// The last writing failed; what it held is pending again.
    [[nodiscard]] bool hasFailed() const { return m_failed; }
    /// Drops what is pending, and what comes later.
    void forget();
    /// Writes all that is pending in the background, one job after the other.
    void saveNow();
    /// Writes what is pending and waits for it: only where there is no event loop to come back to.
    void finish();

Q_SIGNALS:
    void stateChanged();
    void saved(const QString& path, bool first);
    void failed(const QString& sentence);
    /// Nothing is being written any more; all is, unless hasFailed().
    void settled();

private:
    /// One writing. Belongs to the worker until it is over.
    struct Job
    {
        workspace::SessionPlace place;
        std::string contentHash;
        /// To be added to the place's file, which is to be made if it isOnly there; null: `changes`
        /// only.
        std::unique_ptr<const workspace::Document> whole;
        session::SessionFilePtr before; ///< where the document was, when `whole` takes its place
        std::vector<workspace::PendingWrites::Change> changes; ///< what is left after a failure. Of
                                                               ///< `whole`: what it holds already
        std::optional<base::Error> error;
    };
    [[nodiscard]] static base::Result<void> perform(Job& job);

    void start(std::shared_ptr<Job> job);
    void startWriting();
    void startCreation();
    void proceed();
    void settle();

    workspace::Document& m_document;
    std::optional<workspace::SessionPlace> m_creation; ///< to be saved whole there
    std::shared_ptr<Job> m_job;
    bool m_hurried = false; ///< no gathering between jobs
    bool m_failed = false;
    QTimer m_timer;
    std::unique_ptr<JobRunner<bool>> m_writer;
};

} // namespace plimsoll::ui
