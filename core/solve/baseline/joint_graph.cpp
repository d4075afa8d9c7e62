// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/joint_graph.h"

#include <algorithm>
#include <set>

namespace plimsoll::solve {

void connect(JointGraph& graph)
{
    for (std::size_t index = 0; index < graph.nodes.size(); ++index)
        for (const std::size_t input : graph.nodes[index].inputs) {
            std::vector<std::size_t>& users = graph.nodes[input].users;
            if (users.empty() || users.back() != index)
                users.push_back(index);
        }
    for (std::size_t index = graph.nodes.size(); index-- > 0;) {
        JointNode& node = graph.nodes[index];
        node.distance = node.isForward ? kFar : 0;
        if (node.isForward)
            for (const std::size_t user : node.users)
                node.distance = std::min(node.distance, graph.nodes[user].distance + 1);
    }
}

} // namespace plimsoll::solve
