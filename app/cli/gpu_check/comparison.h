// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/gpu_check/journal.h"
#include "core/capture/capture.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::cli {

enum class Verdict : std::uint8_t {
    Ok,
    Differs,
    NotPossible, ///< the GPU can't do it, or what it needs has differed already
};

struct CheckRow
{
    std::string check;
    std::optional<int> device; ///< none: the whole recording
    Verdict verdict = Verdict::Ok;
    std::string detail; ///< what was compared, or what differs
};

/// Compares a recording with what the recorded program says that it did: a row for the recording,
/// then one for each check and GPU.
[[nodiscard]] std::vector<CheckRow> compareWork(const Journal& journal,
                                                const capture::Capture& capture);

} // namespace plimsoll::cli
