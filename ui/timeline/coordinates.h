// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/timeline/timeline.h"
#include "ui/plot/byte_range.h"

#include <QRectF>

#include <cstdint>
#include <memory>
#include <vector>

namespace plimsoll::ui {

/// Where steps are on the axis: by their times, or one unit each if the trace has no times.
class StepAxis
{
public:
    /// Where a mark of a step stands.
    enum class Mark : std::uint8_t {
        Middle, ///< of an op that takes time
        Begin,  ///< where steps begin with an event and last until the next one
    };

    StepAxis() = default;
    explicit StepAxis(timeline::TimelinePtr timeline, Mark mark = Mark::Middle);

    [[nodiscard]] bool hasTimes() const { return m_hasTimes; }
    [[nodiscard]] std::size_t stepCount() const { return m_timeline ? m_timeline->stepCount() : 0; }
    /// End of the axis: nanoseconds or steps. At least 1.
    [[nodiscard]] double length() const;
    /// Position at which a step begins; stepCount() gives the end.
    [[nodiscard]] double positionOf(std::size_t step) const;
    /// Where a mark of a step stands if the axis is seen from `begin` to `end`: in the visible part
    /// of the step.
    [[nodiscard]] double markOf(std::size_t step, double begin, double end) const;
    /// The step at a position, clamped. Requires stepCount() > 0.
    [[nodiscard]] std::size_t stepAt(double position) const;
    /// The same for a position not before `from`, fast if it is near, or about `ahead` steps later.
    [[nodiscard]] std::size_t stepAt(double position, std::size_t from, std::size_t ahead) const;

private:
    timeline::TimelinePtr m_timeline;
    bool m_hasTimes = false;
    Mark m_mark = Mark::Middle;
};

/// Converts between pixels of a plot and positions on its axes. Pure.
class Coordinates
{
public:
    Coordinates() = default;
    /// `visibleBegin` < `visibleEnd` are axis positions; `bytes` are the values at the lower and
    /// the upper edge.
    Coordinates(const QRectF& plot, double visibleBegin, double visibleEnd, const ByteRange& bytes);

    [[nodiscard]] const QRectF& plot() const { return m_plot; }
    [[nodiscard]] double visibleBegin() const { return m_begin; }
    [[nodiscard]] double visibleEnd() const { return m_end; }
    [[nodiscard]] const ByteRange& bytes() const { return m_bytes; }
    [[nodiscard]] double pixelsPerByte() const
    {
        return m_plot.height() / static_cast<double>(m_bytes.span().count());
    }

    [[nodiscard]] double xOf(double position) const
    {
        return m_plot.left() + (position - m_begin) / (m_end - m_begin) * m_plot.width();
    }
    [[nodiscard]] double positionAt(double x) const
    {
        return m_begin + (x - m_plot.left()) / m_plot.width() * (m_end - m_begin);
    }
    [[nodiscard]] double yOf(base::Bytes bytes) const
    {
        return m_plot.bottom()
               - static_cast<double>((bytes - m_bytes.bottom).count())
                     / static_cast<double>(m_bytes.span().count()) * m_plot.height();
    }
    [[nodiscard]] base::Bytes bytesAt(double y) const;

private:
    QRectF m_plot{0, 0, 1, 1};
    double m_begin = 0;
    double m_end = 1;
    ByteRange m_bytes;
};

/// For each step of an axis, the step of another timeline at the same place. Null: the same steps.
using StepMap = std::shared_ptr<const std::vector<std::uint32_t>>;

/// The steps that a pixel column shows. Never empty.
using StepSpan = timeline::StepSpan;
/// The steps of consecutive stretches of the axis, such as the columns of a plot: each search
/// begins where the last one ended. Requires axis.stepCount() > 0.
class StepSpans
{
public:
    StepSpans(const StepAxis& axis, double from);
    /// The steps that overlap the positions from the last call's end up to `to`.
    [[nodiscard]] StepSpan upTo(double to);

private:
    const StepAxis* m_axis;
    std::size_t m_step;      ///< at the end of the last stretch
    std::size_t m_ahead = 0; ///< how many steps the last stretch took
};
/// The steps that overlap the positions [from, to). Requires axis.stepCount() > 0.
[[nodiscard]] inline StepSpan stepsIn(const StepAxis& axis, double from, double to)
{
    return StepSpans{axis, from}.upTo(to);
}

} // namespace plimsoll::ui
