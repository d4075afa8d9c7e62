// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/verify/faults.h"
#include "core/verify/replay/heap.h"

#include <cstddef>
#include <vector>

namespace plimsoll::plan::verifying {

/// Looks at a replay whether it does what the problem's pins say; one fault for each pin.
class PinWatch
{
public:
    explicit PinWatch(const Problem& problem);

    /// While op `op` runs, by itself or again.
    void watch(graph::OpIndex op, bool isRecomputed, const Heap& heap, FaultList& faults);

private:
    void tell(std::size_t pin, const char* what, graph::OpIndex maker, FaultList& faults);

    const Problem& m_problem;
    graph::OpIndex m_backward;                      ///< its first op
    std::vector<std::vector<std::size_t>> m_keptBy; ///< by op: pins that want its values made once
    std::vector<bool> m_isTold;                     ///< by pin
};

} // namespace plimsoll::plan::verifying
