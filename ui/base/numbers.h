// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/base/result.h"
#include "core/base/rounding.h"

#include <QString>

#include <cstdint>

namespace plimsoll::ui {

using base::Rounding;

/// "7.16 GiB", "288.0 MiB", "12 B": GiB two decimals, MiB and KiB one, B none.
[[nodiscard]] QString bytesText(base::Bytes bytes, Rounding rounding = Rounding::Nearest);
/// As base::budgetText: a peak beside it reads as within the budget if it is.
[[nodiscard]] QString budgetText(base::Bytes budget, base::Bytes peak);
/// Like bytesText, without decimals of MiB and KiB (hover cards, edges): "289 MiB".
[[nodiscard]] QString shortBytesText(base::Bytes bytes, Rounding rounding = Rounding::Nearest);
/// A device's memory, never rounded up: "8 GiB", "23.98 GiB".
[[nodiscard]] QString capacityText(base::Bytes memory);
/// Figure and unit separately, for the large result numbers: {"7.16", "GiB"}.
struct FigureText
{
    QString figure;
    QString unit;
};
[[nodiscard]] FigureText bytesFigure(base::Bytes bytes, Rounding rounding = Rounding::Nearest);
/// The next budget at or above `bytes`, or at or below, that is shown exactly: two decimals of a
/// GiB, one of a MiB. A plan's peak doesn't look larger than such a budget if it fits.
[[nodiscard]] base::Bytes shownCeiling(base::Bytes bytes);
[[nodiscard]] base::Bytes shownFloor(base::Bytes bytes);
/// "288.00 MiB (301,989,888 B)".
[[nodiscard]] QString exactBytesText(base::Bytes bytes);
/// "−7.17 GiB", "+12.0 MiB", "0".
[[nodiscard]] QString bytesDifferenceText(base::Bytes difference);
/// The same in the unit that `like` has, for a column.
[[nodiscard]] QString bytesDifferenceText(base::Bytes difference, base::Bytes like);
/// Three significant digits: "0.24 ms", "93.8 ms", "164 ms".
[[nodiscard]] QString timeText(base::Nanoseconds time);
/// "+15.3 ms", "0".
[[nodiscard]] QString timeDifferenceText(base::Nanoseconds difference);
/// "47.4 %" for 0.474.
[[nodiscard]] QString percentText(double fraction);
/// "+10.2 %" for 0.102; zero without a sign.
[[nodiscard]] QString percentDifferenceText(double fraction);
/// 0.102 for a step that takes 10.2 % longer than the unplanned one; 0 if that takes no time.
[[nodiscard]] double slowDown(base::Nanoseconds step, base::Nanoseconds unplanned);
/// "48,312", from 1 M on "2.7 M".
[[nodiscard]] QString countText(std::uint64_t count);
/// As base::parseBytes. Sources that include core/base/format.h themselves can't share a unity
/// build with calls of bytesText.
[[nodiscard]] base::Result<base::Bytes> parseBytes(const QString& text);
/// The placeholder for an unknown number.
[[nodiscard]] QString unknownText();

} // namespace plimsoll::ui
