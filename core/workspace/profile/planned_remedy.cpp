// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile/planned_remedy.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/io/byte_source.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace plimsoll::workspace {

namespace {

using base::Bytes;
using base::bytesText;

/// By how much the step takes longer, as a part of its time without a plan.
double longerBy(const plan::Evaluation& plan, const plan::Evaluation& unplanned)
{
    const std::int64_t time = unplanned.stepTime.count();
    return time > 0 ? static_cast<double>(plan.stepTime.count() - time) / static_cast<double>(time)
                    : 0;
}

std::string textOf(const plan::Evaluation& plan, const plan::Evaluation& unplanned,
                   std::optional<Bytes> usable, bool runs, std::string_view graph)
{
    std::string fits = "verified on the graph";
    if (usable)
        fits += fmt::format(", {} the {} that PyTorch could have",
                            runs ? "and it runs in" : "which is too much for",
                            bytesText(*usable, base::Rounding::Down));
    const Bytes budget = usable && runs ? *usable : plan.peak;
    return fmt::format(
        "Run the step with a plan that recomputes: its predicted peak falls from {} to "
        "{}, {}. It takes {:.1f} % longer: \"plimsoll-cli plan {} --budget {}\".",
        bytesText(unplanned.peak, base::Rounding::Up), bytesText(plan.peak, base::Rounding::Up),
        fits, 100 * longerBy(plan, unplanned), graph, budget.count());
}

Choices choicesFor(const ComparedStep& step)
{
    Choices choices;
    choices.device = step.problem.device;
    choices.reserve = reservedWorkspaces(*step.graph.program, choices.device).all();
    choices.sizes = step.sizes;
    return choices;
}

} // namespace

base::Result<doctor::Remedy> plannedRemedy(const graph::ProgramPtr& recorded,
                                           const Choices& choices,
                                           const doctor::Diagnosis& diagnosis,
                                           std::string_view graph, const base::JobContext& job)
{
    ASSIGN_OR_RETURN(const PlannedPtr planned, planGraph(recorded, choices, job));
    const plan::Evaluation& unplanned = planned->unplanned->evaluation();
    const std::optional<Bytes> usable = doctor::usableMemory(diagnosis);
    doctor::Remedy remedy;
    remedy.id = "plan";
    plan::FrontierPoint plan;
    bool runs = false;
    if (usable) {
        const allocator::AllocatorSettings settings =
            diagnosis.replay ? diagnosis.replay->recorded.settings : allocator::AllocatorSettings{};
        ASSIGN_OR_RETURN(const Answer answer, answerAt(*planned, *usable, settings, job));
        plan = answer.choice.plan;
        runs =
            plan
            && (!answer.choice.verdict || answer.choice.verdict->status != run::RunStatus::Fails);
        if (runs && plan->plan().recomputesNothing()) {
            remedy.text = fmt::format(
                "The step of {} needs {} without a plan, and runs in the {} that PyTorch could "
                "have. It isn't the step that failed, or something else holds memory.",
                graph, bytesText(unplanned.peak, base::Rounding::Up),
                bytesText(*usable, base::Rounding::Down));
            return remedy;
        }
    }
    if (!runs && !planned->frontier->points().empty())
        plan = planned->frontier->points().front();
    remedy.known = doctor::HowKnown::Plan;
    if (!plan || plan->evaluation().peak >= unplanned.peak) {
        remedy.text = fmt::format("No plan was found with which the step of {} needs less than the "
                                  "{} that it needs without one.",
                                  graph, bytesText(unplanned.peak, base::Rounding::Up));
        return remedy;
    }
    remedy.text = textOf(plan->evaluation(), unplanned, usable, runs, graph);
    remedy.saves = unplanned.peak - plan->evaluation().peak;
    remedy.enough = runs ? doctor::Enough::Step : doctor::Enough::NotKnown;
    return remedy;
}

base::Result<doctor::Remedy> plannedRemedy(const ComparedStep& step,
                                           const doctor::Diagnosis& diagnosis,
                                           const base::JobContext& job)
{
    return plannedRemedy(step.graph.program, choicesFor(step), diagnosis,
                         io::pathText(step.graph.path), job);
}

base::Result<DocumentPtr> plannedDocument(const ComparedStep& step,
                                          const doctor::Diagnosis& diagnosis,
                                          const base::JobContext& job)
{
    auto document = std::make_unique<PlanDocument>();
    document->graph = step.graph;
    document->choices = choicesFor(step);
    document->budget = doctor::usableMemory(diagnosis).value_or(Bytes{}); // 0: one is suggested
    ASSIGN_OR_RETURN(document->first, firstPicture(*document, job));
    return document;
}

} // namespace plimsoll::workspace
