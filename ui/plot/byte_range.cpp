// SPDX-License-Identifier: Apache-2.0
#include "ui/plot/byte_range.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kLeastSpan = 1.0 / 1024; ///< of the whole axis

base::Bytes rounded(double bytes)
{
    return base::Bytes{std::llround(bytes)};
}

} // namespace

base::Bytes ByteRange::clamped(base::Bytes bytes) const
{
    return std::clamp(bytes, bottom, top);
}

ByteRange zoomed(const ByteRange& range, double factor, base::Bytes anchor, base::Bytes whole)
{
    const auto axis = static_cast<double>(whole.count());
    const auto before = static_cast<double>(range.span().count());
    const double span = std::clamp(before * factor, std::max(1.0, axis * kLeastSpan), axis);
    const double place = static_cast<double>((anchor - range.bottom).count()) / before;
    const double bottom =
        std::clamp(static_cast<double>(anchor.count()) - place * span, 0.0, axis - span);
    return {rounded(bottom), rounded(bottom + span)};
}

ByteRange panned(const ByteRange& range, double spans, base::Bytes whole)
{
    const base::Bytes wanted = rounded(spans * static_cast<double>(range.span().count()));
    // The axis may have become shorter than what is shown of it.
    const base::Bytes most = std::max(base::Bytes{}, whole - range.top);
    const base::Bytes shift = std::clamp(wanted, base::Bytes{} - range.bottom, most);
    return {range.bottom + shift, range.top + shift};
}

} // namespace plimsoll::ui
