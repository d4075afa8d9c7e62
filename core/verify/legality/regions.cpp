// SPDX-License-Identifier: Apache-2.0
#include "core/verify/legality/regions.h"

#include "core/verify/legality/arguments.h"
#include "core/verify/legality/op_regions.h"
#include "core/verify/legality/saves.h"
#include "core/verify/legality/siblings.h"
#include "core/verify/names.h"
#include "core/verify/python_holds.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace plimsoll::plan::verifying {

namespace {

using graph::CallId;
using graph::opAt;
using graph::OpId;
using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

constexpr OpIndex kUnused = -2; ///< of a storage that forward and loss don't use

/// Where forward and loss use a storage.
struct Use
{
    OpIndex first = std::numeric_limits<OpIndex>::max();
    OpIndex last = kUnused;
    OpIndex lastWrite = kUnused;
};

class RegionChecker
{
public:
    explicit RegionChecker(const graph::Program& program)
        : m_program{program}
        , m_end{static_cast<OpIndex>(program.forwardCount())}
        , m_python{pythonHolds(program)}
        , m_uses(program.storages.size())
        , m_isAround(program.calls.size(), false)
        , m_isRepeated(program.ops.size(), false)
        , m_allocated(program.ops.size())
    {
        for (std::size_t op = 0; op < program.ops.size(); ++op)
            indexOp(static_cast<OpIndex>(op));
        for (const graph::Op& op : program.ops)
            if (op.recomputeOf)
                m_isRepeated[op.recomputeOf->index()] = true;
        for (std::size_t i = 0; i < program.storages.size(); ++i) {
            const OpIndex alloc = program.storages[i].alloc;
            if (alloc >= 0 && alloc < static_cast<OpIndex>(program.ops.size()))
                m_allocated[static_cast<std::size_t>(alloc)].emplace_back(i);
        }
    }

    [[nodiscard]] std::vector<Fault> run(const CheckpointRegions& plan)
    {
        checkAll(plan.regions, nullptr);
        return std::move(m_faults).take();
    }

private:
    void indexOp(OpIndex op)
    {
        const graph::Op& row = m_program.op(opAt(op));
        if (op >= m_end)
            return;
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

    void checkAll(const std::vector<Region>& regions, const Region* parent)
    {
        checkSiblings(regions, m_faults, [&](const Region& region) {
            if (!checkShape(region, parent))
                return; // the other rules need calls and intervals that exist
            checkPassing(region);
            checkResults(region);
            checkOps(region);
            checkArgumentsUntouched(region);
            checkAll(region.nested, &region);
        });
    }

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
                m_faults.add(region, fmt::format("names {}, which the graph doesn't have",
                                                 nameOf(m_program, member)));
                return false;
            }
        }
        for (std::size_t i = 0; i < region.members.size(); ++i)
            checkMember(region, i);
        if (m_faults.size() != faultsBefore)
            return false;
        if (region.first != call(region.members.front()).first
            || region.last != call(region.members.back()).last)
            m_faults.add(region,
                         fmt::format("says ops {} to {}, but its calls run ops {} to {}",
                                     region.first, region.last, call(region.members.front()).first,
                                     call(region.members.back()).last));
        if (parent != nullptr)
            checkInside(region, *parent);
        return m_faults.size() == faultsBefore;
    }

    void checkMember(const Region& region, std::size_t index)
    {
        const CallId id = region.members[index];
        const graph::Call& member = call(id);
        if (member.isEmpty()) {
            m_faults.add(region, fmt::format("its member {} runs no op", nameOf(m_program, id)));
            return;
        }
        if (m_program.module(member.module).hasHooks)
            m_faults.add(region,
                         fmt::format("its member {} has hooks, which would not run where the "
                                     "step ran them",
                                     nameOf(m_program, id)));
        if (m_program.module(member.module).isCalledDirectly)
            m_faults.add(region,
                         fmt::format("its member {} is also run by its forward() alone, so its "
                                     "calls can't be counted",
                                     nameOf(m_program, id)));
        for (OpIndex op = member.first; op <= member.last; ++op) {
            if (m_isRepeated[static_cast<std::size_t>(op)]) {
                m_faults.add(region,
                             fmt::format("the model itself checkpoints {}, so the recorded step "
                                         "computes it again already",
                                         nameOf(m_program, opAt(op))));
                return;
            }
            if (m_program.op(opAt(op)).phase != graph::Phase::Forward) {
                m_faults.add(region,
                             fmt::format("{} doesn't run in forward", nameOf(m_program, opAt(op))));
                return;
            }
        }
        if (index == 0)
            return;
        const CallId previousId = region.members[index - 1];
        const graph::Call& previous = call(previousId);
        if (member.parent != previous.parent)
            m_faults.add(region,
                         fmt::format("its members {} and {} aren't called by the same module",
                                     nameOf(m_program, previousId), nameOf(m_program, id)));
        else if (member.first != previous.last + 1)
            m_faults.add(region,
                         fmt::format("its member {} doesn't follow {} at once: op {} lies between",
                                     nameOf(m_program, id), nameOf(m_program, previousId),
                                     previous.last + 1));
    }

    void checkInside(const Region& region, const Region& parent)
    {
        if (region.first < parent.first || region.last > parent.last)
            m_faults.add(region, fmt::format("reaches out of {}", nameOf(m_program, parent)));
        else if (region.first == parent.first && region.last == parent.last)
            m_faults.add(region, fmt::format("runs the same ops as {} around it",
                                             nameOf(m_program, parent)));
        for (const CallId member : parent.members)
            m_isAround[member.index()] = true;
        for (const CallId member : region.members) {
            std::optional<CallId> ancestor = member;
            while (ancestor && !m_isAround[ancestor->index()])
                ancestor = call(*ancestor).parent;
            if (!ancestor)
                m_faults.add(region,
                             fmt::format("its member {} isn't called from {}",
                                         nameOf(m_program, member), nameOf(m_program, parent)));
        }
        for (const CallId member : parent.members)
            m_isAround[member.index()] = false;
    }

    [[nodiscard]] bool isResult(const Region& region, StorageId storage) const
    {
        return std::ranges::any_of(call(region.members.back()).outputs,
                                   [&](TensorId tensor) { return storageOf(tensor) == storage; });
    }
    [[nodiscard]] bool isArgument(const Region& region, StorageId storage) const
    {
        return std::ranges::any_of(call(region.members.front()).inputs,
                                   [&](TensorId tensor) { return storageOf(tensor) == storage; });
    }

    // Rule 2.
    void checkPassing(const Region& region)
    {
        const std::vector<TensorId>& arguments = call(region.members.front()).inputs;
        for (std::size_t i = 0; i + 1 < region.members.size(); ++i) {
            // Named where something is wrong only: a plan may have many thousands of members.
            const auto from = [&] { return nameOf(m_program, region.members[i]); };
            const auto to = [&] { return nameOf(m_program, region.members[i + 1]); };
            const std::vector<TensorId>& outputs = call(region.members[i]).outputs;
            const std::vector<TensorId>& inputs = call(region.members[i + 1]).inputs;
            if (outputs.size() != 1) {
                m_faults.add(region,
                             fmt::format("its member {} returns {} tensors, where one can be "
                                         "passed on",
                                         from(), outputs.size()));
                continue;
            }
            if (inputs.empty() || inputs.front() != outputs.front()) {
                m_faults.add(region,
                             fmt::format("{} doesn't take what {} returns as its first argument",
                                         to(), from()));
                continue;
            }
            const bool sameOthers = arguments.empty()
                                        ? inputs.size() == 1
                                        : std::equal(inputs.begin() + 1, inputs.end(),
                                                     arguments.begin() + 1, arguments.end());
            if (!sameOthers)
                m_faults.add(region, fmt::format("the further arguments of {} aren't those of {}",
                                                 to(), nameOf(m_program, region.members.front())));
            if (const std::optional<std::string> what = passingFault(m_program, region, i + 1))
                m_faults.add(region, *what);
            checkPassed(region, i);
        }
    }

    void checkPassed(const Region& region, std::size_t index)
    {
        const CallId giver = region.members[index];
        const StorageId storage = storageOf(call(giver).outputs.front());
        const auto value = [&] {
            return fmt::format("{}, which {} passes on,", nameOf(m_program, storage),
                               nameOf(m_program, giver));
        };
        const OpIndex alloc = m_program.storage(storage).alloc;
        if (alloc < region.first || alloc > region.last) {
            m_faults.add(region, fmt::format("{} was allocated before it", value()));
            return;
        }
        if (use(storage).last > region.last && !isResult(region, storage))
            m_faults.add(region, fmt::format("{} is also used by {} after it", value(),
                                             nameOf(m_program, opAt(use(storage).last))));
        if (m_python[storage.index()] >= m_end)
            m_faults.add(region, fmt::format("{} is still held when backward begins", value()));
    }

    // Rule 3.
    void checkResults(const Region& region)
    {
        for (OpIndex op = region.first; op <= region.last; ++op) {
            for (const StorageId storage : m_allocated[static_cast<std::size_t>(op)]) {
                if (isResult(region, storage))
                    continue;
                if (use(storage).last > region.last)
                    m_faults.add(
                        region,
                        fmt::format("{} is used by {} after it, but isn't among the results",
                                    nameOf(m_program, storage),
                                    nameOf(m_program, opAt(use(storage).last))));
                else if (m_program.storage(storage).free == graph::kNever)
                    m_faults.add(region,
                                 fmt::format("{} outlives the step, but isn't among the results",
                                             nameOf(m_program, storage)));
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
                m_faults.add(region, fmt::format("{} is a collective, which can't run again",
                                                 nameOf(m_program, opAt(op))));
            for (const TensorId tensor : row.reads) {
                const StorageId storage = storageOf(tensor);
                if (isCaptured(region, storage) && captured.insert(storage).second)
                    m_faults.add(region, fmt::format("{} reads {}, which isn't an argument of it",
                                                     nameOf(m_program, opAt(op)),
                                                     nameOf(m_program, storage)));
                else if (changesUnder(region, row, storage) && captured.insert(storage).second)
                    m_faults.add(
                        region, fmt::format("{} reads {}, which {} overwrites",
                                            nameOf(m_program, opAt(op)), nameOf(m_program, storage),
                                            nameOf(m_program, opAt(use(storage).lastWrite))));
            }
            for (const TensorId tensor : row.writes) {
                const StorageId storage = storageOf(tensor);
                const graph::Storage& written = m_program.storage(storage);
                if (written.alloc < region.first
                    && written.storageClass != graph::StorageClass::Buffer
                    && overwritten.insert(storage).second)
                    m_faults.add(region, fmt::format("{} overwrites {}, which is older than it",
                                                     nameOf(m_program, opAt(op)),
                                                     nameOf(m_program, storage)));
            }
        }
    }

    [[nodiscard]] bool isCaptured(const Region& region, StorageId storage) const
    {
        const graph::Storage& row = m_program.storage(storage);
        // What only saved tensors keep would go, as a region's rows hold nothing.
        const bool permanent = row.alloc < 0 && m_python[storage.index()] == graph::kNever;
        return row.alloc < region.first && !permanent && !isArgument(region, storage);
    }

    /// Whether a recomputation would read what became of a buffer or parameter that forward writes.
    /// What only updates it in place, such as batch norm, makes nothing of it.
    [[nodiscard]] bool changesUnder(const Region& region, const graph::Op& row,
                                    StorageId storage) const
    {
        return m_program.storage(storage).alloc < 0 && !isArgument(region, storage)
               && use(storage).lastWrite >= region.first
               && std::ranges::none_of(
                   row.writes, [&](TensorId tensor) { return storageOf(tensor) == storage; });
    }

    // The second half of rule 5.
    void checkArgumentsUntouched(const Region& region)
    {
        std::set<StorageId> seen;
        for (const TensorId tensor : call(region.members.front()).inputs) {
            const StorageId storage = storageOf(tensor);
            const OpIndex write = use(storage).lastWrite;
            if (write > region.last && seen.insert(storage).second)
                m_faults.add(region, fmt::format("{} overwrites its argument {} after it",
                                                 nameOf(m_program, opAt(write)),
                                                 nameOf(m_program, storage)));
        }
    }

    const graph::Program& m_program;
    OpIndex m_end; ///< first op of backward
    std::vector<OpIndex> m_python;
    std::vector<Use> m_uses;
    std::vector<bool> m_isAround;   ///< by call: a member of the region around; else all false
    std::vector<bool> m_isRepeated; ///< by op: the recorded step runs it again
    std::vector<std::vector<StorageId>> m_allocated;
    FaultList m_faults{m_program};
};

/// The first region that lies in too many others, null without.
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
    if (const Region* region = tooDeep(plan.regions))
        return {{FaultKind::IllegalRegion,
                 fmt::format("The region of ops {} to {} lies in {} others, one in another: {} in "
                             "each other are what Python's stack holds.",
                             region->first, region->last, kMostNested, kMostNested)}};
    std::vector<Fault> faults = plan.granularity == Granularity::Op
                                    ? opRegionFaults(program, plan)
                                    : RegionChecker{program}.run(plan);
    return faults.empty() ? saveFaults(program, plan) : faults;
}

} // namespace plimsoll::plan::verifying
