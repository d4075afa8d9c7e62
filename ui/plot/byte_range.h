// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

namespace plimsoll::ui {

/// The part of a memory axis between its lower and its upper edge.
struct ByteRange
{
    base::Bytes bottom;
    base::Bytes top{1};

    [[nodiscard]] base::Bytes span() const { return top - bottom; }
    [[nodiscard]] bool contains(base::Bytes bytes) const { return bytes >= bottom && bytes <= top; }
    [[nodiscard]] base::Bytes clamped(base::Bytes bytes) const;

    bool operator==(const ByteRange&) const = default;
};

// Parts of an axis from 0 to `whole`. Pure: each returns the new part, which is inside the axis.

/// A factor below 1 zooms in, down to a 1024th of the axis; the value `anchor` stays where it is.
[[nodiscard]] ByteRange zoomed(const ByteRange& range, double factor, base::Bytes anchor,
                               base::Bytes whole);
/// Shifted up by a multiple of its span.
[[nodiscard]] ByteRange panned(const ByteRange& range, double spans, base::Bytes whole);

} // namespace plimsoll::ui
