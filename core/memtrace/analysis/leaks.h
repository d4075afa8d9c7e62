// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/filter/filter.h"
#include "core/memtrace/memory_trace.h"
#include "core/timeline/timeline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::memtrace {

/// The ends of a training's steps.
struct StepEnds
{
    std::vector<std::size_t> at; ///< steps of DeviceTrace::axisTimes(), rising
    std::string from;            ///< "annotations such as \"step 1\"", "runs of the optimizer"
};

/// From the outermost annotations that recur, names that differ in their digits only being the
/// same; else from where something is allocated outside of the optimizer again. Empty: neither is
/// there.
[[nodiscard]] StepEnds stepEnds(const MemoryTrace& trace, const DeviceTrace& device);

/// Memory allocated at one place that outlives the step that allocated it.
struct LeakGroup
{
    std::string name; ///< topFrameText()
    bool grows = false;
    base::Bytes perStep; ///< how much more it is after each step, on average; 0 unless it grows
    base::Bytes bytes;   ///< after the last step
    std::size_t blocks = 0;
    std::uint32_t newest = kNone; ///< the last allocation of them
    bool operator==(const LeakGroup&) const = default;
};

struct Leaks
{
    std::size_t steps = 0;         ///< that end in the part looked at
    std::size_t allSteps = 0;      ///< that end in the recording
    std::string stepsFrom;         ///< StepEnds::from
    std::vector<LeakGroup> groups; ///< growing ones first, then by growth, bytes and name
};

inline constexpr std::size_t kFewestLeakSteps = 3;

/// A group grows if, over the second half of the steps, and at least kFewestLeakSteps of them, its
/// bytes never fall from one step's end to the next and rise at half of them or more. Fewer steps
/// tell nothing: then there are no groups. `matches`: only these. `within`: only what the ends of
/// steps in it tell.
[[nodiscard]] Leaks findLeaks(const MemoryTrace& trace, const DeviceTrace& device,
                              const Matches& matches = {},
                              std::optional<timeline::StepSpan> within = {});

} // namespace plimsoll::memtrace
