// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/stack_columns.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

/// Curves outside the plot end this many pixels outside it, where their lines aren't seen.
constexpr float kOutside = 16;

} // namespace

std::size_t shownStep(const timeline::Timeline& timeline, const StepSpan& span)
{
    const std::size_t end = std::min(span.end, timeline.stepCount());
    return timeline.largestStepIn(std::min(span.begin, end - 1), end);
}

StackColumns stackColumns(const timeline::Timeline& timeline, const StepAxis& axis,
                          const Coordinates& coordinates)
{
    StackColumns columns;
    columns.height = static_cast<int>(std::lround(coordinates.plot().height()));
    if (timeline.stepCount() == 0)
        return columns;
    columns.spans = columnSpans(axis, coordinates);
    columns.step.reserve(columns.spans.size());
    columns.top.reserve(columns.spans.size());
    const double scale = coordinates.pixelsPerByte();
    for (const auto& [step, stack] : timeline.largestInEach(columns.spans)) {
        columns.step.push_back(static_cast<std::uint32_t>(step));
        std::array<float, StackColumns::kLayers> tops{};
        std::int64_t sum = -coordinates.bytes().bottom.count();
        for (std::size_t layer = 0; layer < tops.size(); ++layer) {
            sum += stack[layer].count();
            tops[layer] = static_cast<float>(static_cast<double>(sum) * scale);
        }
        columns.top.push_back(tops);
    }
    return columns;
}

std::vector<StepSpan> columnSpans(const StepAxis& axis, const Coordinates& coordinates)
{
    std::vector<StepSpan> columns;
    if (axis.stepCount() == 0)
        return columns;
    const auto count = static_cast<std::size_t>(std::max(0.0, coordinates.plot().width()));
    columns.reserve(count);
    double from = coordinates.positionAt(0);
    StepSpans spans{axis, from};
    const double length = axis.length();
    while (columns.size() < count && from < length) {
        const double to = coordinates.positionAt(static_cast<double>(columns.size()) + 1);
        columns.push_back(spans.upTo(to));
        from = to;
    }
    return columns;
}

std::vector<float> curveColumns(const timeline::Timeline& curve, std::span<const StepSpan> spans,
                                const StepMap& stepAt, const Coordinates& coordinates)
{
    std::vector<float> heights;
    if (curve.stepCount() == 0)
        return heights;
    heights.reserve(spans.size());
    const std::size_t lastStep = curve.stepCount() - 1;
    const base::Bytes bottom = coordinates.bytes().bottom;
    const double scale = coordinates.pixelsPerByte();
    for (const StepSpan& span : spans) {
        std::size_t largest = 0;
        if (!stepAt) {
            largest = shownStep(curve, span);
        } else {
            // Both keep the order of their common ops, so a span maps to a span.
            const std::vector<std::uint32_t>& map = *stepAt;
            std::size_t first = lastStep;
            std::size_t last = 0;
            for (std::size_t step = span.begin; step < std::min(span.end, map.size()); ++step) {
                const std::size_t at = std::min<std::size_t>(map[step], lastStep);
                first = std::min(first, at);
                last = std::max(last, at);
            }
            largest = curve.largestStepIn(std::min(first, last), last + 1);
        }
        heights.push_back(static_cast<float>(
            static_cast<double>((curve.totalAt(largest) - bottom).count()) * scale));
    }
    return heights;
}

std::vector<float> curveHeights(const timeline::Timeline& curve, const StepAxis& axis,
                                const StepMap& stepAt, const Coordinates& at)
{
    const Coordinates columns{QRectF{0, 0, std::round(at.plot().width()), at.plot().height()},
                              at.visibleBegin(), at.visibleEnd(), at.bytes()};
    std::vector<float> heights = curveColumns(curve, columnSpans(axis, columns), stepAt, columns);
    const float most = static_cast<float>(at.plot().height()) + kOutside;
    for (float& height : heights)
        height = std::clamp(height, -kOutside, most);
    return heights;
}

QPolygonF edgeOf(const std::vector<float>& heights, double base)
{
    QPolygonF curve;
    for (std::size_t column = 0; column < heights.size(); ++column) {
        const auto x = static_cast<double>(column);
        const double y = base - static_cast<double>(heights[column]);
        if (!curve.isEmpty() && curve.back().y() == y)
            continue;
        if (!curve.isEmpty())
            curve << QPointF{x, curve.back().y()};
        curve << QPointF{x, y};
    }
    if (!curve.isEmpty())
        curve << QPointF{static_cast<double>(heights.size()), curve.back().y()};
    return curve;
}

} // namespace plimsoll::ui
