// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/step_plans.h"

#include <algorithm>
#include <map>
#include <set>

namespace plimsoll::solve {

namespace {

using graph::kNever;
using graph::OpId;
using graph::OpIndex;
using graph::StorageId;

constexpr std::int32_t kNobody = -1;

/// A region and what is known of its row so far.
struct Place
{
    const plan::Region* region = nullptr;
    std::int32_t parent = kNobody;
    OpIndex trigger = kNever;   ///< backward op before which its values come back
    std::set<StorageId> wanted; ///< of its values: those that backward or a nested region reads
};

bool isKept(const plan::Region& region, OpIndex op)
{
    return std::ranges::binary_search(region.save, OpId{static_cast<std::size_t>(op)});
}

/// Finds the rows of one set of regions. A value belongs to the innermost region around all its
/// uses in forward and loss; only there it is dropped.
class RowFinder
{
public:
    RowFinder(const graph::Program& program, const RecomputeClosure& closure,
              const std::vector<plan::Region>& regions)
        : m_program{program}
        , m_closure{closure}
        , m_forward{static_cast<OpIndex>(program.forwardCount())}
        , m_owner(program.storages.size(), kNobody)
    {
        for (const plan::FlatRegion& flat : plan::flatten(regions))
            m_places.push_back({flat.region, flat.parent, kNever, {}});
    }

    [[nodiscard]] std::optional<std::vector<plan::RecomputeStep>> run() &&
    {
        findOwners();
        for (std::size_t place = m_places.size(); place-- > 0;) // nested ones come later
            if (const std::int32_t parent = m_places[place].parent; parent != kNobody) {
                OpIndex& trigger = m_places[static_cast<std::size_t>(parent)].trigger;
                trigger = std::min(trigger, m_places[place].trigger);
            }
        for (std::size_t place = m_places.size(); place-- > 0;)
            if (m_places[place].trigger != kNever && !addRow(static_cast<std::int32_t>(place)))
                return std::nullopt;
        std::vector<plan::RecomputeStep> rows;
        for (const auto& [before, ops] : m_rows)
            if (!ops.empty())
                rows.push_back({before, {ops.begin(), ops.end()}});
        return rows;
    }

private:
    void findOwners()
    {
        std::vector<std::int32_t> innermost(static_cast<std::size_t>(m_forward), kNobody);
        for (std::size_t place = 0; place < m_places.size(); ++place)
            for (OpIndex op = m_places[place].region->first; op <= m_places[place].region->last;
                 ++op)
                innermost[static_cast<std::size_t>(op)] = static_cast<std::int32_t>(place);
        for (std::size_t index = 0; index < m_owner.size(); ++index) {
            const StorageId storage{index};
            const OpIndex alloc = m_program.storages[index].alloc;
            if (alloc < 0 || alloc >= m_forward)
                continue;
            std::int32_t owner = innermost[static_cast<std::size_t>(alloc)];
            if (owner != kNobody
                && isKept(*m_places[static_cast<std::size_t>(owner)].region, alloc))
                continue;
            OpIndex first = kNever; // use in backward
            for (const OpIndex use : m_closure.usesOf(storage)) {
                if (use >= m_forward) {
                    first = use;
                    break;
                }
                while (owner != kNobody
                       && use > m_places[static_cast<std::size_t>(owner)].region->last)
                    owner = m_places[static_cast<std::size_t>(owner)].parent;
            }
            m_owner[index] = owner;
            if (owner == kNobody || first == kNever
                || first >= static_cast<OpIndex>(m_program.countBeforeOptimizer()))
                continue;
            Place& place = m_places[static_cast<std::size_t>(owner)];
            place.wanted.insert(storage);
            place.trigger = std::min(place.trigger, first);
        }
    }

    /// Adds the row of a region. Values that it reads from enclosing regions must be in memory by
    /// then, so those regions want them.
    [[nodiscard]] bool addRow(std::int32_t place)
    {
        const Place& here = m_places[static_cast<std::size_t>(place)];
        std::vector<bool> isGone(m_owner.size(), false);
        for (std::size_t index = 0; index < m_owner.size(); ++index)
            isGone[index] = m_owner[index] != kNobody && isWithin(m_owner[index], place);
        const auto ops =
            m_closure.before(here.trigger, {here.wanted.begin(), here.wanted.end()}, isGone);
        if (!ops)
            return false;
        m_rows[here.trigger].insert(ops->begin(), ops->end());
        for (const OpId op : *ops)
            for (const StorageId storage : m_closure.touchedBy(op))
                if (const std::int32_t owner = m_owner[storage.index()];
                    owner != kNobody && !isGone[storage.index()])
                    m_places[static_cast<std::size_t>(owner)].wanted.insert(storage);
        return true;
    }

    [[nodiscard]] bool isWithin(std::int32_t inner, std::int32_t outer) const
    {
        while (inner > outer)
            inner = m_places[static_cast<std::size_t>(inner)].parent;
        return inner == outer;
    }

    const graph::Program& m_program;
    const RecomputeClosure& m_closure;
    OpIndex m_forward;                 ///< first op of backward
    std::vector<std::int32_t> m_owner; ///< by storage: index in m_places
    std::vector<Place> m_places;       ///< parents first
    std::map<OpIndex, std::set<OpId>> m_rows;
};

} // namespace

std::optional<std::vector<plan::RecomputeStep>> stepRowsOf(const std::vector<plan::Region>& regions,
                                                           const graph::Program& program,
                                                           const RecomputeClosure& closure)
{
    return RowFinder{program, closure, regions}.run();
}

} // namespace plimsoll::solve
