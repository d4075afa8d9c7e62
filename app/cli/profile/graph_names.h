// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/memtrace/memory_trace.h"
#include "core/waterfall/named_allocations.h"

#include <string>

namespace plimsoll::cli {

/// The options of a verb that names a recording's allocations from a graph of its model.
struct NamingGraph
{
    std::string graph;
    std::string plan; ///< with which the step was recorded

    void addTo(CLI::App& command);
    [[nodiscard]] bool isGiven() const { return !graph.empty(); }
};

/// What the graph knows of a device's allocations. `file`: of the recording. Throws VerbError.
[[nodiscard]] waterfall::NamedAllocationsPtr
namesFromGraph(const NamingGraph& naming, const std::string& file,
               const memtrace::MemoryTrace& trace, std::size_t device, const Common& common);

/// How much is known, and by whom.
[[nodiscard]] ordered_json namesJson(const NamingGraph& naming,
                                     const waterfall::NamedAllocations& names);
/// What is known of the blocks that are live at a step of DeviceTrace::axisTimes(), largest first.
[[nodiscard]] ordered_json knownJson(const memtrace::DeviceTrace& device, std::size_t step,
                                     const waterfall::NamedAllocations& names);

} // namespace plimsoll::cli
