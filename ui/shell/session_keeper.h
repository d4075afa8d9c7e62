// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/document.h"
#include "ui/base/job_runner.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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

    /// The document as it is when its writing begins; called on the GUI thread.
    using Snapshot = std::function<workspace::Document()>;

    /// The document came from its session file.
    void attach(const workspace::Document& document);
    /// Makes a new file out of the whole document once what is being written is; later changes go
    /// there. Waits for nothing.
    void create(const std::filesystem::path& path, Snapshot snapshot);

    void setProblem(const session::SavedProblem& problem);
    /// Null: none is laid over any more.
    void setOverlay(const workspace::OverlayPtr& overlay);
    void setView(const std::string& state);
    void addRun(const workspace::Run& run);
    void renameRun(const workspace::Run& run);
    void removeRun(const workspace::Run& run);

    /// Changes that the file doesn't hold yet.
    [[nodiscard]] bool isPending() const { return isWriting() || hasChanges(); }
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
        std::string graphHash; ///< what the session is of
        std::optional<session::SessionStore> store;
    };
    struct Creation
    {
        std::filesystem::path path;
        Snapshot snapshot;
    };
    /// One writing. Belongs to the worker until it is over.
    struct Job
    {
        std::shared_ptr<File> file;
        std::optional<workspace::Document> whole; ///< of a new file
        workspace::SessionChange change; ///< of an old file; what is left after a failure. Of a new
                                         ///< file: what `whole` holds already
        std::vector<int> keys;           ///< of the runs that `change` adds
        std::vector<std::int64_t> ids;   ///< of the runs added, or of those of `whole`
        std::optional<base::Error> error;
    };
    static void perform(Job& job);
    [[nodiscard]] static base::Result<void> openStore(File& file);
    [[nodiscard]] static base::Result<void> writeWhole(Job& job);

    [[nodiscard]] bool hasChanges() const;
    void dropChanges();
    void changed();
    void start(std::shared_ptr<Job> job);
    void startWriting();
    void startCreation();
    void proceed();
    void settle();
    void takeIds(const Job& job);
    void putBack(Job& job);

    std::shared_ptr<File> m_file; ///< null: none
    std::optional<Creation> m_creation;
    workspace::SessionChange m_next; ///< what it renames and removes is in the two lists below
    std::vector<int> m_nextKeys;
    std::vector<std::pair<int, std::string>> m_renamed; ///< by key: a new file gives other ids
    std::vector<int> m_removed;
    std::map<int, std::int64_t> m_ids; ///< in the file, by key
    std::shared_ptr<Job> m_job;
    bool m_hurried = false; ///< no gathering between jobs
    bool m_failed = false;
    QTimer m_timer;
    std::unique_ptr<JobRunner<bool>> m_writer;
};

} // namespace plimsoll::ui
