// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/document_kinds.h"
#include "core/workspace/planning.h"

namespace plimsoll::workspace {

/// What this build opens: a new kind of document is a line here. New plans begin with `defaults`.
[[nodiscard]] DocumentKinds documentKinds(const Choices& defaults);

} // namespace plimsoll::workspace
