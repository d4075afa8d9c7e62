// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/memory_trace.h"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::memtrace {

/// The op that makes an allocation according to a graph of the model.
struct GraphFrame
{
    std::string file; ///< empty: not known
    std::int32_t line = 0;
    std::string op; ///< "aten.mm"
    std::string module;

    auto operator<=>(const GraphFrame&) const = default;
};

/// The same trace, whose stacks begin with these frames, marked as not of the recording: they name
/// the stacks that have no frame of Python, and tell modules. `frameOf`: by allocation of the
/// device, an index into `frames`; kNone: not known. Classes and phases don't change.
[[nodiscard]] MemoryTracePtr withGraphFrames(const MemoryTrace& trace, std::size_t device,
                                             const std::vector<GraphFrame>& frames,
                                             const std::vector<std::uint32_t>& frameOf);

} // namespace plimsoll::memtrace
