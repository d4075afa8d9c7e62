// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/document_kinds.h"
#include "core/workspace/plan_document.h"

namespace plimsoll::workspace {

/// What this build opens: a new kind of document is a line here. New plans begin with `defaults`.
[[nodiscard]] DocumentKinds documentKinds(const Choices& defaults);

/// Opens a graph, or a session whose first document is one.
[[nodiscard]] base::Result<PlanDocument>
openPlan(const std::filesystem::path& path, const Choices& defaults, const base::JobContext& job);

} // namespace plimsoll::workspace
