// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/document_kinds.h"
#include "core/workspace/plan_document.h"

namespace plimsoll::workspace {

/// The documents that this build opens: a new kind is a line here.
[[nodiscard]] DocumentKinds documentKinds(OpeningOf opening);
/// The same: all graphs are opened with these choices and a suggested budget.
[[nodiscard]] DocumentKinds documentKinds(const Choices& choices);

} // namespace plimsoll::workspace
