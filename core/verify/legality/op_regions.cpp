// SPDX-License-Identifier: Apache-2.0
#include "core/verify/code.h"
#include "core/verify/legality/region_rules.h"

#include <algorithm>
#include <set>

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
    OpRegionChecker(const graph::Program& program, std::vector<Fault>& faults)
        : m_program{program}
        , m_end{static_cast<OpIndex>(program.forwardCount())}
        , m_python{pythonHolds(program)}
        , m_lastWrite(program.storages.size(), graph::kBeforeStep)
        , m_faults{program, faults}
    {
        for (OpIndex op = 0; op < m_end; ++op) {
            for (const TensorId tensor : m_program.op(opAt(op)).writes)
                m_lastWrite[storageOf(tensor).index()] = op;
        }
    }

    void run(const CheckpointRegions& plan)
    {
        m_model = modelCall(m_program);
        if (m_model == nullptr)
            m_faults.add(
                FaultKind::IllegalRegion,
                "A plan between ops needs a graph with one call of the model; this one has none, "
                "or several.");
        else if (checkModel())
            checkAll(plan.regions, nullptr);
    }

private:
    [[nodiscard]] StorageId storageOf(TensorId tensor) const
    {
        return m_program.tensor(tensor).storage;
    }

    // Checks that generated code can replace the model, and returns whether it can.
    [[nodiscard]] bool checkModel()
    {
        for (const graph::Op& op : m_program.ops) {
            if (!op.recomputeOf)
                continue;
            m_faults.add(FaultKind::IllegalRegion,
                         "A plan between ops can't be laid over a model that checkpoints itself: "
                         "{} is recomputed in the recorded step.",
                         *op.recomputeOf);
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
                m_faults.add(FaultKind::IllegalRegion,
                             "A plan between ops can't hand {} to {}: the model doesn't return it.",
                             StorageId{i}, opAt(usedAfter[i]));
            else if (m_python[i] == graph::kNever)
                m_faults.add(FaultKind::IllegalRegion,
                             "A plan between ops can't keep {}, which outlives the step: the model "
                             "doesn't return it.",
                             StorageId{i});
        }
        return m_faults.size() == 0;
    }

    void checkAll(const std::vector<Region>& regions, const Region* parent)
    {
        checkSiblings(regions, m_faults, [&](const Region& region) {
            if (!checkShape(region, parent))
                return; // the other rules require valid ops
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
            m_faults.add(region, "extends beyond the model's forward, ops {} to {}", m_model->first,
                         m_model->last);
        else if ((parent == nullptr || checkInside(region, *parent, m_faults))
                 && sharesCallWithNext(m_program, region.last))
            m_faults.add(region, "ends between {} and the op in place that makes this copy",
                         opAt(region.last));
        return m_faults.size() == faultsBefore;
    }

    void checkOps(const Region& region)
    {
        std::set<StorageId> told;
        for (OpIndex op = region.first; op <= region.last; ++op) {
            const graph::Op& row = m_program.op(opAt(op));
            if (row.isCollective)
                m_faults.add(region, "{} is a collective, which can't be recomputed", opAt(op));
            for (const TensorId tensor : row.writes)
                if (isLent(region, storageOf(tensor)) && told.insert(storageOf(tensor)).second)
                    m_faults.add(region, "{} overwrites {}, which is older than it", opAt(op),
                                 storageOf(tensor));
            for (const TensorId tensor : row.reads) {
                const StorageId storage = storageOf(tensor);
                const OpIndex write = m_lastWrite[storage.index()];
                const bool changes =
                    isLent(region, storage)
                        ? write > region.last
                        : isBuffer(storage) && write >= region.first && !writes(row, storage);
                if (changes && told.insert(storage).second)
                    m_faults.add(region, "{} reads {}, which {} overwrites", opAt(op), storage,
                                 opAt(write));
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
    /// Whether the storage is older than the region, so that values read from it must stay. Buffers
    /// may be updated twice by ops that read and write them.
    [[nodiscard]] bool isLent(const Region& region, StorageId id) const
    {
        return m_program.storage(id).alloc < region.first && !isBuffer(id);
    }

    const graph::Program& m_program;
    OpIndex m_end;                 ///< first op of backward
    std::vector<OpIndex> m_python; ///< as recorded
    const graph::Call* m_model = nullptr;
    std::vector<OpIndex> m_lastWrite; ///< by storage: last forward or loss op that writes it
    FaultList m_faults;
};

} // namespace

void checkOpRegions(const graph::Program& program, const CheckpointRegions& plan,
                    std::vector<Fault>& faults)
{
    OpRegionChecker{program, faults}.run(plan);
}

} // namespace plimsoll::plan::verifying
