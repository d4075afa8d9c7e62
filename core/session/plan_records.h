// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/session_store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace plimsoll::session {

// What a session keeps of a document of kind "plan" in addition to its graph.

/// Of a planner, by name: numbers and strings.
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
    std::string dataParallel = {};             ///< a line; empty: a single process

    bool operator==(const SavedProblem&) const = default;
};

/// A budget that was tried, and its result.
struct SavedRun
{
    std::int64_t id = 0; ///< within its document, which assigns it
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

/// Times of ops that a profile gave.
struct SavedTimes
{
    std::string content;                       ///< as compare::writeStepTimes() writes it
    std::map<std::string, std::int64_t> sizes; ///< as in SavedProblem: of the step they are of

    bool operator==(const SavedTimes&) const = default;
};

/// All of a document's records.
struct SavedPlan
{
    SavedProblem problem;
    std::optional<SavedMeasurement> measurement;
    std::vector<SavedRun> runs; ///< by id
    std::string frontier = {};  ///< the plans of the last search; empty: none are kept
    std::optional<SavedTimes> times = {};

    bool operator==(const SavedPlan&) const = default;
};

[[nodiscard]] base::Result<SavedPlan> loadPlan(const SessionStore& store, DocumentId document);
/// Each call is one transaction.
[[nodiscard]] base::Result<void> savePlan(SessionStore& store, DocumentId document,
                                          const SavedPlan& plan);
[[nodiscard]] base::Result<void> saveProblem(SessionStore& store, DocumentId document,
                                             const SavedProblem& problem);
/// Stores a run; replaces one with the same id.
[[nodiscard]] base::Result<void> saveRun(SessionStore& store, DocumentId document,
                                         const SavedRun& run);
[[nodiscard]] base::Result<void> removeRun(SessionStore& store, DocumentId document,
                                           std::int64_t id);
[[nodiscard]] base::Result<void> saveFrontier(SessionStore& store, DocumentId document,
                                              const std::string& frontier);
/// Without a value: removes the measurement.
[[nodiscard]] base::Result<void>
saveMeasurement(SessionStore& store, DocumentId document,
                const std::optional<SavedMeasurement>& measurement);

/// Without a value: removes the times.
[[nodiscard]] base::Result<void> saveTimes(SessionStore& store, DocumentId document,
                                           const std::optional<SavedTimes>& times);

} // namespace plimsoll::session
