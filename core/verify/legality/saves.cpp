// SPDX-License-Identifier: Apache-2.0
#include "core/verify/legality/region_rules.h"

#include <algorithm>
#include <optional>

namespace plimsoll::plan::verifying {

namespace {

using graph::OpId;
using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

class SaveChecker
{
public:
    SaveChecker(const graph::Program& program, std::vector<Fault>& faults)
        : m_program{program}, m_faults{program, faults}
    {
    }

    void check(const std::vector<Region>& regions)
    {
        for (const Region& region : regions) {
            if (!region.save.empty() && checkPlaces(region)) {
                for (const OpId op : region.save)
                    checkOp(region, op);
                checkRandom(region);
            }
            check(region.nested);
        }
    }

private:
    [[nodiscard]] bool checkPlaces(const Region& region)
    {
        OpIndex before = region.first - 1;
        for (const OpId op : region.save) {
            const auto at = static_cast<OpIndex>(op.index());
            if (at <= before || at > region.last) {
                m_faults.add(region, "the ops that it saves don't rise inside it: op {}",
                             op.index());
                return false;
            }
            before = at;
            for (const Region& nested : region.nested) {
                if (nested.first > at || at > nested.last)
                    continue;
                m_faults.add(region, "it saves {}, which {} would have to save", op, nested);
                return false;
            }
        }
        return true;
    }

    // The op's results must be memory of its own that nothing modifies.
    void checkOp(const Region& region, OpId op)
    {
        const graph::Op& row = m_program.op(op);
        const auto isOwn = [&](TensorId tensor) {
            return m_program.storageOf(tensor).alloc == static_cast<OpIndex>(op.index());
        };
        const auto isBuffer = [&](TensorId tensor) {
            return m_program.storageOf(tensor).storageClass == graph::StorageClass::Buffer;
        };
        if (row.outputs.empty() || !std::ranges::all_of(row.outputs, isOwn)
            || !std::ranges::all_of(row.writes, isBuffer)) {
            m_faults.add(region, "it saves {}, not all of whose results are new", op);
            return;
        }
        if (const std::optional<OpId> writer = overwriter(row.outputs))
            m_faults.add(region, "it saves {}, whose result {} overwrites", op, *writer);
    }

    [[nodiscard]] std::optional<OpId> overwriter(const std::vector<TensorId>& results) const
    {
        const auto isResult = [&](TensorId written) {
            return std::ranges::any_of(results, [&](TensorId result) {
                return m_program.tensor(result).storage == m_program.tensor(written).storage;
            });
        };
        const std::size_t forward = m_program.forwardCount();
        for (std::size_t i = 0; i < forward; ++i)
            if (std::ranges::any_of(m_program.ops[i].writes, isResult))
                return OpId{i};
        return std::nullopt;
    }

    // A fetched op draws no random numbers, so later ones would draw different numbers.
    void checkRandom(const Region& region)
    {
        std::optional<OpId> fetched;
        for (OpIndex at = region.first; at <= region.last; ++at) {
            const OpId op{static_cast<std::size_t>(at)};
            if (!m_program.op(op).isRandom)
                continue;
            const bool isSaved = std::ranges::find(region.save, op) != region.save.end();
            if (isSaved && !fetched)
                fetched = op;
            if (!isSaved && fetched) {
                m_faults.add(region,
                             "it saves {}, which draws random numbers, but not {}, which draws "
                             "after it and would draw different numbers",
                             *fetched, op);
                return;
            }
        }
    }

    const graph::Program& m_program;
    FaultList m_faults;
};

} // namespace

void checkSaves(const graph::Program& program, const CheckpointRegions& plan,
                std::vector<Fault>& faults)
{
    SaveChecker{program, faults}.check(plan.regions);
}

} // namespace plimsoll::plan::verifying
