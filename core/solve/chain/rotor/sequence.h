// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/solve/regions/chain.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace plimsoll::solve {

enum class ChainOpKind : std::uint8_t {
    Check,     ///< CF: forward, keeps only its input
    NoGrad,    ///< Fn: forward, keeps nothing, its input is released
    Enable,    ///< Fe: forward, keeps the saved set
    Loss,      ///< L
    Backward,  ///< B
    DropValue, ///< drop_i: drops the kept value that enters stage i
    DropSaved, ///< dropbar_i: drops the saved set whose output enters stage i
};

struct ChainOp
{
    ChainOpKind kind = ChainOpKind::Loss;
    std::int32_t stage = 0;   ///< the chain's stage; meaningless for Loss, 1..L for drops
    std::int32_t variant = 0; ///< of Enable: Chain::variant()

    bool operator==(const ChainOp&) const = default;
};

[[nodiscard]] inline ChainOp chainOp(ChainOpKind kind, std::size_t stage, std::size_t variant = 0)
{
    return {kind, static_cast<std::int32_t>(stage), static_cast<std::int32_t>(variant)};
}

using Sequence = std::vector<ChainOp>;

/// "CF_0 Fn_1 Fe_2@1 L B_2 Fe_0 Fe_1 B_1 B_0": "@1" is a variant other than 0.
[[nodiscard]] std::string sequenceText(const Sequence& sequence);

/// Whether something is dropped before its backward, which regions can't express.
[[nodiscard]] bool dropsAnything(const Sequence& sequence);

/// Every forward saves, each stage in its fastest variant: nothing is recomputed.
[[nodiscard]] Sequence keepEverything(const Chain& chain);

struct Simulation
{
    std::int64_t peak = 0;  ///< in the chain's size unit, the model input included
    std::size_t peakOp = 0; ///< position in the sequence where it is first reached
    double makespan = 0;
    std::vector<std::int64_t> peaks; ///< while each operation runs; for drops: after them
};

/// Memory between two operations, without the gradient.
struct ChainMemory
{
    std::vector<bool> values; ///< by the stage that they enter: kept unchanged
    std::vector<bool> saved;  ///< saved sets, by the stage that their output enters
};

/// Simulates the sequence with real sizes, independently of the table that made it. CheckFailed if
/// an operation lacks its input or a stage's backward is missing. `before` is called with each
/// operation and the memory before it.
[[nodiscard]] base::Result<Simulation>
simulate(const Chain& chain, const Sequence& sequence,
         const std::function<void(ChainOp, const ChainMemory&)>& before = {});

} // namespace plimsoll::solve
