// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/session_store.h"
#include "core/waterfall/named_allocations.h"
#include "core/workspace/plan_document.h"

#include <filesystem>
#include <optional>
#include <string>

namespace plimsoll::workspace {

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
/// With the plan that is known for the document's budget, if that is a plan.
[[nodiscard]] base::Result<ComparedStep> shownStep(const PlanDocument& document);
/// Reads a graph's file, without a plan.
[[nodiscard]] base::Result<ComparedStep> readComparedStep(const std::filesystem::path& path,
                                                          const base::JobContext& job);
/// The same step with the plan of a file.
[[nodiscard]] base::Result<ComparedStep>
withPlan(ComparedStep prediction, const std::filesystem::path& plan, const base::JobContext& job);

/// How a session keeps a step: a JSON object for a document's state, and blobs.
[[nodiscard]] std::string stepState(const ComparedStep& prediction);
[[nodiscard]] base::Result<void> storeStep(const ComparedStep& prediction,
                                           session::SessionStore& store, session::DocumentId id);
[[nodiscard]] base::Result<void> removeStep(session::SessionStore& store, session::DocumentId id);
/// `state`: what stepState() gave; nothing if it has no step.
[[nodiscard]] base::Result<std::optional<ComparedStep>>
restoredStep(const session::SessionStore& store, session::DocumentId id, const std::string& state,
             const base::JobContext& job);

/// What the step knows of a device's allocations: with its plan; without it where the user hasn't
/// named the plan and as much is known without it. See waterfall::nameAllocations().
[[nodiscard]] base::Result<waterfall::NamedAllocationsPtr>
namesFrom(const ComparedStep& prediction, const memtrace::MemoryTrace& trace, std::size_t device,
          const base::JobContext& job);

} // namespace plimsoll::workspace
