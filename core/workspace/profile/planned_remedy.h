// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/doctor/diagnosis.h"
#include "core/workspace/waterfall/compared_step.h"

#include <string_view>

namespace plimsoll::workspace {

/// A verified plan of the traced step as a remedy. After a failure: the one to take so that the
/// step runs in the memory that PyTorch could have, else the one with the smallest peak known,
/// which is also that without a failure. Where no plan lowers the peak, it says so. `graph`: the
/// graph's file, for the command that is told. Plans the step: off the GUI thread.
[[nodiscard]] base::Result<doctor::Remedy> plannedRemedy(const graph::ProgramPtr& recorded,
                                                         const Choices& choices,
                                                         const doctor::Diagnosis& diagnosis,
                                                         std::string_view graph,
                                                         const base::JobContext& job);

/// The same for a step that is known to the profile, planned for the GPU that it has.
[[nodiscard]] base::Result<doctor::Remedy> plannedRemedy(const ComparedStep& step,
                                                         const doctor::Diagnosis& diagnosis,
                                                         const base::JobContext& job);

/// The step's graph as a document of its own, at the budget of that remedy.
[[nodiscard]] base::Result<DocumentPtr> plannedDocument(const ComparedStep& step,
                                                        const doctor::Diagnosis& diagnosis,
                                                        const base::JobContext& job);

} // namespace plimsoll::workspace
