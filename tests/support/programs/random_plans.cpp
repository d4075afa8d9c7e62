// SPDX-License-Identifier: Apache-2.0
#include "core/verify/legality/legality.h"

#include "tests/support/programs/programs.h"
#include "tests/support/random.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace plimsoll::tests {

namespace {

constexpr int kMaxDepth = 3;

class Planner
{
public:
    Planner(const graph::Program& program, std::uint64_t seed)
        : m_program{program}, m_random{seed}, m_children(program.calls.size())
    {
        for (std::size_t i = 0; i < program.calls.size(); ++i) {
            const graph::Call& call = program.calls[i];
            if (call.isEmpty())
                continue;
            if (call.parent)
                m_children[call.parent->index()].push_back(i);
            else
                m_roots.push_back(i);
        }
    }

    [[nodiscard]] plan::Plan run()
    {
        m_density = m_random.between(20, 90);
        plan::Plan result;
        result.planner = "random";
        result.asRegions().regions = among(m_roots, nullptr, 1);
        return result;
    }

private:
    /// Regions of these siblings and of what they call, side by side.
    [[nodiscard]] std::vector<plan::Region> among(const std::vector<std::size_t>& siblings,
                                                  const plan::Region* parent, int depth)
    {
        std::vector<plan::Region> regions;
        for (std::size_t i = 0; i < siblings.size();) {
            std::optional<plan::Region> region;
            if (m_random.percent(m_density))
                region = from(siblings, i, parent);
            if (!region) {
                std::vector<plan::Region> inner = among(m_children[siblings[i]], parent, depth);
                std::ranges::move(inner, std::back_inserter(regions));
                ++i;
                continue;
            }
            i += region->members.size();
            nest(*region, depth);
            regions.push_back(std::move(*region));
        }
        return regions;
    }

    /// The longest legal run of siblings of at most a random length.
    [[nodiscard]] std::optional<plan::Region> from(const std::vector<std::size_t>& siblings,
                                                   std::size_t begin, const plan::Region* parent)
    {
        const std::size_t left = std::min<std::size_t>(siblings.size() - begin, 4);
        for (std::size_t length = 1 + m_random.below(left); length > 0; --length) {
            const auto first = siblings.begin() + static_cast<std::ptrdiff_t>(begin);
            const std::vector<std::size_t> calls{first,
                                                 first + static_cast<std::ptrdiff_t>(length)};
            plan::Region region = regionOf(m_program, calls);
            const bool same =
                parent != nullptr && region.first == parent->first && region.last == parent->last;
            if (!same && plan::verifying::regionFaults(m_program, {.regions = {region}}).empty())
                return region;
        }
        return std::nullopt;
    }

    void nest(plan::Region& region, int depth)
    {
        if (depth >= kMaxDepth || m_random.percent(30))
            return;
        std::vector<std::size_t> members;
        for (const graph::CallId member : region.members)
            members.push_back(member.index());
        region.nested = among(members, &region, depth + 1);
    }

    const graph::Program& m_program;
    Random m_random;
    std::vector<std::vector<std::size_t>> m_children; ///< calls that run ops
    std::vector<std::size_t> m_roots;
    int m_density = 50;
};

/// Regions between ops: any interval may be one.
class OpPlanner
{
public:
    OpPlanner(const graph::Program& program, std::uint64_t seed)
        : m_program{program}, m_random{seed}
    {
    }

    [[nodiscard]] plan::Plan run()
    {
        plan::Plan result;
        result.planner = "random";
        result.asRegions().granularity = plan::Granularity::Op;
        for (const graph::Call& call : m_program.calls)
            if (!call.parent && !call.isEmpty())
                result.asRegions().regions = within(call.first, call.last, 1);
        return result;
    }

private:
    [[nodiscard]] std::vector<plan::Region> within(graph::OpIndex first, graph::OpIndex last,
                                                   int depth)
    {
        std::vector<plan::Region> regions;
        const bool isNested = depth > 1;
        for (graph::OpIndex at = first; at <= last;) {
            plan::Region region;
            region.first = at + m_random.between(0, 3);
            region.last = region.first + m_random.between(0, m_random.percent(30) ? 25 : 8);
            region.last = std::min(region.last, last);
            const bool isWhole = isNested && region.first == first && region.last == last;
            if (region.first > region.last || isWhole || m_random.percent(15) || !isLegal(region)) {
                ++at;
                continue;
            }
            region.label = static_cast<int>(regions.size());
            if (depth < kMaxDepth && m_random.percent(60))
                region.nested = within(region.first, region.last, depth + 1);
            at = region.last + 1;
            regions.push_back(std::move(region));
        }
        return regions;
    }

    [[nodiscard]] bool isLegal(const plan::Region& region) const
    {
        return plan::verifying::regionFaults(m_program, {plan::Granularity::Op, {region}}).empty();
    }

    const graph::Program& m_program;
    Random m_random;
};

/// Adds ops to save lists as long as the plan stays legal.
class Saver
{
public:
    Saver(const graph::Program& program, plan::Plan plan, std::uint64_t seed)
        : m_program{program}, m_plan{std::move(plan)}, m_random{seed}
    {
    }

    [[nodiscard]] plan::Plan run()
    {
        m_density = m_random.between(10, 90);
        addTo(m_plan.asRegions().regions);
        return std::move(m_plan);
    }

private:
    void addTo(std::vector<plan::Region>& regions)
    {
        for (plan::Region& region : regions) {
            for (graph::OpIndex op = region.first; op <= region.last; ++op) {
                if (!m_random.percent(m_density))
                    continue;
                region.save.emplace_back(static_cast<std::size_t>(op));
                if (!plan::verifying::regionFaults(m_program, m_plan.asRegions()).empty())
                    region.save.pop_back();
            }
            addTo(region.nested);
        }
    }

    const graph::Program& m_program;
    plan::Plan m_plan;
    Random m_random;
    int m_density = 50;
};

} // namespace

plan::Plan withRandomSaves(const graph::Program& program, plan::Plan plan, std::uint64_t seed)
{
    return Saver{program, std::move(plan), seed}.run();
}

plan::Plan randomOpPlan(const graph::Program& program, std::uint64_t seed)
{
    plan::Plan plan = OpPlanner{program, seed}.run();
    plan.asRegions().freezeStats = seed % 3 == 0;
    return plan;
}

plan::Plan randomLegalPlan(const graph::Program& program, std::uint64_t seed)
{
    plan::Plan plan = Planner{program, seed}.run();
    plan.asRegions().freezeStats = seed % 3 == 0;
    return plan;
}

} // namespace plimsoll::tests
