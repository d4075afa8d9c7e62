// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/waterfall/class_bytes.h"
#include "core/waterfall/row.h"
#include "core/waterfall/step_match.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::waterfall {

/// What is compared with what is predicted.
struct Measured
{
    memtrace::MemoryTracePtr trace;
    std::size_t device = 0; ///< in MemoryTrace::devices()
};

/// How the measured peak of a step comes about from the predicted one. Immutable.
///
/// predictedPeak + the rows up to NotExplained = measuredPeak, of requested bytes; + Rounding =
/// allocatedPeak; + Fragmentation = reservedPeak; + Foreign = driverPeak. Rows are there for each
/// of the levels that the recording knows, also those of 0 bytes.
struct Waterfall
{
    compare::PredictedStep predicted; ///< rounded as recorded sizes are, without a reserve
    StepWindow window;
    StepMatch match;
    base::Bytes predictedPeak;
    base::Bytes measuredPeak;                 ///< requested bytes, of the step
    memtrace::EventIndex peakEvent = 0;       ///< that first reaches it
    std::size_t place = 0;                    ///< the predicted step that runs there
    std::optional<base::Bytes> allocatedPeak; ///< torch.cuda.max_memory_allocated(), of the step
    bool isAllocatedEstimated = false; ///< blocks counted as rounded up to 512 B; a note says why
    std::optional<base::Bytes> reservedPeak; ///< torch.cuda.max_memory_reserved(), of the step
    /// Reserved bytes and those that others in the process hold, of the step.
    std::optional<base::Bytes> driverPeak;
    std::vector<WaterfallRow> rows;
    std::vector<ClassBytes> classes; ///< at the two peaks
    std::array<PhaseBytes, graph::kPhaseCount> phases;
    std::vector<std::string> notes; ///< sentences: what weakens the figures

    [[nodiscard]] const WaterfallRow& row(Reason reason) const;
    [[nodiscard]] bool has(Reason reason) const;
    [[nodiscard]] base::Bytes notExplained() const { return row(Reason::NotExplained).bytes; }
};

using WaterfallPtr = std::shared_ptr<const Waterfall>;

/// Compares the last whole step of a recording with the step that a plan predicts. An error of kind
/// File if the recording isn't one of that step: fewer than half of the predicted allocations, or
/// of the bytes that forward allocates, are found in it, in order and by size.
[[nodiscard]] base::Result<WaterfallPtr> buildWaterfall(const plan::Problem& problem,
                                                        const plan::Plan& plan,
                                                        const Measured& measured,
                                                        const base::JobContext& job = {});

} // namespace plimsoll::waterfall
