// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/session_store.h"
#include "core/workspace/overlay.h"
#include "core/workspace/planning.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::workspace {

/// A graph as it was read; immutable.
struct OpenGraph
{
    graph::ProgramPtr program;
    std::string name;           ///< for tabs and titles: file name without its endings
    std::filesystem::path path; ///< the graph file; of a session: where it once was
    std::string contentHash;
    std::shared_ptr<const std::string> content;    ///< decompressed bytes: what a session keeps
    std::map<std::string, std::size_t> statistics; ///< tolerated oddities
};

/// A budget that was tried and what came out.
struct Run
{
    std::int64_t id = 0; ///< in the session file; 0: in none yet
    int key = 0;         ///< in this document, given once by whoever adds it
    std::string name;
    base::Bytes budget;
    std::string planner;
    std::string status; ///< solve::statusName
    Sizes sizes;        ///< of the step that was planned
    std::optional<base::Bytes> peak;
    std::optional<base::Nanoseconds> stepTime;
    plan::VerifiedPlanPtr plan; ///< null: none, or it no longer passes the check
};

/// One open document: a graph, what was chosen for it, what was tried. No window state but `view`.
struct Document
{
    OpenGraph graph;
    Choices choices;
    std::optional<base::Bytes> budget; ///< empty until the first plan suggests one
    std::vector<Run> runs;
    OverlayPtr overlay;                ///< null: no measurement is laid over
    std::string view = "{}";           ///< JSON object of the app
    std::filesystem::path sessionPath; ///< empty: saved in none
    std::vector<std::string> notes;    ///< what could not be taken over, a sentence each
};

/// A document and the first picture of it, before anything was planned anew.
struct Opened
{
    Document document;
    PlannedPtr first; ///< never null
};

/// Reads a graph file or a session, told apart by content. Off the GUI thread.
[[nodiscard]] base::Result<Opened> openDocument(const std::filesystem::path& path,
                                                const Choices& choices,
                                                const base::JobContext& job);

/// A document out of what a session holds; `path` is the session's. Plans that no longer pass the
/// check are dropped, with a note each; so is a measurement that can't be laid over any more.
[[nodiscard]] base::Result<Document> documentOf(const session::SavedSession& saved,
                                                const std::filesystem::path& path,
                                                const base::JobContext& job);
[[nodiscard]] session::SavedSession savedSession(const Document& document);
[[nodiscard]] session::SavedProblem savedProblem(const Document& document);
[[nodiscard]] session::SavedRun savedRun(const Run& run);
[[nodiscard]] std::optional<session::SavedMeasurement> savedMeasurement(const OverlayPtr& overlay);

/// What can be shown before planning: the unplanned step and the plans that are at hand already. A
/// plan that fails its check under the choices of now is left out, with a note in the document.
[[nodiscard]] base::Result<PlannedPtr> firstPicture(Document& document,
                                                    const base::JobContext& job);

/// The budget a fresh document begins with: the device's memory, or about 80 % of the unplanned
/// peak when everything fits there anyway; never less than the smallest budget with a plan. A round
/// value.
[[nodiscard]] base::Bytes suggestedBudget(const Planned& planned);

/// The run that an answer makes, for the list of runs.
[[nodiscard]] Run runOf(const solve::Outcome& outcome, base::Bytes budget, const Choices& choices);
/// Whether the list has such a run already: same budget, planner, sizes and figures.
[[nodiscard]] bool contains(const std::vector<Run>& runs, const Run& run);

/// What changed since the session file was last written.
struct SessionChange
{
    std::optional<session::SavedProblem> problem;
    /// Holding nothing: the measurement was taken away.
    std::optional<std::optional<session::SavedMeasurement>> measurement;
    std::optional<std::string> view;
    std::vector<session::SavedRun> added;
    std::vector<std::pair<std::int64_t, std::string>> renamed;
    std::vector<std::int64_t> removed;

    [[nodiscard]] bool isEmpty() const
    {
        return !problem && !measurement && !view && added.empty() && renamed.empty()
               && removed.empty();
    }
};

/// Writes the changes, each in a transaction of its own, and takes out of `change` what is on the
/// disk; `ids` gets the ids of the added runs, in order. After a failure the rest can be written
/// later. To be run by one thread at a time.
[[nodiscard]] base::Result<void> writeChange(session::SessionStore& store, SessionChange& change,
                                             std::vector<std::int64_t>& ids);

} // namespace plimsoll::workspace
