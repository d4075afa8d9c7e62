// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/database.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace plimsoll::session {

/// The graph of a session: the bytes of its file, as they were read.
struct SavedGraph
{
    std::string name;
    std::string sourcePath;
    std::string contentHash;
    std::string content;

    bool operator==(const SavedGraph&) const = default;
};

/// Of a planner, by name: numbers and texts.
using SavedOptions = std::map<std::string, std::variant<std::int64_t, std::string>>;

struct SavedProblem
{
    std::string device; ///< id
    std::int64_t reserveBytes = 0;
    int rounding = 512; ///< 512 or 1
    std::string planner;
    SavedOptions options;
    std::int64_t budgetBytes = 0;
    std::map<std::string, std::int64_t> sizes; ///< by axis, of those that aren't as recorded
    std::vector<std::string> pins = {};        ///< as plan::resolvePins() takes them
    std::string dataParallel = {};             ///< a line; empty: a process by itself

    bool operator==(const SavedProblem&) const = default;
};

/// A budget that was tried and what came out.
struct SavedRun
{
    std::int64_t id = 0; ///< given by the store; 0: not stored yet
    std::string name;
    std::int64_t budgetBytes = 0;
    std::string planner;
    std::string status;
    std::optional<std::int64_t> peakBytes;
    std::optional<std::int64_t> stepTimeNs;
    std::optional<std::string> plan;           ///< a plan file's JSON
    std::map<std::string, std::int64_t> sizes; ///< as in SavedProblem

    bool operator==(const SavedRun&) const = default;
};

/// The measurement that is laid over the graph: the text of its file.
struct SavedMeasurement
{
    std::string name; ///< of the file
    std::string content;
    std::map<std::string, std::int64_t> sizes; ///< as in SavedProblem: of the step it was laid over

    bool operator==(const SavedMeasurement&) const = default;
};

struct SavedSession
{
    SavedGraph graph;
    SavedProblem problem;
    std::optional<SavedMeasurement> measurement;
    std::vector<SavedRun> runs; ///< by id
    std::string view = "{}";    ///< JSON object of the app
};

/// An open session file (FORMAT.md). Each call is one transaction; what returned without error is
/// on the disk. One thread at a time.
class SessionStore
{
public:
    /// Makes a new file, or replaces one, with what is given. Fails rather than replacing something
    /// that is no session, or a session that is open anywhere; then all is as it was.
    [[nodiscard]] static base::Result<SessionStore> create(const std::filesystem::path& path,
                                                           const SavedSession& session);
    [[nodiscard]] static base::Result<SessionStore> open(const std::filesystem::path& path);

    [[nodiscard]] base::Result<SavedSession> load() const;
    /// What the session's graph file contains, as a hash.
    [[nodiscard]] base::Result<std::string> graphHash() const;
    [[nodiscard]] base::Result<void> saveProblem(const SavedProblem& problem);
    /// Stores a run and returns its id.
    [[nodiscard]] base::Result<std::int64_t> addRun(const SavedRun& run);
    [[nodiscard]] base::Result<void> renameRun(std::int64_t id, const std::string& name);
    [[nodiscard]] base::Result<void> removeRun(std::int64_t id);
    /// Without a value: none is laid over any more.
    [[nodiscard]] base::Result<void>
    saveMeasurement(const std::optional<SavedMeasurement>& measurement);
    [[nodiscard]] base::Result<void> saveView(const std::string& state);
    /// Brings the log into the file and gives unused pages back.
    [[nodiscard]] base::Result<void> compact();
    [[nodiscard]] const std::filesystem::path& path() const { return m_database.path(); }

private:
    explicit SessionStore(Database database);
    Database m_database;
};

} // namespace plimsoll::session
