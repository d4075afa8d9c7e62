// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/document.h"
#include "ui/base/job_runner.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace plimsoll::ui {

/// Writes a document's changes into its session file: gathered for a moment, one job at a time, so
/// that the file has one writer. Before a file is attached it only forgets what it is told.
class SessionKeeper : public QObject
{
    Q_OBJECT

public:
    explicit SessionKeeper(QObject* parent = nullptr);
    ~SessionKeeper() override;

    /// The document came from this file.
    void attach(const std::filesystem::path& path);
    /// Makes a new file out of the whole document; later changes go there.
    void create(const std::filesystem::path& path, const workspace::Document& document);

    void setProblem(const session::SavedProblem& problem);
    void setView(const std::string& state);
    void addRun(const workspace::Run& run);
    void renameRun(const workspace::Run& run);
    void removeRun(const workspace::Run& run);

    /// Changes that the file doesn't hold yet.
    [[nodiscard]] bool isPending() const { return m_job != nullptr || !m_next.isEmpty(); }
    [[nodiscard]] bool isWriting() const { return m_job != nullptr; }
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
    void runStored(int key, qint64 id);
    void saved(const QString& path, bool first);
    void failed(const QString& sentence);
    /// Nothing is being written any more; all is, unless hasFailed().
    void settled();

private:
    /// The open file; used by one job at a time.
    struct File
    {
        std::filesystem::path path;
        std::optional<session::SessionStore> store;
    };
    /// One writing. Belongs to the worker until it is over.
    struct Job
    {
        std::shared_ptr<File> file;
        bool isNew = false;
        session::SavedSession content;   ///< of a new file
        workspace::SessionChange change; ///< of an old one; what is left after a failure
        std::vector<int> keys;           ///< of the runs, whose ids come with the writing
        std::vector<std::int64_t> ids;
        std::optional<base::Error> error;
    };
    static void perform(Job& job);

    void changed();
    void start(std::shared_ptr<Job> job);
    void startWriting();
    void settle();
    void putBack(Job& job);

    std::shared_ptr<File> m_file; ///< null: none
    workspace::SessionChange m_next;
    std::vector<int> m_nextKeys;
    std::shared_ptr<Job> m_job;
    bool m_hurried = false; ///< no gathering between jobs
    bool m_failed = false;
    QTimer m_timer;
    std::unique_ptr<JobRunner<bool>> m_writer;
};

} // namespace plimsoll::ui
