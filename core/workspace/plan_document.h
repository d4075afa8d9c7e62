// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/plan_records.h"
#include "core/workspace/document_kinds.h"
#include "core/workspace/overlay.h"
#include "core/workspace/planning.h"

#include <filesystem>
#include <functional>
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
    std::filesystem::path path; ///< the graph file; for a session: where it was when it was read
    std::string contentHash;
    std::shared_ptr<const std::string> content;    ///< decompressed bytes: what a session stores
    std::map<std::string, std::size_t> statistics; ///< tolerated oddities
};

/// A graph read from a source, with the content that a session stores.
[[nodiscard]] base::Result<OpenGraph> openGraph(readers::ReadProgram read, io::Source& source,
                                                const base::JobContext& job);

/// A budget that was tried, and its result.
struct Run
{
    std::int64_t key = 0; ///< within this document, assigned when the run is added
    std::string name;
    base::Bytes budget;
    std::string planner;
    std::string status; ///< solve::statusName
    Sizes sizes;        ///< of the step that was planned
    std::optional<base::Bytes> peak;
    std::optional<base::Nanoseconds> stepTime;
    plan::FrontierPoint plan; ///< null: none, or it no longer passes the check
};

/// A graph, its settings, and the budgets that were tried.
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
    base::Bytes budget;             ///< 0 only until it is opened
    bool isDeviceGuessed = false;   ///< nobody said which one to plan for
    bool isBudgetSuggested = false; ///< nobody chose it: it is raised if no plan fits it
    std::vector<Run> runs;
    OverlayPtr overlay; ///< null: no measurement is overlaid
    PlannedPtr first;   ///< as opened, before new planning
    /// As keptPlans() writes it: of the session; null: none is kept.
    std::shared_ptr<const std::string> kept;
    PlannedPtr planned; ///< the result of the last finished search, to be kept; null: none

    /// Whether the budget is that of the GPU, so that another GPU brings its own.
    [[nodiscard]] bool followsDevice() const
    {
        return isDeviceGuessed || budget == choices.device.memory;
    }
};

/// How a graph is opened.
struct Opening
{
    Choices choices;              ///< until the user changes them; the reserve is that of the graph
    base::Bytes budget;           ///< 0: one is suggested
    bool isDeviceGuessed = false; ///< nobody said which one to plan for
};
/// By file; called from any thread.
using OpeningOf = std::function<Opening(const std::filesystem::path& file)>;

/// The kind: graphs become such documents.
[[nodiscard]] DocumentKind planDocuments(OpeningOf opening);

/// Restores a document from a session. Plans that no longer pass the check are dropped, with a note
/// each; so is a measurement that can't be laid over the graph any more.
[[nodiscard]] base::Result<PlanDocument> planDocumentOf(const session::SavedDocument& saved,
                                                        const session::SavedPlan& plan,
                                                        std::string content,
                                                        const base::JobContext& job);
[[nodiscard]] session::SavedPlan savedPlan(const PlanDocument& document);
[[nodiscard]] session::SavedProblem savedProblem(const PlanDocument& document);
[[nodiscard]] session::SavedRun savedRun(const Run& run);
[[nodiscard]] std::optional<session::SavedMeasurement> savedMeasurement(const OverlayPtr& overlay);
[[nodiscard]] std::optional<session::SavedTimes> savedTimes(const ProfiledTimes& profiled);

/// What can be shown before planning: the unplanned step and the stored plans. A plan that fails
/// its check under the current settings is left out, with a note in the document.
[[nodiscard]] base::Result<PlannedPtr> firstPicture(PlanDocument& document,
                                                    const base::JobContext& job);

/// A budget at which there is something to plan: the device's memory, or about 80 % of the
/// unplanned peak if everything fits there anyway. Never less than the smallest budget with a plan;
/// before planning, well above the bound. A round value.
[[nodiscard]] base::Bytes suggestedBudget(const Planned& planned);

/// The entry of an answer in the list of runs.
[[nodiscard]] Run runOf(const solve::Outcome& outcome, base::Bytes budget, const Choices& choices);
/// Whether the list already has such a run: same budget, planner, sizes and figures.
[[nodiscard]] bool contains(const std::vector<Run>& runs, const Run& run);

} // namespace plimsoll::workspace
