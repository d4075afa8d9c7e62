// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/frontier.h"
#include "core/graph/fingerprint.h"
#include "core/plan/plan_kinds.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::plan {

/// What a plan file says in addition to the decisions (FORMAT.md): the settings, the graph, and the
/// evaluation at the time.
struct PlanFileInfo
{
    std::string model;
    std::string modelClass;
    std::string torch;
    std::string batch;
    std::string target;
    std::size_t ops = 0;
    std::size_t forwardOps = 0;
    std::string fingerprint;
    std::string values = {}; ///< as graph::Header has it
    std::string device;      ///< id
    base::Bytes budget;
    base::Bytes reserve;
    graph::Rounding rounding = graph::Rounding::Cuda512;
    std::vector<std::string> pins = {}; ///< as resolvePins() takes them
    std::string dataParallel = {};      ///< as parseDataParallel() takes it, "" without
    base::Bytes peak;
    graph::OpIndex peakOp = 0;
    base::Bytes basePeak;
    base::Nanoseconds stepTime;
    base::Nanoseconds baseStepTime;
    base::Nanoseconds recomputeTime;

    bool operator==(const PlanFileInfo&) const = default;
};

struct PlanFile
{
    Plan plan;
    Provenance provenance;
    PlanFileInfo info;
};

/// The simplest form that expresses the plan: "regions" (the nested checkpoint regions of
/// `labels`), "saved_sets" (such regions, some results of which are kept while the rest is
/// recomputed) or "step" (a recompute schedule, which regions can't express).
[[nodiscard]] const char* expressedAs(const Plan& plan);

[[nodiscard]] nlohmann::ordered_json toJson(const FrontierPoint& point);
/// The content of a plan file, one key per line.
[[nodiscard]] std::string writePlan(const FrontierPoint& point);

/// Whether a file with this beginning is meant as a plan.
[[nodiscard]] bool looksLikePlan(std::string_view head);

/// Reads a plan for exactly this graph. Strict: wrong types, unknown calls, ordinals and labels
/// that don't match the members, ops that aren't the graph's, a newer version and another graph are
/// errors of kind File, each one sentence that names the place. certify() checks whether the plan
/// is valid.
[[nodiscard]] base::Result<PlanFile> readPlan(std::string_view text, const graph::Program& program);

/// A plan file read without its graph. Regions and ops are only counted: they have a meaning only
/// in their graph.
struct PlanOutline
{
    PlanFile file;           ///< its plan without regions and recomputed ops
    std::size_t regions = 0; ///< nested ones counted
    std::size_t places = 0;  ///< of runtime Step: ops before which others are recomputed
};

/// Reads a plan file without its graph. As strict as readPlan() in what it reads.
[[nodiscard]] base::Result<PlanOutline> readPlanOutline(std::string_view text);

/// The problem for which the file's plan was made.
[[nodiscard]] base::Result<Problem> problemOf(const PlanFile& file, graph::ProgramPtr program);

} // namespace plimsoll::plan
