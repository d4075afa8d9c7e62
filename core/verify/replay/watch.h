// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/verify/faults.h"
#include "core/verify/replay/heap.h"
#include "core/verify/verification.h"

#include <cstddef>
#include <vector>

namespace plimsoll::plan::verifying {

/// Looks at a replay: how much memory is live, whether that fits the budget, and whether the plan
/// does what the problem's pins say. One fault for the budget, and one for each pin.
class Watch
{
public:
    Watch(const Problem& problem, Verification& seen);

    /// While an op runs, by itself or recomputed. `beside`: bytes that the heap doesn't know of.
    void step(graph::OpIndex op, bool isRecomputed, const Heap& heap, base::Bytes beside = {});

private:
    void checkPins(graph::OpIndex op, bool isRecomputed, const Heap& heap);
    void tell(std::size_t pin, const char* what, graph::OpIndex maker);

    const Problem& m_problem;
    Verification& m_seen;
    FaultList m_faults;
    graph::OpIndex m_backward;                      ///< its first op
    std::vector<std::vector<std::size_t>> m_keptBy; ///< by op: pins that want its values made once
    std::vector<bool> m_isTold;                     ///< by pin
};

} // namespace plimsoll::plan::verifying
