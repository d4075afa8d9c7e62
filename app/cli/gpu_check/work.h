// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/gpu_check/driver.h"
#include "app/cli/gpu_check/journal.h"

namespace plimsoll::cli {

/// Does the same calls on each GPU that the driver shows, waits for their end, and tells of those
/// that succeeded. Takes up to 16 MiB of each GPU at a time.
[[nodiscard]] Journal doWork(const Driver& driver);

} // namespace plimsoll::cli
