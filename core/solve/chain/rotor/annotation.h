// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/chain/rotor/sequence.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::solve {

/// One stage's label per nesting level; empty: the stage is in no region. nullopt at levels at
/// which it is in no nested region.
using StageLabel = std::vector<std::optional<int>>;
using Labels = std::vector<StageLabel>;

/// A run of stages that is checkpointed together, and the regions nested in its recomputation.
struct Region
{
    int label = 0;
    int first = 0; ///< stage, inclusive
    int last = 0;  ///< stage, inclusive
    std::vector<Region> nested;

    bool operator==(const Region&) const = default;
};

/// Labels of `stages` stages: the k-th execution of a stage that saves nothing gives its label of
/// depth k. All stages of one outermost region have equally many labels.
[[nodiscard]] Labels annotate(const Sequence& sequence, std::size_t stages);

/// The regions that labels describe, nested ones inside their parents.
[[nodiscard]] std::vector<Region> regionTree(const Labels& labels);

} // namespace plimsoll::solve
