// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/doctor/diagnosis.h"

#include <string>

namespace plimsoll::cli {

/// The traced step of the program that is diagnosed, and the GPU for its times.
struct PlannedStep
{
    std::string graph;
    std::string gpu;
};

/// workspace::plannedRemedy() for that step. Throws VerbError.
[[nodiscard]] doctor::Remedy
plannedRemedy(const PlannedStep& step, const doctor::Diagnosis& diagnosis, const Common& common);

} // namespace plimsoll::cli
