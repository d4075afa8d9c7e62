// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/watch.h"

namespace plimsoll::plan::verifying {

using graph::OpIndex;
using graph::StorageId;

Watch::Watch(const Problem& problem, Verification& seen)
    : m_problem{problem}
    , m_seen{seen}
    , m_faults{*problem.step(), seen.faults}
    , m_backward{static_cast<OpIndex>(problem.step()->forwardCount())}
    , m_keptBy(problem.step()->ops.size())
    , m_isTold(problem.pins.size(), false)
{
    for (std::size_t pin = 0; pin < problem.pins.size(); ++pin)
        if (problem.pins[pin].kind == PinKind::Keep)
            for (const StorageId storage : problem.pins[pin].storages)
                m_keptBy[static_cast<std::size_t>(problem.step()->storage(storage).alloc)]
                    .push_back(pin);
}

void Watch::step(OpIndex op, bool isRecomputed, const Heap& heap, base::Bytes beside)
{
    const base::Bytes live = heap.live() + m_problem.reserve + beside;
    const std::size_t step = m_seen.liveBytes.size();
    m_seen.liveBytes.push_back(live);
    checkPins(op, isRecomputed, heap);
    if (live <= m_seen.peak)
        return;
    // Report only the first step over the budget.
    if (live > m_problem.budget && m_seen.peak <= m_problem.budget)
        m_faults.add(FaultKind::OverBudget,
                     "Step {}, {}{}, needs {} bytes: {} more than the budget of {}.", step,
                     isRecomputed ? "the recomputation of " : "", graph::opAt(op), live.count(),
                     (live - m_problem.budget).count(), m_problem.budget.count());
    m_seen.peak = live;
    m_seen.peakStep = step;
}

void Watch::checkPins(OpIndex op, bool isRecomputed, const Heap& heap)
{
    if (isRecomputed) {
        for (const std::size_t pin : m_keptBy[static_cast<std::size_t>(op)])
            tell(pin, "which the plan recomputes", op);
        return;
    }
    if (op != m_backward)
        return;
    for (std::size_t pin = 0; pin < m_problem.pins.size(); ++pin)
        if (m_problem.pins[pin].kind == PinKind::Recompute)
            for (const StorageId storage : m_problem.pins[pin].storages)
                if (heap.isAlive(heap.original(storage)))
                    tell(pin, "which the plan keeps until backward",
                         m_problem.step()->storage(storage).alloc);
}

void Watch::tell(std::size_t pin, const char* what, OpIndex maker)
{
    if (m_isTold[pin])
        return;
    m_isTold[pin] = true;
    const Pin& broken = m_problem.pins[pin];
    m_faults.add(FaultKind::PinViolated, "The pin {}:{} is violated by what {} makes, {}.",
                 broken.kind == PinKind::Keep ? "keep" : "recompute", broken.glob,
                 graph::opAt(maker), what);
}

} // namespace plimsoll::plan::verifying
