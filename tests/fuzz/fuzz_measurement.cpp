// SPDX-License-Identifier: Apache-2.0
// Any bytes are a measurement or an error of one sentence; the indices of an accepted one are in
// range.
#include "core/compare/measurement.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto read = plimsoll::compare::readMeasurement(
        {reinterpret_cast<const char*>(data), size}); // NOLINT(*-reinterpret-cast)
    if (!read)
        return read.error().message.ends_with('.') ? 0 : (std::abort(), 0);
    for (const plimsoll::compare::MeasuredRun& run : read->runs)
        for (std::size_t i = 0; i < run.ops.size(); ++i)
            if (run.ops[i].target >= run.targets.size() || run.ops[i].recomputeOf.value_or(0) > i)
                std::abort();
    return 0;
}
