// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/summary.h"

#include "tests/support/snapshots/sample_snapshot.h"

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace plimsoll::tests {

/// Size of the parts in which targets give bytes to a reader a second time.
inline constexpr std::size_t kFuzzPart = 13;

/// What a reader made of the same bytes as a whole and in parts: the same profile, or the same
/// error of one sentence. Aborts if not. Returns what a target has to.
template <typename Read>
int checkProfileInParts(const Read& whole, const Read& inParts)
{
    if (whole.has_value() != inParts.has_value())
        std::abort();
    if (!whole) {
        if (whole.error() != inParts.error() || !whole.error().message.ends_with('.'))
            std::abort();
        return 0;
    }
    if (dumpTrace(*whole->trace) != dumpTrace(*inParts->trace)
        || whole->contentHash != inParts->contentHash
        || memtrace::summaryOf(*whole->trace).devices.empty())
        std::abort();
    return 0;
}

} // namespace plimsoll::tests
