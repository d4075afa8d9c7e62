// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/verify/faults.h"
#include "core/verify/replay/heap.h"
#include "core/verify/verification.h"

#include <cstddef>
#include <vector>

namespace plimsoll::plan::verifying {

/// Observes a replay: how much memory is live, whether that fits the budget, and whether the plan
/// honours the problem's pins. One fault for the budget, and one for each pin.
class Watch
{
public:
    Watch(const Problem& problem, Verification& seen);

    /// Called while an op runs, by itself or recomputed. `beside`: bytes outside the heap.
    void step(graph::OpIndex op, bool isRecomputed, const Heap& heap, base::Bytes beside = {});

private:
    void checkPins(graph::OpIndex op, bool isRecomputed, const Heap& heap);
    void tell(std::size_t pin, const char* what, graph::OpIndex maker);

    const Problem& m_problem;
    Verification& m_seen;
    FaultList m_faults;
    graph::OpIndex m_backward;                      ///< its first op
    std::vector<std::vector<std::size_t>> m_keptBy; ///< by op: pins that keep its values
    std::vector<bool> m_isTold;                     ///< by pin
};

} // namespace plimsoll::plan::verifying
