// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/rounding.h"
#include "ui/base/selection.h"
#include "ui/base/theme.h"
#include "ui/plot/ticks.h"
#include "ui/timeline/coordinates.h"
#include "ui/timeline/viewport.h"

#include <QList>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace plimsoll::ui {

class TimelineOverlay;

/// A timeline drawn as a line over the stack.
struct LineCurve
{
    timeline::TimelinePtr curve;
    StepMap stepAt; ///< from the stacked timeline's steps
    Role ink = Role::Text;
};

/// A segment of a line and its name, to the right of the layers in the legend.
struct LegendLine
{
    QString name;
    Role ink = Role::Text;
    QList<qreal> dashes = {}; ///< in pen widths; empty: solid
};

/// A row of a hover card below the step's total.
struct HoverRow
{
    QString name;
    QString value;
    Role nameInk = Role::Muted;
    Role valueInk = Role::Text;
    TextRole valueFont = TextRole::Small;
};

/// What a hover card shows about a step in addition to time and bytes, which the view knows.
struct HoverContent
{
    QString title;    ///< "softmax, recomputed"
    QString where;    ///< "transformer.h.6.attn · backward"
    QString position; ///< beside the total; null: the step's position on the axis
    QString noteIcon; ///< name of an icon
    Role noteRole = Role::Muted;
    QString note;   ///< "192 MiB paid with 0.30 ms"; empty: no icon either
    QString source; ///< "modeling_gpt2.py:214"
    std::vector<HoverRow> rows;
    bool hasRowsOnly = false; ///< the total and its classes aren't shown: the rows tell all
};
using HoverProvider = std::function<HoverContent(std::size_t step)>;

/// What is read out of a selected range: "-1.42 GiB", "in 84.6 ms", and a second line.
struct RangeText
{
    QString strong;
    QString plain;
    QString below;
};
using RangeTextProvider = std::function<RangeText(const StepRange& range)>;

/// The complete state of a timeline's picture; the view changes it, painters read it.
struct TimelineModel
{
    timeline::TimelinePtr stacked;                ///< what is shown in layers; may be null
    StepAxis axis;                                ///< of the stacked timeline
    StepAxis::Mark mark = StepAxis::Mark::Middle; ///< of the axis
    /// Bottom to top; never null.
    timeline::LayersPtr layers = std::make_shared<const timeline::Layers>();
    QString title;
    QStringList subtitle; ///< facts, the most important one first
    QString peakName;
    QString overviewName = QStringLiteral("Step"); ///< beside the overview: what all of it is
    /// Of bytes at a step. A plan's are rounded up, so that none looks smaller than it is; what was
    /// recorded is a fact like any other, and has one text wherever it is shown.
    base::Rounding rounding = base::Rounding::Up;
    bool pale = false; ///< drawn at 45 %
    HoverProvider hover;
    /// What positions of the axis count if they aren't nanoseconds: "event". Empty: nanoseconds, or
    /// ops where the timeline has no times.
    QString counted;
    RangeTextProvider rangeText; ///< null: differences of bytes, time and steps

    TimelineOverlay* overlay = nullptr; ///< its owner outlives the view's last paint
    /// Level of the overlay's line, with a handle in the right gutter; labels keep clear of it.
    std::optional<base::Bytes> line;
    Role lineInk = Role::Line;
    std::vector<LineCurve> overviewCurves;
    std::vector<LegendLine> legendLines; ///< left to right
    /// The value that the memory axis reaches in addition to the stacked peak.
    base::Bytes content;
    /// Length of the axis while an overlay is dragged, during which frame and memory axis are
    /// fixed.
    std::optional<double> heldLength;

    Viewport viewport;
    std::optional<ByteRange> byteZoom; ///< what is shown of the memory axis; none: all of it
    std::optional<StepRange> range;
    /// Drawn as bars at the foot of the plot, such as where a module runs; in order.
    std::vector<StepRange> marked;
    std::optional<std::size_t> cursorStep;
    std::vector<std::size_t> pins;
    bool cursorCard = false;  ///< the card follows the cursor
    bool plotFocused = false; ///< by keyboard

    [[nodiscard]] QString layerName(std::size_t layer) const
    {
        return QString::fromStdString(layers->at(layer).name);
    }
    /// The largest value that the memory axis must show.
    [[nodiscard]] base::Bytes reach() const;
    /// The value that the memory axis must reach.
    [[nodiscard]] base::Bytes axisContent() const;
    [[nodiscard]] double axisLength() const { return heldLength.value_or(axis.length()); }
    /// Whether positions of the axis are nanoseconds.
    [[nodiscard]] bool isTimed() const { return axis.hasTimes() && counted.isEmpty(); }
    /// Where a step begins: "12.4 ms", "event 84", "op 12".
    [[nodiscard]] QString positionText(std::size_t step) const;
};

/// The places of the timeline's parts, in logical pixels of the widget (design 5.1).
struct TimelineLayout
{
    QRectF header;
    QRectF bands;             ///< empty if there is no room, or nothing to show
    std::size_t bandRows = 0; ///< those shown, the outer ones
    QRectF plot;
    QRectF axis;
    QRectF overview; ///< empty if there is no room
    QRectF gutter;   ///< right of the plot: sizes and the line's handle
    double scale = 1.0;

    /// A row of the bands; empty if it isn't shown.
    [[nodiscard]] QRectF bandRow(std::size_t row) const
    {
        if (row >= bandRows)
            return {};
        const double height = bands.height() / static_cast<double>(bandRows);
        return {bands.left(), bands.top() + static_cast<double>(row) * height, bands.width(),
                height};
    }
};
/// `scale` is Theme::scale(); the right gutter is narrower without a line. As many rows of
/// bands are shown as there is room for.
[[nodiscard]] TimelineLayout layoutTimeline(const QSizeF& size, double scale, bool withLine,
                                            std::size_t bandRows = 1);

/// The model laid out at a size.
struct TimelineFrame
{
    TimelineLayout layout;
    ByteAxis bytes;
    base::Bytes wholeTop; ///< upper end of the whole memory axis, of which `bytes` is a part
    Coordinates at;       ///< logical pixels of the widget
    double axisLength = 1;

    /// The same plot in device pixels, starting at 0, 0.
    [[nodiscard]] Coordinates deviceCoordinates(double devicePixelRatio) const;
    [[nodiscard]] double xOfStep(const StepAxis& axis, std::size_t step) const;
    [[nodiscard]] bool shows(double x) const
    {
        return x >= at.plot().left() && x <= at.plot().right();
    }
    [[nodiscard]] bool shows(base::Bytes value) const { return bytes.shown.contains(value); }
    /// Whether a point is on the memory axis: in the gutter left of the plot.
    [[nodiscard]] bool isOnMemoryAxis(const QPointF& pos) const
    {
        return pos.x() < at.plot().left() && pos.y() >= at.plot().top()
               && pos.y() <= at.plot().bottom();
    }
    /// Converts an axis position to a fraction of the whole and back.
    [[nodiscard]] double overviewX(double fraction) const
    {
        return layout.overview.left() + fraction * layout.overview.width();
    }
    [[nodiscard]] double overviewFraction(double x) const;
};
[[nodiscard]] TimelineFrame frameFor(const TimelineModel& model, const QSizeF& size, double scale);

} // namespace plimsoll::ui
