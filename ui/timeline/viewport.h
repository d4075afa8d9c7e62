// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plimsoll::ui {

/// The visible part of the timeline, as fractions 0 … 1 of the axis.
struct VisibleRange
{
    double begin = 0.0;
    double end = 1.0;

    bool operator==(const VisibleRange&) const = default;
};

/// The visible part of the step, 0 … 1. Pure: every function returns the new range.
class Viewport
{
public:
    /// `smallest` is the narrowest range that can be shown, as a fraction of the step.
    explicit Viewport(double smallest = 1e-4) : m_smallest{smallest} {}

    [[nodiscard]] VisibleRange range() const { return m_range; }
    [[nodiscard]] double width() const { return m_range.end - m_range.begin; }
    void setRange(VisibleRange range) { m_range = clamped(range); }
    void setSmallest(double smallest);

    /// A factor below 1 zooms in; the point at `anchor` (0 … 1 of the step) stays where it is.
    [[nodiscard]] VisibleRange zoomed(double factor, double anchor) const;
    /// Shifted by a fraction of the visible width, kept inside the step.
    [[nodiscard]] VisibleRange panned(double widths) const;
    [[nodiscard]] VisibleRange clamped(VisibleRange range) const;

private:
    VisibleRange m_range;
    double m_smallest;
};

} // namespace plimsoll::ui
