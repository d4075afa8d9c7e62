// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/recompute_bans.h"

#include <algorithm>
#include <set>
#include <utility>

namespace plimsoll::solve {

namespace {

class Bans
{
public:
    Bans(const JointGraph& graph, const BanRules& rules, const std::vector<bool>& allowed)
        : m_nodes{graph.nodes}
        , m_rules{rules}
        , m_allowed{allowed}
        , m_isBanned(graph.nodes.size(), false)
    {
    }

    std::vector<std::size_t> find() &&
    {
        for (std::size_t node = 0; node < m_nodes.size(); ++node)
            if (!m_nodes[node].isMadeGradient && isBannedByItself(m_nodes[node]))
                ban(node);
        if (m_rules.usedFarApart)
            banUsedFarApart();
        if (m_rules.longChains)
            banLongChains();
        return std::move(m_banned);
    }

private:
    void ban(std::size_t node)
    {
        if (m_nodes[node].traits.isView || m_allowed[node] || m_isBanned[node])
            return;
        m_isBanned[node] = true;
        m_banned.push_back(node);
    }

    [[nodiscard]] bool isBannedByItself(const JointNode& node) const
    {
        if (node.isInput)
            return true;
        if (!node.isForward || node.traits.isElement)
            return false;
        if (m_rules.notListed ? !node.traits.isRecomputable
                              : node.traits.isRandom || node.traits.isCompute)
            return true;
        return (m_rules.materialized && isMaterializedByBackward(node)) || isReduction(node);
    }

    /// Whether backward, or a forward view of the node, passes it to a kernel that isn't fused.
    [[nodiscard]] bool isMaterializedByBackward(const JointNode& node) const
    {
        if (node.traits.isView)
            return false;
        std::vector<const JointNode*> open{&node};
        std::set<const JointNode*> seen{&node};
        while (!open.empty()) {
            const JointNode& value = *open.back();
            open.pop_back();
            for (const std::size_t index : value.users) {
                const JointNode& user = m_nodes[index];
                if (!user.isForward && !areFused(value, user))
                    return true;
                if (user.traits.isView && seen.insert(&user).second)
                    open.push_back(&user);
            }
        }
        return false;
    }

    /// Whether the result is four times smaller than the inputs, so that keeping it is almost free.
    [[nodiscard]] bool isReduction(const JointNode& node) const
    {
        constexpr std::int64_t kMuchSmaller = 4;
        std::int64_t read = 0;
        if (!node.traits.isCat) // cat reads a list
            for (const std::size_t input : node.inputs)
                read += m_nodes[input].bytes;
        return node.bytes * kMuchSmaller < read;
    }

    /// The first node after those, up to `last`, that isn't fused with the node that it reads;
    /// `last` if there is none.
    [[nodiscard]] std::size_t firstUnfused(const std::vector<std::size_t>& from,
                                           std::size_t last) const
    {
        std::set<std::pair<std::size_t, bool>> open; // node, is fused
        for (const std::size_t node : from)
            open.emplace(node, true);
        while (!open.empty()) {
            const auto [index, isFused] = *open.begin();
            open.erase(open.begin());
            if (!isFused)
                return index;
            for (const std::size_t user : m_nodes[index].users)
                if (m_nodes[user].isForward && user <= last)
                    open.emplace(user, areFused(m_nodes[index], m_nodes[user]));
        }
        return last;
    }

    /// Bans users of a value that come after an unfused op: they can't share a kernel with others.
    void banUsedFarApart()
    {
        for (const JointNode& node : m_nodes) {
            if (!node.isForward)
                continue;
            const std::vector<std::size_t> users = forwardUsers(node);
            if (users.empty())
                continue;
            const std::size_t first = firstUnfused(users, users.back());
            for (const std::size_t user : users)
                if (user > first && areFused(node, m_nodes[user]))
                    ban(user);
        }
    }

    /// Prevents recomputations from the model's beginning to its end, as along residual sums.
    void banLongChains()
    {
        constexpr std::size_t kLong = 100; // nodes of forward
        std::vector<std::size_t> order(m_nodes.size(), 0);
        for (std::size_t node = 0, next = 0; node < m_nodes.size(); ++node)
            if (m_nodes[node].isForward)
                order[node] = next++;
        std::vector<bool> isVisited(m_nodes.size(), false);
        for (std::size_t start = 0; start < m_nodes.size(); ++start) {
            if (!m_nodes[start].isForward)
                continue;
            std::multiset<std::size_t> open{start};
            while (!open.empty()) {
                const std::size_t index = *open.begin();
                open.erase(open.begin());
                if (isVisited[index])
                    continue;
                isVisited[index] = true;
                if (order[index] > order[start] + kLong && open.empty()) {
                    ban(index);
                    break;
                }
                for (const std::size_t user : forwardUsers(m_nodes[index]))
                    if (areFused(m_nodes[index], m_nodes[user]) && !m_isBanned[user])
                        open.insert(user);
            }
        }
    }

    [[nodiscard]] std::vector<std::size_t> forwardUsers(const JointNode& node) const
    {
        std::vector<std::size_t> users;
        std::ranges::copy_if(node.users, std::back_inserter(users),
                             [&](std::size_t user) { return m_nodes[user].isForward; });
        return users;
    }

    const std::vector<JointNode>& m_nodes;
    const BanRules& m_rules;
    const std::vector<bool>& m_allowed;
    std::vector<bool> m_isBanned;
    std::vector<std::size_t> m_banned;
};

} // namespace

bool areFused(const JointNode& from, const JointNode& to)
{
    return to.traits.isCat || (from.traits.isFusible() && to.traits.isFusible());
}

std::vector<std::size_t> bannedNodes(const JointGraph& graph, const BanRules& rules,
                                     const std::vector<bool>& allowed)
{
    return Bans{graph, rules, allowed}.find();
}

} // namespace plimsoll::solve
