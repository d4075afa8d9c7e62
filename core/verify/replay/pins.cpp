// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/pins.h"

namespace plimsoll::plan::verifying {

using graph::OpIndex;
using graph::StorageId;

PinWatch::PinWatch(const Problem& problem)
    : m_problem{problem}
    , m_backward{static_cast<OpIndex>(problem.step()->forwardCount())}
    , m_isTold(problem.pins.size(), false)
{
    if (problem.pins.empty())
        return;
    m_keptBy.resize(problem.step()->ops.size());
    for (std::size_t pin = 0; pin < problem.pins.size(); ++pin)
        if (problem.pins[pin].kind == PinKind::Keep)
            for (const StorageId storage : problem.pins[pin].storages)
                m_keptBy[static_cast<std::size_t>(problem.step()->storage(storage).alloc)]
                    .push_back(pin);
}

void PinWatch::watch(OpIndex op, bool isRecomputed, const Heap& heap, FaultList& faults)
{
    if (m_problem.pins.empty())
        return;
    if (isRecomputed) {
        for (const std::size_t pin : m_keptBy[static_cast<std::size_t>(op)])
            tell(pin, "which the plan recomputes", op, faults);
        return;
    }
    if (op != m_backward)
        return;
    for (std::size_t pin = 0; pin < m_problem.pins.size(); ++pin)
        if (m_problem.pins[pin].kind == PinKind::Recompute)
            for (const StorageId storage : m_problem.pins[pin].storages)
                if (heap.isAlive(heap.original(storage)))
                    tell(pin, "which the plan keeps until backward",
                         m_problem.step()->storage(storage).alloc, faults);
}

void PinWatch::tell(std::size_t pin, const char* what, OpIndex maker, FaultList& faults)
{
    if (m_isTold[pin])
        return;
    m_isTold[pin] = true;
    const Pin& broken = m_problem.pins[pin];
    faults.add(FaultKind::PinViolated, "The pin {}:{} is violated by what {} makes, {}.",
               broken.kind == PinKind::Keep ? "keep" : "recompute", broken.glob, graph::opAt(maker),
               what);
}

} // namespace plimsoll::plan::verifying
