// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/document_kinds.h"
#include "core/workspace/planning.h"

namespace plimsoll::workspace {

/// The documents that this build opens: a new kind is a line here. New plans start from `defaults`.
[[nodiscard]] DocumentKinds documentKinds(const Choices& defaults);

} // namespace plimsoll::workspace
