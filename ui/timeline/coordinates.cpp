// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/coordinates.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::ui {

StepAxis::StepAxis(timeline::TimelinePtr timeline, Mark mark)
    : m_timeline{std::move(timeline)}, m_mark{mark}
{
    m_hasTimes = m_timeline && m_timeline->duration().count() > 0;
}

double StepAxis::length() const
{
    if (stepCount() == 0)
        return 1;
    return m_hasTimes ? static_cast<double>(m_timeline->duration().count())
                      : static_cast<double>(stepCount());
}

double StepAxis::positionOf(std::size_t step) const
{
    if (stepCount() == 0)
        return 0;
    step = std::min(step, stepCount());
    return m_hasTimes ? static_cast<double>(m_timeline->timeAt(step).count())
                      : static_cast<double>(step);
}

double StepAxis::markOf(std::size_t step, double begin, double end) const
{
    begin = std::max(positionOf(step), begin);
    end = std::min(positionOf(step + 1), end);
    if (end <= begin)
        return positionOf(step);
    return m_mark == Mark::Begin && m_hasTimes ? begin : (begin + end) / 2;
}

std::size_t StepAxis::stepAt(double position) const
{
    const double floor = std::floor(std::clamp(position, 0.0, length()));
    if (m_hasTimes)
        return m_timeline->stepAtTime(base::Nanoseconds{static_cast<std::int64_t>(floor)});
    return std::min(static_cast<std::size_t>(floor), stepCount() - 1);
}

std::size_t StepAxis::stepAt(double position, std::size_t from, std::size_t ahead) const
{
    constexpr std::size_t kNear = 12;
    const double floor = std::floor(std::clamp(position, 0.0, length()));
    for (std::size_t i = 0; ahead < kNear && i < kNear; ++i) {
        if (from + 1 >= stepCount() || positionOf(from + 1) > floor)
            return from;
        ++from;
    }
    if (!m_hasTimes || positionOf(from) > floor)
        return stepAt(position);
    return m_timeline->stepAtTime(base::Nanoseconds{static_cast<std::int64_t>(floor)}, from, ahead);
}

Coordinates::Coordinates(const QRectF& plot, double visibleBegin, double visibleEnd,
                         const ByteRange& bytes)
    : m_plot{plot}, m_begin{visibleBegin}, m_end{visibleEnd}, m_bytes{bytes}
{
}

base::Bytes Coordinates::bytesAt(double y) const
{
    return m_bytes.bottom + base::Bytes{std::llround((m_plot.bottom() - y) / pixelsPerByte())};
}

StepSpans::StepSpans(const StepAxis& axis, double from)
    : m_axis{&axis} // Steps without duration at the very start stand before the first that lasts.
    , m_step{from <= 0 ? 0 : axis.stepAt(from)}
{
}

StepSpan StepSpans::upTo(double to)
{
    const std::size_t begin = m_step;
    std::size_t last = m_axis->stepAt(to, begin, m_ahead);
    m_step = to <= 0 ? 0 : last;
    m_ahead = last - std::min(last, begin);
    // A step that begins exactly at the right edge belongs to the next column.
    if (last > begin && m_axis->positionOf(last) >= to)
        --last;
    return {begin, std::max(begin, last) + 1};
}

} // namespace plimsoll::ui
