// SPDX-License-Identifier: Apache-2.0
#include "core/plan/verify_regions.h"

#include "tests/support/programs.h"
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
        result.regions = among(m_roots, nullptr, 1);
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
            plan::Plan alone;
            alone.regions = {region};
            if (!same && plan::verifying::regionFaults(m_program, alone).empty())
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

} // namespace

plan::Plan randomLegalPlan(const graph::Program& program, std::uint64_t seed)
{
    return Planner{program, seed}.run();
}

} // namespace plimsoll::tests
