// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "ui/plot/byte_range.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace plimsoll::ui {

struct Tick
{
    double value = 0; ///< bytes, nanoseconds or steps
    QString label;    ///< empty: line only
};

/// Lines of a memory axis.
struct ByteAxis
{
    ByteRange shown;
    base::Bytes step; ///< a power of two of some binary unit
    std::vector<Tick> ticks;
};
/// The largest binary unit of which a size has at least one.
struct ByteUnit
{
    std::int64_t factor; ///< bytes
    const char16_t* name;
};
[[nodiscard]] const ByteUnit& byteUnitOf(base::Bytes size);

/// Powers of two in binary units, the smallest that gives at most 9 lines at least `minGap` pixels
/// apart over `pixels`. The axis starts at 0, its top is the first tick at or above `content`, and
/// only that tick's label has the unit.
[[nodiscard]] ByteAxis byteAxis(base::Bytes content, double pixels, double minGap = 28.0);
/// The lines of a part of an axis: multiples of the step between its edges. If the axis doesn't
/// start at 0, the label of the lowest line has the unit, too.
[[nodiscard]] ByteAxis byteAxis(const ByteRange& shown, double pixels, double minGap = 28.0);

/// 1, 2, 5 x 10^n over [begin, end] of a step that lasts no longer than `end`; at least `minGap`
/// pixels apart. "0 ms" first; the label at the end of the range has the unit and replaces that of
/// a tick nearer than 40 px. Times are nanoseconds.
[[nodiscard]] std::vector<Tick> timeTicks(double begin, double end, double pixels,
                                          double minGap = 64.0);
/// The same over numbers of what `name` says: "op 0" first, the bare number at the end.
[[nodiscard]] std::vector<Tick> stepTicks(double begin, double end, double pixels,
                                          const QString& name, double minGap = 64.0);
/// Plain decimal ticks: 1, 2, 5 x 10^n, at most one per `minGap` pixels, labels left to the caller.
[[nodiscard]] std::vector<double> decimalTicks(double begin, double end, double pixels,
                                               double minGap);

} // namespace plimsoll::ui
