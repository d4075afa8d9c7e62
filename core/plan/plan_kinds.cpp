// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan_kinds.h"

#include <array>

namespace plimsoll::plan {

namespace {

constexpr std::array kRefusedByRegions{
    RefusedOption{"reorder", "Ops are reordered for the runtime step only: leave reorder off."},
    RefusedOption{"nonpersistent", "Checkpoint regions can't drop a value while later ones keep "
                                   "theirs: nonpersistent is for the runtime step."}};
constexpr std::array kRefusedBySchedules{
    RefusedOption{"saved-sets", "Saved sets are for checkpoint regions: plans for the runtime step "
                                "recompute only what is needed anyway."},
    RefusedOption{"freeze-stats",
                  "The runtime step never updates statistics twice: leave freeze-stats off."}};

/// In the order of Runtime.
constexpr std::array kKinds{PlanKind{.id = "checkpoint",
                                     .runner = "apply()",
                                     .unit = "region",
                                     .takesGranularity = true,
                                     .takesFreezeStats = true,
                                     .isProgram = false,
                                     .refused = kRefusedByRegions},
                            PlanKind{.id = "step",
                                     .runner = "compile_step()",
                                     .unit = "place",
                                     .takesGranularity = false,
                                     .takesFreezeStats = false,
                                     .isProgram = true,
                                     .refused = kRefusedBySchedules}};

} // namespace

const PlanKind& kindOf(Runtime runtime)
{
    return kKinds.at(static_cast<std::size_t>(runtime));
}

const char* runtimeName(Runtime runtime)
{
    return kindOf(runtime).id;
}

const char* granularityName(Granularity granularity)
{
    return granularity == Granularity::Op ? "op" : "module";
}

} // namespace plimsoll::plan
