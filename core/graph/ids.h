// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

#include <cstddef>
#include <cstdint>

namespace plimsoll::graph {

struct OpTag;
struct TensorTag;
struct StorageTag;
struct ModuleTag;
struct CallTag;
struct StructureTag;

using OpId = base::Id<OpTag>;
using TensorId = base::Id<TensorTag>;
using StorageId = base::Id<StorageTag>;
using ModuleId = base::Id<ModuleTag>;
using CallId = base::Id<CallTag>;
using StructureId = base::Id<StructureTag>;

enum class Phase : std::uint8_t { Forward, Loss, Backward, Optimizer };
inline constexpr std::size_t kPhaseCount = 4;

/// What a storage is for; the numbers are those of the file format.
enum class StorageClass : std::uint8_t {
    Parameter,
    Buffer,
    Gradient,
    OptimizerState,
    Input,
    Constant,
    Activation,
    Temporary,
    Output,
    Scratch, ///< what a kernel takes for itself while its op runs, measured
};
inline constexpr std::size_t kStorageClassCount = 10;

/// "parameter", "optimizer_state", …: the names of the file format and of the command line's JSON.
[[nodiscard]] const char* className(StorageClass storageClass);
/// "forward", "loss", "backward", "optimizer".
[[nodiscard]] const char* phaseName(Phase phase);

/// A point in the recorded op sequence: kBeforeStep, or the ordinal of an op. See
/// core/readers/plimsoll_graph/FORMAT.md.
using OpIndex = std::int32_t;
inline constexpr OpIndex kBeforeStep = -1;
/// Of a free: still alive when the step ends.
inline constexpr OpIndex kNever = INT32_MAX;
/// The op at that point, which must lie within the step.
[[nodiscard]] constexpr OpId opAt(OpIndex opIndex)
{
    return OpId{static_cast<std::size_t>(opIndex)};
}

} // namespace plimsoll::graph
