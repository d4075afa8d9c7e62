// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <cstdint>
#include <vector>

namespace plimsoll::plan {

/// What a process has of parameters that fully_shard() splits along their first dimension, padded
/// to as many rows for all. Numbers are those of the first process, which has no padding of its
/// own.
class ShardSizes
{
public:
    ShardSizes(const graph::Program& recorded, std::int64_t world);

    /// Index into Program::parameters.
    [[nodiscard]] base::Bytes shard(std::size_t parameter) const;
    /// All of the parameter and its padding.
    [[nodiscard]] base::Bytes padded(std::size_t parameter) const
    {
        return base::Bytes{shard(parameter).count() * m_world};
    }
    /// Of something made for the parameter, element by element; what isn't is whole.
    [[nodiscard]] base::Bytes part(std::size_t parameter, base::Bytes bytes) const;

private:
    const graph::Program& m_program;
    std::int64_t m_world;
    std::vector<std::int64_t> m_rows;     ///< by parameter: length of its first dimension
    std::vector<std::int64_t> m_elements; ///< by parameter
};

} // namespace plimsoll::plan
