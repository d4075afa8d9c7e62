// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/capture/capture.h"

#include <string>
#include <string_view>

namespace plimsoll::capture {

/// Whether content that begins with these bytes is a capture file.
[[nodiscard]] bool isCapture(std::string_view head);

/// Reads a capture file up to its last complete chunk, however it ended: of a killed program's, or
/// of one on a full disk, the rest is counted as left over. Chunks that are damaged before whole
/// ones are skipped and counted; texts in them are empty. A file of a newer version and one whose
/// chunks are whole but not sensible are errors of kind File. `name` is the file's in messages.
[[nodiscard]] base::Result<Capture> decode(std::string_view bytes, std::string_view name,
                                           const base::JobContext& context = {});

/// What is missing because of damage, as a sentence; empty if there is none.
[[nodiscard]] std::string damageText(const Damage& damage);

} // namespace plimsoll::capture
