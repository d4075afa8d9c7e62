// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/reads.h"

#include "core/verify/names.h"

#include <fmt/format.h>

namespace plimsoll::plan::verifying {

using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

void ReadCheck::check(OpIndex opIndex)
{
    const auto checkAll = [&](const std::vector<TensorId>& tensors) {
        for (const TensorId tensor : tensors) {
            const StorageId storage = m_state.storageOf(tensor);
            if (opIndex < m_state.forward)
                m_state.readVersions[static_cast<std::size_t>(opIndex)].push_back(
                    m_state.writes[storage.index()]);
            if (m_state.heap.isAlive(m_state.heap.original(storage)))
                continue;
            if (m_state.heap.original(storage) == kNoInstance)
                m_state.fault(FaultKind::UseBeforeCompute,
                              fmt::format("{} uses {}, which isn't computed yet.",
                                          m_state.describe(opIndex),
                                          nameOf(m_state.program, storage)));
            else if (opIndex < m_state.forward)
                m_state.fault(FaultKind::UseAfterFree,
                              fmt::format("{} uses {}, which was freed before.",
                                          m_state.describe(opIndex),
                                          nameOf(m_state.program, storage)));
            else
                checkBackwardRead(opIndex, storage);
        }
    };
    checkAll(m_state.op(opIndex).reads);
    checkAll(m_state.op(opIndex).writes);
}

// A node gets a recomputed value from no one but its own saved tensors, while they are unpacked.
void ReadCheck::checkSlots(OpIndex opIndex, StorageId storage)
{
    bool isNamed = false;
    bool isThere = false;
    bool isRight = false;
    if (const auto rows = m_rowsOfNode.find(m_state.op(opIndex).sequence);
        rows != m_rowsOfNode.end())
        for (const std::size_t index : rows->second) {
            const graph::Saved& row = m_state.program.saved[index];
            if (m_state.storageOf(row.tensor) != storage || *row.unpack > opIndex
                || row.dropped < opIndex)
                continue;
            isNamed = true;
            const InstanceId instance = m_state.slots[index];
            isThere = isThere || m_state.heap.isAlive(instance);
            isRight = isRight
                      || (m_state.heap.isAlive(instance)
                          && m_state.heap.version(instance) == m_state.writes[storage.index()]);
        }
    if (!isNamed)
        m_state.fault(
            FaultKind::UseAfterFree,
            fmt::format("{} reads {}, of which only a recomputed copy is left that no saved "
                        "tensor of its node names.",
                        m_state.describe(opIndex), nameOf(m_state.program, storage)));
    else if (!isThere)
        m_state.fault(FaultKind::UseBeforeCompute,
                      fmt::format("{} reads {}, which its own region doesn't hold recomputed.",
                                  m_state.describe(opIndex), nameOf(m_state.program, storage)));
    else if (!isRight && !m_state.isBuffer(storage))
        m_state.fault(FaultKind::OverwrittenInput,
                      fmt::format("{} reads {} as recomputed, but the step overwrote it since.",
                                  m_state.describe(opIndex), nameOf(m_state.program, storage)));
}

// The step's own life is over: a recomputed one has to stand in, as it was when it was saved.
void ReadCheck::checkBackwardRead(OpIndex opIndex, StorageId storage)
{
    if (!m_state.heap.alive(storage).empty()) {
        checkSlots(opIndex, storage);
        return;
    }
    const OpIndex alloc = m_state.program.storage(storage).alloc;
    bool isToCome = false;
    for (int id = alloc < 0 ? kNoRegion : m_state.tree.innermost(alloc); id != kNoRegion;
         id = m_state.tree[id].parent)
        isToCome = isToCome || !m_state.tree[id].recomputed;
    m_state.fault(isToCome ? FaultKind::UseBeforeCompute : FaultKind::UseAfterFree,
                  fmt::format("{} reads {}, which {}.", m_state.describe(opIndex),
                              nameOf(m_state.program, storage),
                              isToCome ? "isn't recomputed yet" : "was freed before"));
}

} // namespace plimsoll::plan::verifying
