// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::graph {

/// A module's short name, and where it stands in the repeated blocks of its model. Its block is the
/// innermost numbered module around it, or itself, that has siblings of its class (`h.3` of
/// `transformer.h.3.mlp.c_proj`).
struct ModulePlace
{
    std::string name;         ///< the path without the prefix that the blocks share: "h.3.mlp"
    std::size_t blockEnd = 0; ///< length of the block's part of `name`: "h.3"; 0: in no block
    std::int32_t family = -1; ///< equal for blocks that are siblings; -1: in no block
    std::int64_t number = 0;  ///< of the block: 3
    std::int32_t kind = 0;    ///< equal for modules at the same place of blocks of one family

    [[nodiscard]] bool isInBlock() const { return family >= 0; }
    /// "h.3"; empty outside of blocks.
    [[nodiscard]] std::string_view block() const
    {
        return std::string_view{name}.substr(0, blockEnd);
    }
    /// "mlp.c_proj"; empty for the block itself, outside of blocks the whole name.
    [[nodiscard]] std::string_view inBlock() const;
};

/// By module. In a model without blocks that consist of other modules, numbered layers of one class
/// count as blocks.
[[nodiscard]] std::vector<ModulePlace> modulePlaces(const Program& program);

/// "h.0–h.4, h.7" for such blocks of a family; `block` is one of them. With many gaps "h.0, 2,
/// 4–6".
[[nodiscard]] std::string blockRanges(std::string_view block,
                                      const std::set<std::int64_t>& numbers);

} // namespace plimsoll::graph
