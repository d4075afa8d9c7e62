// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/curves.h"
#include "core/workspace/comparison/compared_profile.h"
#include "core/workspace/waterfall/compared_step.h"

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::workspace {

inline constexpr std::string_view kWaterfallDocument = "waterfall";

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
