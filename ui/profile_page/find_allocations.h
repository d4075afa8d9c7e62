// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/workspace/profile/profile_picture.h"

#include <QString>

#include <vector>

namespace plimsoll::ui {

/// The allocations with a frame "file:line:name" that matches a regular expression, in the order in
/// which they begin. A text that is no expression is looked for as it is. Case doesn't matter. Each
/// stack is looked at once. For any thread.
[[nodiscard]] base::Result<std::vector<std::size_t>>
findAllocations(const workspace::ProfilePicture& picture, const QString& query,
                const base::JobContext& job);

} // namespace plimsoll::ui
