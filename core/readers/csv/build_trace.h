// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/csv/rows.h"

#include <vector>

namespace plimsoll::readers::csv {

/// Adds the rows' allocations and frees to the builder in the order in which they happened: by the
/// numbers of events if all have them, or else by time. Fails with what is wrong, from "line 7: …".
[[nodiscard]] base::Result<void> addRows(const std::vector<AllocationRow>& rows,
                                         memtrace::Builder& builder,
                                         const base::JobContext& context);

} // namespace plimsoll::readers::csv
