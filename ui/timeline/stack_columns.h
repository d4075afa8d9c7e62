// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/timeline/coordinates.h"

#include <QPolygonF>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll::ui {

/// What the device pixel columns of a plot show: in each the step with the largest total and that
/// step's classes, so that no peak is averaged away and the layers add up to a real step. Heights
/// are device pixels above the plot's lower edge; below 0 or above the plot where the memory axis
/// shows only a part.
struct StackColumns
{
    static constexpr std::size_t kLayers = timeline::kMostLayers;

    int height = 0; ///< of the plot in device pixels
    std::vector<StepSpan> spans;
    std::vector<std::uint32_t> step;             ///< of each span that with the largest total
    std::vector<std::array<float, kLayers>> top; ///< upper edge of each layer, cumulated
    /// Columns right of the end of the step have none.
    [[nodiscard]] std::size_t count() const { return step.size(); }
    [[nodiscard]] float totalAt(std::size_t column) const { return top[column][kLayers - 1]; }
};

/// `coordinates` in device pixels, its plot starting at x 0.
[[nodiscard]] StackColumns stackColumns(const timeline::Timeline& timeline, const StepAxis& axis,
                                        const Coordinates& coordinates);

/// The largest step of a column's span: what a column shows.
[[nodiscard]] std::size_t shownStep(const timeline::Timeline& timeline, const StepSpan& span);

/// The steps that each column shows; none for those beyond the end of the step.
[[nodiscard]] std::vector<StepSpan> columnSpans(const StepAxis& axis,
                                                const Coordinates& coordinates);
/// Height per column of another curve. `stepAt` maps the axis' steps to the curve's.
[[nodiscard]] std::vector<float> curveColumns(const timeline::Timeline& curve,
                                              std::span<const StepSpan> spans,
                                              const StepMap& stepAt,
                                              const Coordinates& coordinates);

/// The same per logical column of a plot; what is far outside it is brought near.
[[nodiscard]] std::vector<float> curveHeights(const timeline::Timeline& curve, const StepAxis& axis,
                                              const StepMap& stepAt, const Coordinates& at);
/// Their upper edge as steps, from the plot's left; `base` is the y of height 0.
[[nodiscard]] QPolygonF edgeOf(const std::vector<float>& heights, double base);

} // namespace plimsoll::ui
