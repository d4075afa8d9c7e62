// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/base/result.h"
#include "ui/plot/byte_range.h"

#include <QString>

#include <optional>
#include <vector>

namespace plimsoll::ui {

/// A device on the memory axis. The budget counts all bytes on the device, including the reserve,
/// so it is compared with all of the device's memory.
struct CapacityMark
{
    base::Bytes size;
    QString name; ///< "RTX 4060"
    bool chosen = false;
};

/// A value to which the budget line snaps.
struct SnapTarget
{
    base::Bytes bytes;
    QString name; ///< shown in the pill while snapped; may be empty
};

/// The values between which the budget line moves.
struct BudgetLimits
{
    ByteRange shown;      ///< of the memory axis: between these the line is dragged
    base::Bytes axisTop;  ///< of the whole axis: keys move the line up to it
    base::Bytes gridStep; ///< of the memory axis: unit of the keyboard steps
    std::vector<SnapTarget> targets;
    std::optional<base::Bytes> unplannedPeak;    ///< Home
    std::optional<base::Bytes> smallestFeasible; ///< End
};

enum class BudgetKey : std::uint8_t {
    Up,
    Down,
    NextTarget,
    PreviousTarget,
    UnplannedPeak,
    Smallest
};
enum class KeyStep : std::uint8_t { Normal, Fine, Coarse }; ///< plain, Ctrl, Shift

/// The budget after a key: steps of grid / 32, / 256 (fine), / 4 (coarse); never below one byte
/// step above 0 nor beyond the axis.
[[nodiscard]] base::Bytes budgetAfterKey(base::Bytes budget, BudgetKey key, KeyStep step,
                                         const BudgetLimits& limits);

/// Largest power of two MiB (at least 1 MiB) that is at most one pixel of an axis.
[[nodiscard]] base::Bytes dragQuantum(base::Bytes span, double pixels);

/// One drag of the line, without side effects: pointer positions in, values out. A line outside
/// what is shown of the axis enters it at the edge.
class BudgetDrag
{
public:
    BudgetDrag(base::Bytes start, double pointerY, double pixels, BudgetLimits limits);

    struct Options
    {
        bool slow = false;   ///< Ctrl: 8 times slower
        bool noSnap = false; ///< Alt
    };
    /// The value for a pointer position; remembers whether it is snapped.
    [[nodiscard]] base::Bytes moveTo(double pointerY, Options options);
    [[nodiscard]] base::Bytes start() const { return m_start; }
    [[nodiscard]] base::Bytes value() const { return m_value; }
    [[nodiscard]] const std::optional<SnapTarget>& snapped() const { return m_snapped; }

private:
    [[nodiscard]] double pixelsTo(base::Bytes target) const;

    BudgetLimits m_limits;
    base::Bytes m_start;
    base::Bytes m_value;
    double m_pixels; ///< height of the axis
    double m_pointerY;
    double m_position; ///< unrounded value in bytes
    std::optional<SnapTarget> m_snapped;
};

/// What a typed budget may refer to.
struct BudgetContext
{
    base::Bytes current;
    base::Bytes unplanned;             ///< peak that "90 %" is a share of; 0: not known yet
    std::vector<CapacityMark> devices; ///< "4060" names one
};
/// "7.25" (GiB), "7.25 GiB", "7424 MiB", "90 %", "−500 MiB", "4060".
[[nodiscard]] base::Result<base::Bytes> parseBudget(const QString& text,
                                                    const BudgetContext& context);
/// Describes accepted input, for a tool tip.
[[nodiscard]] QString budgetHint();

} // namespace plimsoll::ui
