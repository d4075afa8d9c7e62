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

/// Writes a document's changes into its session file: collected for a moment, one job at a time.
/// Without a session it discards them.
class SessionKeeper : public QObject
{
    Q_OBJECT

public:
    explicit SessionKeeper(workspace::Document& document, QObject* parent = nullptr);
    ~SessionKeeper() override;

    /// Saves the whole document into a new file, or into an existing session, after the current
    /// write; later changes go there. Doesn't wait.
    void saveInto(session::SessionFilePtr file, bool isNew);
    /// A change of the document (PendingWrites::put).
    void put(std::string slot, workspace::PendingWrites::Write write);

    /// Changes that the file doesn't have yet.
    [[nodiscard]] bool isPending() const { return isWriting() || !m_document.pending.isEmpty(); }
    [[nodiscard]] bool isWriting() const { return m_job != nullptr || m_creation.has_value(); }
    /// Whether the last write failed; its changes are pending again.
    [[nodiscard]] bool hasFailed() const { return m_failed; }
    /// Discards pending and later changes.
    void forget();
    /// Writes all pending changes in the background, one job after the other.
    void saveNow();
    /// Writes pending changes and waits: only for use without an event loop to return to.
    void finish();

Q_SIGNALS:
    void stateChanged();
    void saved(const QString& path, bool first);
    void failed(const QString& sentence);
    /// Nothing is being written any more; everything is saved, unless hasFailed().
    void settled();

private:
    /// One write. Belongs to the worker until it is over.
    struct Job
    {
        workspace::SessionPlace place;
        std::string contentHash;
        /// To be added to the place's file, which is created if isOnly is set; null: `changes`
        /// only.
        std::unique_ptr<const workspace::Document> whole;
        session::SessionFilePtr before; ///< the previous place, if `whole` replaces it
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
    std::optional<workspace::SessionPlace> m_creation; ///< to be saved there as a whole
    std::shared_ptr<Job> m_job;
    bool m_hurried = false; ///< don't collect between jobs
    bool m_failed = false;
    QTimer m_timer;
    std::unique_ptr<JobRunner<bool>> m_writer;
};

} // namespace plimsoll::ui
