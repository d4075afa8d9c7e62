// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/compare/measurement.h"
#include "core/evaluate/evaluate.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::compare {

enum class Unit : std::uint8_t { Bytes, Nanoseconds };

/// A number that was predicted, measured, or both.
struct Row
{
    std::string name; ///< "allocator_peak": a key
    Unit unit = Unit::Bytes;
    std::optional<std::int64_t> predicted;
    std::optional<std::int64_t> measured;

    /// Measured minus predicted, if both are known.
    [[nodiscard]] std::optional<std::int64_t> difference() const;
};

/// A step of the schedule at which measured and predicted bytes differ.
struct Gap
{
    std::size_t step = 0;
    base::Bytes predicted;
    base::Bytes measured;
};

/// A measured run compared with its prediction.
struct Comparison
{
    std::vector<Row> rows;
    bool opsKnown = false; ///< the measurement holds ops
    /// Empty when the predicted ops ran, in that order; else a sentence with the first difference.
    std::string otherOps;
    /// Bytes that the allocator held (or live storages, where that is not known) while each step
    /// ran; empty unless the predicted ops ran. No value for a step without a profile.
    std::vector<std::optional<base::Bytes>> curve;
    std::vector<Gap> gaps; ///< largest first, at most as many as asked for
};

/// Sizes as the allocator that was measured rounds them.
[[nodiscard]] graph::Rounding roundingOf(Backend backend);

/// Empty if the run executed the ops of the schedule in order; otherwise a sentence with the first
/// difference. The run's ops must be known.
[[nodiscard]] std::string otherOps(const MeasuredRun& run, const graph::Program& program,
                                   const plan::Schedule& schedule);

/// Whether the run can belong to the predicted step: empty, or a sentence about what differs in
/// model, batch or plan. Sizes may differ by 1 %, as allocators round them.
[[nodiscard]] std::string foreignSentence(const MeasuredRun& run, const Comparison& comparison);

/// `evaluation` is that of `problem` with the plan the run was measured under, in that rounding and
/// without a reserve.
[[nodiscard]] Comparison compareRun(const MeasuredRun& run, const plan::Problem& problem,
                                    const plan::Evaluation& evaluation, std::size_t gaps);

} // namespace plimsoll::compare
