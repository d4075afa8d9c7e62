// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/bounds/remat_problem.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::solve {

/// A graph in the format of the literature: each node is an op that computes one value.
struct RematFile
{
    RematProblem problem;             ///< ops in the file's order
    std::vector<std::uint32_t> nodes; ///< by op: index of its node in the file
    std::vector<std::string> names;   ///< by node; empty: the file has no names
};

/// Reads `{"nodes":[{"name","time","size"}],"edges":[[u,v]],"order":[…]}` or the columns
/// `{"time":[…],"size":[…],"edges":[…],"order":[…]}`; the default order is that of the nodes.
/// Errors of kind File, one sentence, if it isn't such a graph, has a cycle, or an order that
/// contradicts its edges.
[[nodiscard]] base::Result<RematFile> readRemat(std::string_view text);

/// Whether a file with this beginning is meant as such a graph.
[[nodiscard]] bool looksLikeRemat(std::string_view head);

} // namespace plimsoll::solve
