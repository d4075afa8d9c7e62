// SPDX-License-Identifier: Apache-2.0
#include "ui/treemap/squarify.h"

#include <algorithm>
#include <numeric>

namespace plimsoll::ui {

namespace {

/// The largest ratio of sides in a row of values along a side, of which `scale` is the area of one.
double worstRatio(double largest, double smallest, double sum, double side, double scale)
{
    const double width = sum * scale / side; // of the row
    const auto ratio = [&](double value) {
        const double length = value * scale / width;
        return std::max(length / width, width / length);
    };
    return std::max(ratio(largest), ratio(smallest));
}

/// How many values from `begin` on make the squarest row.
std::size_t rowEnd(std::span<const double> values, std::size_t begin, double side, double scale)
{
    double sum = values[begin];
    double ratio = worstRatio(values[begin], values[begin], sum, side, scale);
    std::size_t end = begin + 1;
    for (; end < values.size() && values[end] > 0; ++end) {
        const double next = worstRatio(values[begin], values[end], sum + values[end], side, scale);
        if (next > ratio)
            break;
        ratio = next;
        sum += values[end];
    }
    return end;
}

/// Places a row at the left, or the top, of what is left, and takes it from that.
void placeRow(std::span<const double> row, QRectF& left, bool isLast, std::vector<QRectF>& to,
              double scale)
{
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    const bool isColumn = left.width() >= left.height();
    const double side = isColumn ? left.height() : left.width();
    const double rest = isColumn ? left.width() : left.height();
    const double width = isLast ? rest : std::min(rest, sum * scale / side);
    double at = 0;
    for (const double value : row) {
        const double length = sum > 0 ? value / sum * side : 0;
        to.push_back(isColumn ? QRectF{left.left(), left.top() + at, width, length}
                              : QRectF{left.left() + at, left.top(), length, width});
        at += length;
    }
    if (isColumn)
        left.setLeft(left.left() + width);
    else
        left.setTop(left.top() + width);
}

} // namespace

std::vector<QRectF> squarified(std::span<const double> values, const QRectF& area)
{
    std::vector<QRectF> rects;
    rects.reserve(values.size());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    if (sum > 0 && !area.isEmpty()) {
        const double scale = area.width() * area.height() / sum;
        const auto positive = static_cast<std::size_t>(
            std::ranges::partition_point(values, [](double value) { return value > 0; })
            - values.begin());
        QRectF left = area;
        for (std::size_t begin = 0; begin < positive;) {
            // Rounding may leave nothing for the last, smallest ones.
            const double side = std::max(1e-9, std::min(left.width(), left.height()));
            const std::size_t end = rowEnd(values.first(positive), begin, side, scale);
            placeRow(values.subspan(begin, end - begin), left, end == positive, rects, scale);
            begin = end;
        }
    }
    rects.resize(values.size(), QRectF{area.bottomRight(), QSizeF{0, 0}});
    return rects;
}

} // namespace plimsoll::ui
