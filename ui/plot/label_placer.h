// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRectF>

#include <optional>
#include <span>
#include <vector>

namespace plimsoll::ui {

/// Places labels in order of priority: each takes the first of its places that overlaps nothing
/// placed before and is inside the bounds.
class LabelPlacer
{
public:
    explicit LabelPlacer(const QRectF& bounds) : m_bounds{bounds} {}

    /// Occupies a place unconditionally (something already drawn).
    void block(const QRectF& rect) { m_taken.push_back(rect); }
    /// The chosen place; none if all of them are occupied or outside.
    [[nodiscard]] std::optional<QRectF> place(std::span<const QRectF> places);
    [[nodiscard]] bool isFree(const QRectF& rect) const;

private:
    QRectF m_bounds;
    std::vector<QRectF> m_taken;
};

} // namespace plimsoll::ui
