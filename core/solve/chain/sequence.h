// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/solve/common/chain.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::solve {

enum class ChainOpKind : std::uint8_t {
    Check,    ///< CF: forward, keeps only its input
    NoGrad,   ///< Fn: forward, keeps nothing, its input is released
    Enable,   ///< Fe: forward, keeps the saved set
    Loss,     ///< L
    Backward, ///< B
};

struct ChainOp
{
    ChainOpKind kind = ChainOpKind::Loss;
    std::int32_t stage = 0; ///< the chain's stage; meaningless for Loss

    bool operator==(const ChainOp&) const = default;
};

using Sequence = std::vector<ChainOp>;

/// "CF_0 Fn_1 Fe_2 L B_2 Fe_0 Fe_1 B_1 B_0".
[[nodiscard]] std::string sequenceText(const Sequence& sequence);
[[nodiscard]] base::Result<Sequence> parseSequence(std::string_view text);

/// Every forward saves: nothing is run twice.
[[nodiscard]] Sequence keepEverything(std::size_t stages);

struct Simulation
{
    std::int64_t peak = 0;  ///< in the chain's size unit, the model input included
    std::size_t peakOp = 0; ///< position in the sequence where it is first reached
    double makespan = 0;
};

/// Runs the sequence on real sizes, knowing nothing of the table that made it. CheckFailed when an
/// operation lacks what it needs or a stage's backward is left out.
[[nodiscard]] base::Result<Simulation> simulate(const Chain& chain, const Sequence& sequence);

} // namespace plimsoll::solve
