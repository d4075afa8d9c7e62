// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/plan_records.h"
#include "core/workspace/document_kinds.h"
#include "core/workspace/overlay.h"
#include "core/workspace/planning.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::workspace {

inline constexpr std::string_view kPlanDocument = "plan";

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
    std::int64_t key = 0; ///< in this document, given once by whoever adds it
    std::string name;
    base::Bytes budget;
    std::string planner;
    std::string status; ///< solve::statusName
    Sizes sizes;        ///< of the step that was planned
    std::optional<base::Bytes> peak;
    std::optional<base::Nanoseconds> stepTime;
    plan::FrontierPoint plan; ///< null: none, or it no longer passes the check
};

/// A graph, what was chosen for it, what was tried.
class PlanDocument final : public Document
{
public:
    [[nodiscard]] std::string_view kind() const override { return kPlanDocument; }
    [[nodiscard]] const std::string& name() const override { return graph.name; }
    [[nodiscard]] const std::filesystem::path& origin() const override { return graph.path; }
    [[nodiscard]] const std::string& contentHash() const override { return graph.contentHash; }
    [[nodiscard]] std::unique_ptr<const Document> copy() const override;
    [[nodiscard]] base::Result<void> store(session::SessionStore& store,
                                           session::DocumentId id) const override;

    OpenGraph graph;
    Choices choices;
    std::optional<base::Bytes> budget; ///< empty until the first plan suggests one
    std::vector<Run> runs;
    OverlayPtr overlay; ///< null: no measurement is laid over
    PlannedPtr first;   ///< as it was opened, before anything was planned anew
};

/// The kind: graphs become such documents, planned as `defaults` say until the user chooses.
[[nodiscard]] DocumentKind planDocuments(const Choices& defaults);

/// A document out of what a session holds of it. Plans that no longer pass the check are dropped,
/// with a note each; so is a measurement that can't be laid over any more.
[[nodiscard]] base::Result<PlanDocument> planDocumentOf(const session::SavedDocument& saved,
                                                        const session::SavedPlan& plan,
                                                        std::string content,
                                                        const base::JobContext& job);
[[nodiscard]] session::SavedPlan savedPlan(const PlanDocument& document);
[[nodiscard]] session::SavedProblem savedProblem(const PlanDocument& document);
[[nodiscard]] session::SavedRun savedRun(const Run& run);
[[nodiscard]] std::optional<session::SavedMeasurement> savedMeasurement(const OverlayPtr& overlay);

/// What can be shown before planning: the unplanned step and the plans that are at hand already. A
/// plan that fails its check under the choices of now is left out, with a note in the document.
[[nodiscard]] base::Result<PlannedPtr> firstPicture(PlanDocument& document,
                                                    const base::JobContext& job);

/// The budget a fresh document begins with: the device's memory, or about 80 % of the unplanned
/// peak when everything fits there anyway; never less than the smallest budget with a plan. A round
/// value.
[[nodiscard]] base::Bytes suggestedBudget(const Planned& planned);

/// The run that an answer makes, for the list of runs.
[[nodiscard]] Run runOf(const solve::Outcome& outcome, base::Bytes budget, const Choices& choices);
/// Whether the list has such a run already: same budget, planner, sizes and figures.
[[nodiscard]] bool contains(const std::vector<Run>& runs, const Run& run);

} // namespace plimsoll::workspace
