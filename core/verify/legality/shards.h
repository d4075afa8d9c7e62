// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::plan::verifying {

/// A gradient, as DDP's hook finds it.
struct Hooked
{
    std::size_t parameter = 0;
    graph::StorageId storage;
    std::int64_t bytes = 0;
    std::uint32_t dtype = 0;
    graph::OpIndex at = graph::kBeforeStep; ///< the op after which the hook runs
    std::size_t place = 0;                  ///< among what it returns, else reads, else writes
};

/// Gradients to reduce, in the order in which their hooks run.
[[nodiscard]] std::vector<Hooked> hooksOf(const graph::Program& recorded);

/// Rows of parameters that the first rank holds: they are split along the first dimension, the same
/// number for each rank except that the last ones may have fewer.
class Rows
{
public:
    Rows(const graph::Program& recorded, std::int64_t world);
    /// Bytes of the rank's rows of something as large as the parameter; all bytes if it doesn't
    /// consist of the parameter's elements.
    [[nodiscard]] std::int64_t of(std::size_t parameter, std::int64_t bytes) const;
    /// Of the parameter itself.
    [[nodiscard]] std::int64_t ofAll(std::size_t parameter) const;

private:
    const graph::Program& m_recorded;
    std::int64_t m_world;
    std::map<graph::StorageId, const graph::Tensor*> m_tensors; ///< the first of each storage
};

/// What fully_shard() gathers and reduces together.
struct Group
{
    std::string path;
    bool isRest = false;                 ///< parameters of no other group
    std::vector<std::size_t> parameters; ///< one for each storage
    std::vector<Hooked> hooks;
    std::int64_t gathered = 0;                                    ///< bytes, padded
    std::int64_t reduced = 0;                                     ///< bytes, padded
    std::vector<std::pair<graph::OpIndex, graph::OpIndex>> calls; ///< first and last op
    graph::OpIndex begin = -1; ///< first op of its backward; -1: it has none
    graph::OpIndex end = -1;   ///< last op of it
};

/// Repeated blocks of the model, and the rest; none without parameters (UNITS in PARALLEL.md).
[[nodiscard]] std::vector<Group> groupsOf(const graph::Program& recorded, std::int64_t world);

} // namespace plimsoll::plan::verifying
