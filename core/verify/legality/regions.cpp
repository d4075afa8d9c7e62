// SPDX-License-Identifier: Apache-2.0
#include "core/verify/code.h"
#include "core/verify/legality/legality.h"
#include "core/verify/legality/region_rules.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace plimsoll::plan::verifying {

namespace {

using graph::CallId;
using graph::opAt;
using graph::OpId;
using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

constexpr OpIndex kUnused = -2; ///< of a storage that forward and loss don't use

/// The uses of a storage in forward and loss.
struct Use
{
    OpIndex first = std::numeric_limits<OpIndex>::max();
    OpIndex last = kUnused;
    OpIndex lastWrite = kUnused;
};

class RegionChecker
{
public:
    RegionChecker(const graph::Program& program, std::vector<Fault>& faults)
        : m_program{program}
        , m_end{static_cast<OpIndex>(program.forwardCount())}
        , m_python{pythonHolds(program)}
        , m_uses(program.storages.size())
        , m_isAround(program.calls.size(), false)
        , m_isRepeated(program.ops.size(), false)
        , m_allocated(program.ops.size())
        , m_faults{program, faults}
    {
        for (OpIndex op = 0; op < m_end; ++op)
            indexOp(op);
        for (const graph::Op& op : program.ops)
            if (op.recomputeOf)
                m_isRepeated[op.recomputeOf->index()] = true;
        for (std::size_t i = 0; i < program.storages.size(); ++i) {
            const OpIndex alloc = program.storages[i].alloc;
            if (alloc >= 0 && alloc < static_cast<OpIndex>(program.ops.size()))
                m_allocated[static_cast<std::size_t>(alloc)].emplace_back(i);
        }
    }

    void checkAll(const std::vector<Region>& regions, const Region* parent)
    {
        checkSiblings(regions, m_faults, [&](const Region& region) {
            if (!checkShape(region, parent))
                return; // the other rules require existing calls and intervals
            checkPassing(region);
            checkResults(region);
            checkOps(region);
            checkArgumentsUntouched(region);
            checkAll(region.nested, &region);
        });
    }

private:
    void indexOp(OpIndex op)
    {
        const graph::Op& row = m_program.op(opAt(op));
        const auto use = [&](TensorId tensor, bool writes) {
            Use& entry = m_uses[storageOf(tensor).index()];
            entry.first = std::min(entry.first, op);
            entry.last = std::max(entry.last, op);
            if (writes)
                entry.lastWrite = op;
        };
        for (const TensorId tensor : row.reads)
            use(tensor, false);
        for (const TensorId tensor : row.writes)
            use(tensor, true);
    }

    [[nodiscard]] StorageId storageOf(TensorId tensor) const
    {
        return m_program.tensor(tensor).storage;
    }
    [[nodiscard]] const graph::Call& call(CallId id) const { return m_program.call(id); }
    [[nodiscard]] const Use& use(StorageId storage) const { return m_uses[storage.index()]; }

    // Rule 1.
    [[nodiscard]] bool checkShape(const Region& region, const Region* parent)
    {
        const std::size_t faultsBefore = m_faults.size();
        if (region.members.empty()) {
            m_faults.add(region, "has no module call");
            return false;
        }
        for (const CallId member : region.members) {
            if (member.index() >= m_program.calls.size()) {
                m_faults.add(region, "names {}, which the graph doesn't have", member);
                return false;
            }
        }
        for (std::size_t i = 0; i < region.members.size(); ++i)
            checkMember(region, i);
        if (m_faults.size() != faultsBefore)
            return false;
        if (region.first != call(region.members.front()).first
            || region.last != call(region.members.back()).last)
            m_faults.add(region, "says ops {} to {}, but its calls run ops {} to {}", region.first,
                         region.last, call(region.members.front()).first,
                         call(region.members.back()).last);
        if (parent != nullptr) {
            checkInside(region, *parent, m_faults);
            checkCallers(region, *parent);
        }
        return m_faults.size() == faultsBefore;
    }

    void checkMember(const Region& region, std::size_t index)
    {
        const CallId id = region.members[index];
        const graph::Call& member = call(id);
        if (member.isEmpty()) {
            m_faults.add(region, "its member {} runs no op", id);
            return;
        }
        if (m_program.module(member.module).hasHooks)
            m_faults.add(
                region, "its member {} has hooks, which would not run where the step ran them", id);
        if (m_program.module(member.module).isCalledDirectly)
            m_faults.add(region,
                         "its member {} is also run by its forward() alone, so its calls can't be "
                         "counted",
                         id);
        for (OpIndex op = member.first; op <= member.last; ++op) {
            if (m_isRepeated[static_cast<std::size_t>(op)]) {
                m_faults.add(
                    region,
                    "the model itself checkpoints {}, so the recorded step already recomputes it",
                    opAt(op));
                return;
            }
            if (m_program.op(opAt(op)).phase != graph::Phase::Forward) {
                m_faults.add(region, "{} doesn't run in forward", opAt(op));
                return;
            }
        }
        if (index == 0)
            return;
        const CallId previousId = region.members[index - 1];
        const graph::Call& previous = call(previousId);
        if (member.parent != previous.parent)
            m_faults.add(region, "its members {} and {} aren't called by the same module",
                         previousId, id);
        else if (member.first != previous.last + 1)
            m_faults.add(region, "its member {} doesn't follow {} immediately: op {} lies between",
                         id, previousId, previous.last + 1);
    }

    void checkCallers(const Region& region, const Region& parent)
    {
        for (const CallId member : parent.members)
            m_isAround[member.index()] = true;
        for (const CallId member : region.members) {
            std::optional<CallId> ancestor = member;
            while (ancestor && !m_isAround[ancestor->index()])
                ancestor = call(*ancestor).parent;
            if (!ancestor)
                m_faults.add(region, "its member {} isn't called from {}", member, parent);
        }
        for (const CallId member : parent.members)
            m_isAround[member.index()] = false;
    }

    [[nodiscard]] bool contains(const std::vector<TensorId>& tensors, StorageId storage) const
    {
        return std::ranges::any_of(tensors,
                                   [&](TensorId tensor) { return storageOf(tensor) == storage; });
    }
    [[nodiscard]] bool isResult(const Region& region, StorageId storage) const
    {
        return contains(call(region.members.back()).outputs, storage);
    }
    [[nodiscard]] bool isArgument(const Region& region, StorageId storage) const
    {
        return contains(call(region.members.front()).inputs, storage);
    }

    // Rule 2.
    void checkPassing(const Region& region)
    {
        const std::vector<TensorId>& arguments = call(region.members.front()).inputs;
        for (std::size_t i = 0; i + 1 < region.members.size(); ++i) {
            const CallId from = region.members[i];
            const CallId to = region.members[i + 1];
            const std::vector<TensorId>& outputs = call(from).outputs;
            const std::vector<TensorId>& inputs = call(to).inputs;
            if (outputs.size() != 1) {
                m_faults.add(region, "its member {} returns {} tensors, where one can be passed on",
                             from, outputs.size());
                continue;
            }
            if (inputs.empty() || inputs.front() != outputs.front()) {
                m_faults.add(region, "{} doesn't take what {} returns as its first argument", to,
                             from);
                continue;
            }
            const bool sameOthers = arguments.empty()
                                        ? inputs.size() == 1
                                        : std::equal(inputs.begin() + 1, inputs.end(),
                                                     arguments.begin() + 1, arguments.end());
            if (!sameOthers)
                m_faults.add(region, "the further arguments of {} aren't those of {}", to,
                             region.members.front());
            if (const std::optional<std::string> what = passingFault(m_program, region, i + 1))
                m_faults.add(region, "{}", *what);
            checkPassed(region, i);
        }
    }

    void checkPassed(const Region& region, std::size_t index)
    {
        const CallId giver = region.members[index];
        const StorageId storage = storageOf(call(giver).outputs.front());
        const OpIndex alloc = m_program.storage(storage).alloc;
        if (alloc < region.first || alloc > region.last) {
            m_faults.add(region, "{}, which {} passes on, was allocated before it", storage, giver);
            return;
        }
        if (use(storage).last > region.last && !isResult(region, storage))
            m_faults.add(region, "{}, which {} passes on, is also used by {} after it", storage,
                         giver, opAt(use(storage).last));
        if (m_python[storage.index()] >= m_end)
            m_faults.add(region, "{}, which {} passes on, is still held when backward begins",
                         storage, giver);
    }

    // Rule 3.
    void checkResults(const Region& region)
    {
        for (OpIndex op = region.first; op <= region.last; ++op) {
            for (const StorageId storage : m_allocated[static_cast<std::size_t>(op)]) {
                if (isResult(region, storage))
                    continue;
                if (use(storage).last > region.last)
                    m_faults.add(region, "{} is used by {} after it, but isn't among the results",
                                 storage, opAt(use(storage).last));
                else if (m_program.storage(storage).free == graph::kNever)
                    m_faults.add(region, "{} outlives the step, but isn't among the results",
                                 storage);
            }
        }
    }

    // Rules 4, 6, 9 and the first half of 5.
    void checkOps(const Region& region)
    {
        std::set<StorageId> captured;
        std::set<StorageId> overwritten;
        for (OpIndex op = region.first; op <= region.last; ++op) {
            const graph::Op& row = m_program.op(opAt(op));
            if (row.isCollective)
                m_faults.add(region, "{} is a collective, which can't be recomputed", opAt(op));
            for (const TensorId tensor : row.reads) {
                const StorageId storage = storageOf(tensor);
                if (isCaptured(region, storage) && captured.insert(storage).second)
                    m_faults.add(region, "{} reads {}, which isn't an argument of it", opAt(op),
                                 storage);
                else if (changesUnder(region, row, storage) && captured.insert(storage).second)
                    m_faults.add(region, "{} reads {}, which {} overwrites", opAt(op), storage,
                                 opAt(use(storage).lastWrite));
            }
            for (const TensorId tensor : row.writes) {
                const StorageId storage = storageOf(tensor);
                const graph::Storage& written = m_program.storage(storage);
                if (written.alloc < region.first
                    && written.storageClass != graph::StorageClass::Buffer
                    && overwritten.insert(storage).second)
                    m_faults.add(region, "{} overwrites {}, which is older than it", opAt(op),
                                 storage);
            }
        }
    }

    [[nodiscard]] bool isCaptured(const Region& region, StorageId storage) const
    {
        const graph::Storage& row = m_program.storage(storage);
        // Storages held only by saved tensors would be freed, since a region's rows hold nothing.
        const bool permanent = row.alloc < 0 && m_python[storage.index()] == graph::kNever;
        return row.alloc < region.first && !permanent && !isArgument(region, storage);
    }

    /// Whether a recomputation would read a buffer or parameter after forward has modified it. Ops
    /// that only update it in place, such as batch norm, don't count.
    [[nodiscard]] bool changesUnder(const Region& region, const graph::Op& row,
                                    StorageId storage) const
    {
        return m_program.storage(storage).alloc < 0 && !isArgument(region, storage)
               && use(storage).lastWrite >= region.first && !contains(row.writes, storage);
    }

    // The second half of rule 5.
    void checkArgumentsUntouched(const Region& region)
    {
        std::set<StorageId> seen;
        for (const TensorId tensor : call(region.members.front()).inputs) {
            const StorageId storage = storageOf(tensor);
            const OpIndex write = use(storage).lastWrite;
            if (write > region.last && seen.insert(storage).second)
                m_faults.add(region, "{} overwrites its argument {} after it", opAt(write),
                             storage);
        }
    }

    const graph::Program& m_program;
    OpIndex m_end; ///< first op of backward
    std::vector<OpIndex> m_python;
    std::vector<Use> m_uses;
    std::vector<bool> m_isAround;   ///< by call: a member of the region around; else all false
    std::vector<bool> m_isRepeated; ///< by op: the recorded step recomputes it
    std::vector<std::vector<StorageId>> m_allocated;
    FaultList m_faults;
};

/// The first region that is nested too deeply, or null.
const Region* tooDeep(const std::vector<Region>& regions, std::size_t around = 0)
{
    for (const Region& region : regions) {
        if (around >= kMostNested)
            return &region;
        if (const Region* found = tooDeep(region.nested, around + 1))
            return found;
    }
    return nullptr;
}

} // namespace

std::vector<Fault> regionFaults(const graph::Program& program, const CheckpointRegions& plan)
{
    std::vector<Fault> faults;
    if (const Region* region = tooDeep(plan.regions))
        FaultList{program, faults}.add(
            FaultKind::IllegalRegion,
            "The region of ops {} to {} is nested in {} others: Python's stack holds {} levels.",
            region->first, region->last, kMostNested, kMostNested);
    else if (plan.granularity == Granularity::Op)
        checkOpRegions(program, plan, faults);
    else
        RegionChecker{program, faults}.checkAll(plan.regions, nullptr);
    if (faults.empty())
        checkSaves(program, plan, faults);
    return faults;
}

std::vector<Fault> triggerFaults(const graph::Program& program, const CheckpointRegions& plan)
{
    std::vector<Fault> faults;
    FaultList list{program, faults};
    std::vector<bool> isTold(plan.regions.size(), false);
    const auto forward = static_cast<OpIndex>(program.forwardCount());
    for (const graph::Saved& row : program.saved) {
        if (!row.unpack || *row.unpack >= forward)
            continue;
        // An op of a nested region also lies in the outermost one.
        const auto op = static_cast<OpIndex>(row.op.index());
        const auto region = std::ranges::find_if(plan.regions, [op](const Region& candidate) {
            return candidate.first <= op && op <= candidate.last;
        });
        if (region == plan.regions.end())
            continue;
        const auto told = isTold.begin() + (region - plan.regions.begin());
        if (!*told)
            list.add(FaultKind::IllegalRegion,
                     "In forward {} would be recomputed: what {} saves is unpacked before {}.",
                     *region, row.op, opAt(*row.unpack));
        *told = true;
    }
    return faults;
}

} // namespace plimsoll::plan::verifying
