// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/curves.h"
#include "core/workspace/comparison/compared_profile.h"
#include "core/workspace/plan_document.h"

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::workspace {

inline constexpr std::string_view kWaterfallDocument = "waterfall";

/// A step that is predicted: of a graph, with a plan or without.
struct ComparedStep
{
    OpenGraph graph;
    Sizes sizes;
    plan::Problem problem;    ///< of a single process, at these sizes
    plan::FrontierPoint plan; ///< null: everything is kept
    /// The user has named the plan. Otherwise it is the one that the graph's page shows, and the
    /// recording may have been made without it.
    bool isPlanNamed = false;

    /// "gpt2", "gpt2 · rotor", as far as the plan is used.
    [[nodiscard]] std::string name(bool withPlan) const;
    bool operator==(const ComparedStep& other) const
    {
        return graph.program == other.graph.program && sizes == other.sizes && plan == other.plan;
    }
};

/// The step that an open graph's document has, with that plan or without. Errors say why the graph
/// can't have its sizes.
[[nodiscard]] base::Result<ComparedStep>
comparedStep(const PlanDocument& document, plan::FrontierPoint plan, const base::JobContext& job);
/// Reads a graph's file, without a plan.
[[nodiscard]] base::Result<ComparedStep> readComparedStep(const std::filesystem::path& path,
                                                          const base::JobContext& job);
/// The same step with the plan of a file.
[[nodiscard]] base::Result<ComparedStep>
withPlan(ComparedStep prediction, const std::filesystem::path& plan, const base::JobContext& job);

/// What the page of a WaterfallDocument shows. Immutable.
struct WaterfallPicture
{
    waterfall::WaterfallPtr waterfall;
    waterfall::AlignedCurvesPtr curves;
    bool isPlanned = false; ///< compared with ComparedStep::plan
};
using WaterfallPicturePtr = std::shared_ptr<const WaterfallPicture>;

/// Of the step with its plan; of the step without it where the user hasn't named the plan and more
/// of what is predicted without it is found in the recording.

[[nodiscard]] base::Result<WaterfallPicturePtr> waterfallPicture(const ComparedStep& prediction,
                                                                 const ComparedProfile& profile,
                                                                 const base::JobContext& job);

/// A recording compared with the step that is predicted for it. Keeps both, whether their pages are
/// open or not.
class WaterfallDocument final : public Document
{
public:
    explicit WaterfallDocument(std::optional<ComparedStep> prediction = {},
                               std::optional<ComparedProfile> profile = {});

    [[nodiscard]] std::string_view kind() const override { return kWaterfallDocument; }
    /// "gpt2 and snapshot".
    [[nodiscard]] const std::string& name() const override { return m_name; }
    /// Empty.
    [[nodiscard]] const std::filesystem::path& origin() const override { return m_origin; }
    /// Of graph and profile with which it was made.
    [[nodiscard]] const std::string& contentHash() const override { return m_contentHash; }
    [[nodiscard]] std::string state() const override;
    [[nodiscard]] std::unique_ptr<const Document> copy() const override;
    /// Stores the graph, the plan and the columns of the trace.
    [[nodiscard]] base::Result<void> store(session::SessionStore& store,
                                           session::DocumentId id) const override;

    [[nodiscard]] const std::optional<ComparedStep>& prediction() const { return m_prediction; }
    [[nodiscard]] const std::optional<ComparedProfile>& profile() const { return m_profile; }
    void set(std::optional<ComparedStep> prediction, std::optional<ComparedProfile> profile);

private:
    std::optional<ComparedStep> m_prediction;
    std::optional<ComparedProfile> m_profile;
    std::string m_name;
    std::filesystem::path m_origin;
    std::string m_contentHash;
};

/// A comparison with an open graph, with the plan that is known for its budget, if that is a plan.
[[nodiscard]] base::Result<DocumentPtr> compareWithGraph(const PlanDocument& graph,
                                                         std::optional<ComparedProfile> profile);

/// The kind: no file becomes such a document, but sessions have them.
[[nodiscard]] DocumentKind waterfallDocuments();

} // namespace plimsoll::workspace
