// SPDX-License-Identifier: Apache-2.0
#include "tests/support/measurement_file.h"

#include "core/graph/fingerprint.h"

#include <nlohmann/json.hpp>

#include <map>

namespace plimsoll::tests {

namespace {

using nlohmann::json;

/// Bytes allocated before the step, as CUDA's allocator rounds them.
std::int64_t residentOf(const plan::Problem& problem)
{
    base::Bytes sum;
    for (const graph::Storage& storage : problem.step()->storages)
        if (storage.alloc == graph::kBeforeStep)
            sum += graph::rounded(storage.bytes, problem.rounding);
    return sum.count();
}

json runOf(const plan::VerifiedPlan& verified, bool isPlanned, std::int64_t more)
{
    const graph::Program& program = *verified.problem().step();
    const plan::Evaluation& evaluation = verified.evaluation();
    std::map<std::string, int> targets;
    json names = json::array();
    json ops = json::array();
    graph::Fingerprint hash;
    const std::int64_t reserve = verified.problem().reserve.count(); // no tensor's
    std::vector<int> rowOf(program.ops.size(), -1);
    for (std::size_t i = 0; i < evaluation.schedule->steps.size(); ++i) {
        const plan::Step& step = evaluation.schedule->steps[i];
        const std::string target = program.targetOf(program.op(step.op));
        const auto [named, isNew] = targets.emplace(target, static_cast<int>(targets.size()));
        if (isNew)
            names.push_back(target);
        const auto phase = static_cast<int>(evaluation.schedule->phaseAt(program, i));
        hash.add(static_cast<graph::Phase>(phase), target);
        const int again = step.region >= 0 ? rowOf[step.op.index()] : -1;
        rowOf[step.op.index()] = static_cast<int>(i);
        const std::int64_t bytes = evaluation.timeline->totalAt(i).count() - reserve + more;
        ops.push_back({named->second, phase, again, 5000, bytes, bytes});
    }
    json plan = nullptr;
    const bool isStep = verified.plan().isCompiledStep();
    const bool isOfOps = isStep || verified.plan().granularity() == plan::Granularity::Op;
    if (isPlanned)
        plan = {{"runtime", isStep ? "step" : "checkpoint"},
                {"granularity", isOfOps ? "op" : "module"},
                {"planner", verified.plan().planner},
                {"budget_bytes", evaluation.peak.count()},
                {"peak_bytes", evaluation.peak.count()}};
    const std::int64_t peak = evaluation.peak.count() - reserve + more;
    return {{"plan", plan},
            {"step_time_ns", 1000},
            {"step_times_ns", {1000}},
            {"resident_bytes", residentOf(verified.problem())},
            {"saved_bytes", isPlanned ? json(nullptr) : json(program.checks.savedBytes.count())},
            {"live_peak_bytes", peak},
            {"live_peak_op", evaluation.peakStep},
            {"allocator_peak_bytes", peak},
            {"allocator_peak_op", nullptr},
            {"reserved_peak_bytes", peak + (32 << 20)},
            {"snapshot", nullptr},
            {"fingerprint", hash.text()},
            {"targets", names},
            {"ops", ops}};
}

} // namespace

std::string measurementOf(const std::vector<plan::VerifiedPlanPtr>& plans, std::int64_t more)
{
    nlohmann::ordered_json file = {
        {"format", "plimsoll-measurement"},
        {"version", 1},
        {"exporter", "0.1.0"},
        {"torch", "2.15.0"},
        {"model", "toy"},
        {"model_class", plans.front()->problem().step()->header.modelClass},
        {"backend", "cuda"},
        {"device", "GPU"},
        {"threads", 1}};
    json runs = json::array();
    for (std::size_t i = 0; i < plans.size(); ++i)
        runs.push_back(runOf(*plans[i], i > 0, more));
    file["runs"] = runs;
    return file.dump();
}

} // namespace plimsoll::tests
