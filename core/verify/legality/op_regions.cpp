// SPDX-License-Identifier: Apache-2.0
#include "core/verify/legality/op_regions.h"

#include "core/verify/code.h"
#include "core/verify/legality/siblings.h"
#include "core/verify/names.h"
#include "core/verify/python_holds.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace plimsoll::plan::verifying {

namespace {

using graph::opAt;
using graph::OpId;
using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

class OpRegionChecker
{
public:
    explicit OpRegionChecker(const graph::Program& program)
        : m_program{program}
        , m_end{static_cast<OpIndex>(program.forwardCount())}
        , m_python{pythonHolds(program)}
        , m_lastWrite(program.storages.size(), graph::kBeforeStep)
    {
        for (OpIndex op = 0; op < m_end; ++op) {
            for (const TensorId tensor : m_program.op(opAt(op)).writes)
                m_lastWrite[storageOf(tensor).index()] = op;
        }
    }

    [[nodiscard]] std::vector<Fault> run(const CheckpointRegions& plan)
    {
        m_model = modelCall(m_program);
        if (m_model == nullptr)
            m_faults.add(
                FaultKind::IllegalRegion,
                "A plan between ops needs a graph with one call of the model; this one has none, "
                "or several.");
        else if (checkModel())
            checkAll(plan.regions, nullptr);
        return std::move(m_faults).take();
    }

private:
    [[nodiscard]] StorageId storageOf(TensorId tensor) const
    {
        return m_program.tensor(tensor).storage;
    }

    // What generated code can't stand for. Returns whether it can.
    [[nodiscard]] bool checkModel()
    {
        for (const graph::Op& op : m_program.ops) {
            if (!op.recomputeOf)
                continue;
            m_faults.add(
                FaultKind::IllegalRegion,
                fmt::format("A plan between ops can't be laid over a model that checkpoints "
                            "itself: {} is computed again in the recorded step.",
                            nameOf(m_program, *op.recomputeOf)));
            return false;
        }
        std::vector<bool> isReturned(m_program.storages.size(), false);
        for (const TensorId output : m_model->outputs)
            isReturned[storageOf(output).index()] = true;
        std::vector<OpIndex> usedAfter(m_program.storages.size(), graph::kNever);
        for (OpIndex op = m_end - 1; op > m_model->last; --op) {
            const graph::Op& row = m_program.op(opAt(op));
            for (const std::vector<TensorId>* tensors : {&row.reads, &row.writes})
                for (const TensorId tensor : *tensors)
                    usedAfter[storageOf(tensor).index()] = op;
        }
        for (std::size_t i = 0; i < m_program.storages.size(); ++i) {
            const graph::Storage& storage = m_program.storages[i];
            if (isReturned[i] || storage.alloc < m_model->first || storage.alloc > m_model->last)
                continue;
            if (usedAfter[i] != graph::kNever)
                m_faults.add(
                    FaultKind::IllegalRegion,
                    fmt::format("A plan between ops can't hand {} to {}: the model doesn't "
                                "return it.",
                                nameOf(m_program, StorageId{i}),
                                nameOf(m_program, opAt(usedAfter[i]))));
            else if (m_python[i] == graph::kNever)
                m_faults.add(
                    FaultKind::IllegalRegion,
                    fmt::format("A plan between ops can't keep {}, which outlives the step: the "
                                "model doesn't return it.",
                                nameOf(m_program, StorageId{i})));
        }
        return m_faults.empty();
    }

    void checkAll(const std::vector<Region>& regions, const Region* parent)
    {
        checkSiblings(regions, m_faults, [&](const Region& region) {
            if (!checkShape(region, parent))
                return; // the other rules need ops that exist
            checkOps(region);
            checkAll(region.nested, &region);
        });
    }

    [[nodiscard]] bool checkShape(const Region& region, const Region* parent)
    {
        const std::size_t faultsBefore = m_faults.size();
        if (!region.members.empty())
            m_faults.add(region, "names calls of modules in a plan between ops");
        if (region.last < region.first)
            m_faults.add(region, "has no op");
        else if (region.first < m_model->first || region.last > m_model->last)
            m_faults.add(region, fmt::format("reaches out of the model's forward, ops {} to {}",
                                             m_model->first, m_model->last));
        else if (parent != nullptr && (region.first < parent->first || region.last > parent->last))
            m_faults.add(region, fmt::format("reaches out of {}", nameOf(m_program, *parent)));
        else if (parent != nullptr && region.first == parent->first && region.last == parent->last)
            m_faults.add(region, fmt::format("runs the same ops as {} around it",
                                             nameOf(m_program, *parent)));
        else if (sharesCallWithNext(m_program, region.last))
            m_faults.add(region,
                         fmt::format("ends between {} and the op in place that makes this copy",
                                     nameOf(m_program, opAt(region.last))));
        return m_faults.size() == faultsBefore;
    }

    void checkOps(const Region& region)
    {
        std::set<StorageId> told;
        for (OpIndex op = region.first; op <= region.last; ++op) {
            const graph::Op& row = m_program.op(opAt(op));
            if (row.isCollective)
                m_faults.add(region, fmt::format("{} is a collective, which can't run again",
                                                 nameOf(m_program, opAt(op))));
            for (const TensorId tensor : row.writes)
                if (isLent(region, storageOf(tensor)) && told.insert(storageOf(tensor)).second)
                    m_faults.add(region, fmt::format("{} overwrites {}, which is older than it",
                                                     nameOf(m_program, opAt(op)),
                                                     nameOf(m_program, storageOf(tensor))));
            for (const TensorId tensor : row.reads) {
                const StorageId storage = storageOf(tensor);
                const OpIndex write = m_lastWrite[storage.index()];
                const bool changes =
                    isLent(region, storage)
                        ? write > region.last
                        : isBuffer(storage) && write >= region.first && !writes(row, storage);
                if (changes && told.insert(storage).second)
                    m_faults.add(region, fmt::format("{} reads {}, which {} overwrites",
                                                     nameOf(m_program, opAt(op)),
                                                     nameOf(m_program, storage),
                                                     nameOf(m_program, opAt(write))));
            }
        }
    }

    [[nodiscard]] bool isBuffer(StorageId id) const
    {
        return m_program.storage(id).storageClass == graph::StorageClass::Buffer;
    }
    [[nodiscard]] bool writes(const graph::Op& row, StorageId id) const
    {
        return std::ranges::any_of(row.writes,
                                   [&](TensorId tensor) { return storageOf(tensor) == id; });
    }
    /// Older than the region, so what it reads there must stay. Buffers may be updated twice by
    /// ops that read and write them.
    [[nodiscard]] bool isLent(const Region& region, StorageId id) const
    {
        return m_program.storage(id).alloc < region.first && !isBuffer(id);
    }

    const graph::Program& m_program;
    OpIndex m_end;                 ///< first op of backward
    std::vector<OpIndex> m_python; ///< as recorded
    const graph::Call* m_model = nullptr;
    std::vector<OpIndex> m_lastWrite; ///< by storage: last forward or loss op that writes it
    FaultList m_faults{m_program};
};

} // namespace

std::vector<Fault> opRegionFaults(const graph::Program& program, const CheckpointRegions& plan)
{
    return OpRegionChecker{program}.run(plan);
}

} // namespace plimsoll::plan::verifying
