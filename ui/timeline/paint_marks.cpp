// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/change.h"
#include "ui/base/drawn_text.h"
#include "ui/base/kept_picture.h"
#include "ui/base/numbers.h"
#include "ui/timeline/paint_context.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kNearLine = 26.0; ///< an apex this near to the line gets its mark below
constexpr double kMarkHit = 10;
constexpr double kTagPad = 5.0;
constexpr double kTagGap = 6.0;

/// What the strong text takes before the plain one.
double strongWidth(const Theme& theme, const Tag& tag)
{
    return tag.strong.isEmpty()
               ? 0
               : numberWidth(theme.font(TextRole::SmallStrong), tag.strong) + theme.px(kTagGap);
}

/// Around the origin.
void drawTag(QPainter& painter, const Theme& theme, const QRectF& rect, const Tag& tag)
{
    setShape(painter, Qt::NoPen, theme.color(Role::Panel, 0.92));
    painter.drawRoundedRect(rect, 3, 3);
    const QFont& strong = theme.font(TextRole::SmallStrong);
    const double baseline = baselineIn(rect, strong);
    const double x = rect.left() + theme.px(kTagPad);
    setText(painter, TextRole::SmallStrong, tag.ink);
    drawNumber(painter, QPointF{x, baseline}, tag.strong, Qt::AlignLeft);
    if (tag.plain.isEmpty())
        return;
    setText(painter, TextRole::Small, Role::Muted);
    drawNumber(painter, QPointF{x + strongWidth(theme, tag), baseline}, tag.plain, Qt::AlignLeft);
}

constexpr double kReadoutGap = 6; ///< to the edges of the plot

QString readoutText(const char* text)
{
    return QCoreApplication::translate("Timeline", text);
}

bool hasReadout(const TimelineModel& model)
{
    return model.range && model.stacked && model.range->end < model.stacked->stepCount();
}

} // namespace

QSizeF tagSize(const Theme& theme, const Tag& tag)
{
    const QFont& strong = theme.font(TextRole::SmallStrong);
    const QFont& plain = theme.font(TextRole::Small);
    double width = numberWidth(strong, tag.strong) + 2 * theme.px(kTagPad);
    if (!tag.plain.isEmpty())
        width = strongWidth(theme, tag) + numberWidth(plain, tag.plain) + 2 * theme.px(kTagPad);
    return {std::ceil(width), std::ceil(QFontMetricsF{strong}.height()) + 3};
}

void paintTag(const PaintContext& context, const QRectF& rect, const Tag& tag)
{
    // Most tags are where they were in the previous frame.
    const QRectF own{QPointF{}, rect.size()};
    const QString key = QStringLiteral("tag %1 %2 %3 %4")
                            .arg(static_cast<int>(tag.ink))
                            .arg(context.theme.scale())
                            .arg(tag.strong, tag.plain);
    drawKept(context.painter, rect.topLeft(), key, own.adjusted(-1, -1, 1, 1),
             [&](QPainter& painter) { drawTag(painter, context.theme, own, tag); });
}

PeakMark peakMarkAt(const TimelineModel& model, const TimelineFrame& frame, QPointF apex)
{
    PeakMark mark{apex, false};
    if (model.line)
        mark.below =
            std::abs(frame.at.yOf(*model.line) - apex.y()) < kNearLine * frame.layout.scale;
    return mark;
}

bool isOnMark(const PeakMark& mark, const QPointF& pos, double scale)
{
    const QPointF middle = mark.apex + QPointF{0, (mark.below ? 5 : -5) * scale};
    return std::abs(middle.x() - pos.x()) <= kMarkHit * scale
           && std::abs(middle.y() - pos.y()) <= kMarkHit * scale;
}

void paintPeakMark(const PaintContext& context, const PeakMark& mark, bool filled)
{
    const double w = context.px(10) / 2;
    const double h = context.px(8);
    const double sign = mark.below ? 1 : -1;
    const QPointF tip = mark.apex + QPointF{0, sign * 1.5};
    const QPolygonF triangle{tip, tip + QPointF{-w, sign * h}, tip + QPointF{w, sign * h}};
    // The outer outline sets it off from bands of its own brightness.
    for (const QPen& outline :
         {QPen{context.color(Role::Halo), 4}, QPen{context.color(Role::Text), 1.4}}) {
        QPen pen = outline;
        pen.setJoinStyle(Qt::MiterJoin);
        context.setShape(pen, context.color(filled ? Role::Text : Role::Panel));
        context.painter.drawPolygon(triangle);
    }
}

Tag peakTag(const TimelineModel& model)
{
    return {QStringLiteral("peak ") + bytesText(model.stacked->peak(), model.rounding),
            model.peakName, Role::Text};
}

std::optional<PeakMark> peakMark(const TimelineModel& model, const TimelineFrame& frame)
{
    if (!model.stacked || model.stacked->stepCount() == 0 || model.pale)
        return std::nullopt;
    const double x = frame.xOfStep(model.axis, model.stacked->peakStep());
    if (!frame.shows(x) || !frame.shows(model.stacked->peak()))
        return std::nullopt;
    return peakMarkAt(model, frame, {x, frame.at.yOf(model.stacked->peak())});
}

void paintPeak(const PaintContext& context, const PlacedLabels& labels)
{
    const std::optional<PeakMark> mark = peakMark(context.model, context.frame);
    if (!mark)
        return;
    paintPeakMark(context, *mark, true);
    if (labels.peak)
        paintTag(context, *labels.peak, peakTag(context.model));
}

void paintLayerNames(const PaintContext& context, const PlacedLabels& labels)
{
    const QFont font = context.theme.font(TextRole::SmallStrong);
    context.painter.setFont(font);
    for (std::size_t layer = 0; layer < context.model.layers->size(); ++layer) {
        const std::optional<QRectF>& rect = labels.layerNames[layer];
        if (!rect)
            continue;
        const QColor ground = context.color(classRole((*context.model.layers)[layer].ink));
        context.painter.setRenderHint(QPainter::Antialiasing, false);
        if (!context.model.pale)
            context.painter.fillRect(*rect, ground);
        context.painter.setPen(context.model.pale ? context.color(Role::Text)
                                                  : labelColorOn(ground));
        const QString name = context.model.layerName(layer);
        drawName(context.painter,
                 QPointF{rect->left() + (rect->width() - nameWidth(font, name)) / 2,
                         baselineIn(*rect, font)},
                 name);
    }
}

void paintMarked(const PaintContext& context)
{
    const TimelineModel& model = context.model;
    if (model.marked.empty() || model.axis.stepCount() == 0)
        return;
    const QRectF& plot = context.frame.at.plot();
    const double height = context.px(4);
    QPainter& painter = context.painter;
    painter.save();
    painter.setClipRect(plot);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QRectF foot{plot.left(), plot.bottom() - height - 2, plot.width(), height + 2};
    painter.fillRect(foot, context.color(Role::Halo, 0.85));
    for (const StepRange& run : model.marked) {
        if (run.end >= model.axis.stepCount())
            break;
        const double left = context.frame.at.xOf(model.axis.positionOf(run.begin));
        const double right = context.frame.at.xOf(model.axis.positionOf(run.end + 1));
        painter.fillRect(QRectF{left, foot.top() + 1, std::max(right - left, 2.0), height},
                         context.color(Role::Accent));
    }
    painter.restore();
}

void paintSelection(const PaintContext& context)
{
    if (!context.model.range || context.model.axis.stepCount() == 0)
        return;
    const QRectF& plot = context.frame.at.plot();
    const StepAxis& axis = context.model.axis;
    const double left = context.frame.at.xOf(axis.positionOf(context.model.range->begin));
    const double right = context.frame.at.xOf(axis.positionOf(context.model.range->end + 1));
    QPainter& painter = context.painter;
    painter.save();
    painter.setClipRect(plot);
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintVeil(painter, plot, left, right, context.color(Role::Panel, 0.5));
    for (const double x : {left, right}) {
        context.setShape(QPen{context.color(Role::Accent), 1.6});
        painter.drawLine(QPointF{x, plot.top()}, QPointF{x, plot.bottom()});
        context.setShape(Qt::NoPen, context.color(Role::Accent));
        const QSizeF grip{context.px(7), context.px(24)};
        painter.drawRoundedRect(
            QRectF{QPointF{x - grip.width() / 2, plot.center().y() - grip.height() / 2}, grip}, 2,
            2);
    }
    painter.restore();
}

void paintCursor(const PaintContext& context, std::size_t step)
{
    const timeline::TimelinePtr& stacked = context.model.stacked;
    if (!stacked || step >= stacked->stepCount())
        return;
    const QRectF& plot = context.frame.at.plot();
    const double x = std::round(context.frame.xOfStep(context.model.axis, step));
    if (!context.frame.shows(x))
        return;
    QPainter& painter = context.painter;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF{x - 1, plot.top(), 3, plot.height()}, context.color(Role::Halo, 0.8));
    painter.fillRect(QRectF{x, plot.top(), 1, plot.height()}, context.color(Role::Text));
    if (!context.frame.shows(stacked->totalAt(step)))
        return;
    context.setShape(QPen{context.color(Role::Halo), 1.5}, context.color(Role::Text));
    const double r = context.px(4);
    painter.drawEllipse(QPointF{x + 0.5, context.frame.at.yOf(stacked->totalAt(step))}, r, r);
}

std::optional<PinDistance> pinDistance(const TimelineModel& model, const TimelineFrame& frame,
                                       const Theme& theme)
{
    const std::vector<std::size_t>& pins = model.pins;
    if (pins.size() != 2 || !model.stacked)
        return std::nullopt;
    const timeline::Timeline& stacked = *model.stacked;
    const auto [first, second] = std::minmax(pins[0], pins[1]);
    if (second >= stacked.stepCount())
        return std::nullopt;
    Tag tag;
    tag.strong = bytesDifferenceText(stacked.totalAt(second) - stacked.totalAt(first));
    if (model.isTimed())
        tag.plain = timeDifferenceText(stacked.timeAt(second) - stacked.timeAt(first));
    const QSizeF size = tagSize(theme, tag);
    const double middle =
        (frame.xOfStep(model.axis, first) + frame.xOfStep(model.axis, second)) / 2;
    const QRectF& plot = frame.at.plot();
    return PinDistance{
        QRectF{QPointF{middle - size.width() / 2, plot.bottom() - size.height() - 6}, size}, tag};
}

void paintPinDistance(const PaintContext& context)
{
    if (const auto distance = pinDistance(context.model, context.frame, context.theme))
        paintTag(context, distance->rect, distance->tag);
}

std::array<Tag, 2> rangeReadout(const TimelineModel& model)
{
    const StepRange range = *model.range;
    if (model.rangeText) {
        const RangeText text = model.rangeText(range);
        return {Tag{text.strong, text.plain}, Tag{{}, text.below}};
    }
    const timeline::Change change = timeline::changeBetween(*model.stacked, range.begin, range.end);
    const QString steps =
        readoutText(range.begin == range.end ? "step %1" : "steps %1").arg(rangeText(range));
    const QString time =
        timeText(model.stacked->timeAt(range.end + 1) - model.stacked->timeAt(range.begin));
    return {Tag{bytesDifferenceText(change.difference),
                model.isTimed() ? readoutText("in %1 · %2").arg(time, steps) : steps},
            Tag{{},
                readoutText("allocated %1 · freed %2")
                    .arg(bytesText(change.allocated), bytesText(change.freed))}};
}

std::vector<QRectF> rangeReadoutPlaces(const TimelineModel& model, const TimelineFrame& frame,
                                       const Theme& theme)
{
    if (!hasReadout(model))
        return {};
    const QRectF& plot = frame.at.plot();
    const double left = frame.at.xOf(model.axis.positionOf(model.range->begin));
    const double right = frame.at.xOf(model.axis.positionOf(model.range->end + 1));
    if (right < plot.left() || left > plot.right())
        return {};
    QSizeF size;
    for (const Tag& line : rangeReadout(model)) {
        const QSizeF own = tagSize(theme, line);
        size = {std::max(size.width(), own.width()), size.height() + own.height()};
    }
    const double gap = kReadoutGap * frame.layout.scale;
    const double middle = (std::max(left, plot.left()) + std::min(right, plot.right())) / 2;
    const double most = std::max(plot.left() + gap, plot.right() - gap - size.width());
    const double x = std::round(std::clamp(middle - size.width() / 2, plot.left() + gap, most));
    std::vector<QRectF> places;
    for (const double y : {plot.top() + gap, plot.bottom() - gap - size.height(),
                           plot.center().y() - size.height() / 2})
        places.emplace_back(QPointF{x, std::round(y)}, size);
    return places;
}

void paintRangeReadout(const PaintContext& context, const QRectF& rect)
{
    context.setShape(QPen{context.color(Role::Accent), 1}, context.color(Role::Panel));
    context.painter.drawRoundedRect(rect.adjusted(-1.5, -1.5, 1.5, 1.5), 4, 4);
    double y = rect.top();
    for (const Tag& line : rangeReadout(context.model)) {
        const QSizeF size = tagSize(context.theme, line);
        paintTag(context, QRectF{QPointF{rect.left(), y}, size}, line);
        y += size.height();
    }
}

} // namespace plimsoll::ui
