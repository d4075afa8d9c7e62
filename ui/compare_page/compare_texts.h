// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/comparison/compared_profile.h"

#include <QString>
#include <QStringList>

namespace plimsoll::ui {

/// "B's peak is 1.20 GiB higher, in the same phase (backward). Most of it: Activations, +1.00 GiB."
[[nodiscard]] QString comparisonVerdict(const workspace::ComparisonPicture& picture);
/// "Only A: 12.0 MiB in 3 blocks. In both: … Only B: …"
[[nodiscard]] QString sharesText(const memtrace::TraceDiff& diff);
/// How the axis is shared, and how long each recording is.
[[nodiscard]] QStringList alignmentFacts(const workspace::ComparisonPicture& picture);
/// "backward": the phase at a step of the common axis; empty if it isn't known.
[[nodiscard]] QString axisPhaseText(const memtrace::Comparison& comparison, std::size_t axisStep);
/// Of a recording's own time: "12.5 ms", "event 17".
[[nodiscard]] QString sidePositionText(const memtrace::Comparison& comparison, std::size_t side,
                                       std::size_t axisStep);
/// "backward · 12.4 ms", "event 1,204".
[[nodiscard]] QString axisPositionText(const memtrace::Comparison& comparison,
                                       std::size_t axisStep);
/// What a profile holds at a step of the common axis; unknown where its recording is over.
[[nodiscard]] QString liveText(const memtrace::Comparison& comparison, std::size_t side,
                               std::size_t axisStep);
/// The same of B minus A.
[[nodiscard]] QString differenceText(const memtrace::Comparison& comparison, std::size_t axisStep);
/// "GPU 0 · peak 7.16 GiB · in backward".
[[nodiscard]] QString peakText(const workspace::ComparisonPicture& picture, std::size_t side);

} // namespace plimsoll::ui
