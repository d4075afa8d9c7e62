// SPDX-License-Identifier: Apache-2.0
#include "ui/budget_timeline/measured_line.h"

#include "ui/base/numbers.h"
#include "ui/budget_timeline/budget_paint.h"
#include "ui/plot/paths.h"
#include "ui/timeline/stack_columns.h"

#include <QCoreApplication>

#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kWidth = 1.75;
constexpr double kHalo = 4;
constexpr double kDisc = 3.5; ///< radius of the peak's mark

QString translated(const char* text)
{
    return QCoreApplication::translate("Timeline", text);
}

QPolygonF curveOf(const BudgetModel& model, const TimelineFrame& frame)
{
    if (!model.measured || !model.measured->live || model.plot.axis.stepCount() == 0)
        return {};
    return edgeOf(
        curveHeights(*model.measured->live, model.plot.axis, model.measured->stepAt, frame.at),
        frame.at.plot().height());
}

void drawCurve(QPainter& painter, const QPolygonF& curve, const Theme& theme)
{
    for (const auto& [color, width] : {std::pair{theme.color(Role::Panel, 0.9), kHalo},
                                       std::pair{theme.color(Role::Accent), kWidth}}) {
        QPen pen{color, width};
        pen.setJoinStyle(Qt::BevelJoin);
        setShape(painter, pen);
        painter.drawPolyline(curve);
    }
}

} // namespace

QString measuredName(const MeasuredSet& set)
{
    return set.stepAt ? translated("measured unplanned") : translated("measured");
}

QString measuredDifferenceText(base::Bytes measured, base::Bytes predicted)
{
    const base::Bytes difference = measured - predicted;
    if (difference.count() == 0)
        return translated("as predicted");
    if (predicted.count() == 0)
        return bytesDifferenceText(difference);
    return QStringLiteral("%1 (%2)").arg(
        bytesDifferenceText(difference),
        percentDifferenceText(static_cast<double>(difference.count())
                              / static_cast<double>(predicted.count())));
}

QPixmap makeMeasuredLine(const BudgetModel& model, const TimelineFrame& frame, const Theme& theme,
                         double devicePixelRatio)
{
    const QPolygonF curve = curveOf(model, frame);
    if (curve.isEmpty())
        return {};
    QPixmap pixmap{(frame.at.plot().size() * devicePixelRatio).toSize()};
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter{&pixmap};
    drawCurve(painter, curve, theme);
    return pixmap;
}

void paintMeasuredLevels(const PaintContext& context, const BudgetModel& model)
{
    if (!model.measured)
        return;
    const QRectF& plot = context.frame.at.plot();
    for (const MeasuredLevel& level : model.measured->levels) {
        if (!model.showsLevel(level.bytes) || !context.frame.shows(level.bytes))
            continue;
        const double y = std::round(context.frame.at.yOf(level.bytes)) + 0.5;
        for (const QPen& pen : {QPen{context.color(Role::Panel, 0.8), 3},
                                dashedPen(context.color(Role::Accent), 1.4, {6, 2, 1.5, 2})}) {
            context.setShape(pen);
            context.painter.drawLine(QPointF{plot.left(), y}, QPointF{plot.right(), y});
        }
    }
}

void paintLevelLabels(const PaintContext& context, const BudgetModel& model,
                      const PlacedLabels& labels)
{
    for (std::size_t i = 0; model.measured && i < model.measured->levels.size(); ++i)
        if (const auto rect = labelRect(labels, FirstLevelLabel + i))
            paintTag(context, *rect, measuredLevelTag(model.measured->levels[i]));
}

std::optional<PeakMark> measuredPeakMark(const BudgetModel& model, const TimelineFrame& frame)
{
    const std::optional<double> position = model.measuredPeakPosition();
    if (!position || !model.measured || !model.measured->live)
        return std::nullopt;
    const QPointF apex{frame.at.xOf(*position), frame.at.yOf(model.measured->live->peak())};
    if (!frame.shows(apex.x()) || !frame.shows(model.measured->live->peak()))
        return std::nullopt;
    return PeakMark{apex, true};
}

void paintMeasuredPeak(const PaintContext& context, const BudgetModel& model,
                       const PlacedLabels& labels)
{
    const std::optional<PeakMark> mark = measuredPeakMark(model, context.frame);
    if (!mark)
        return;
    context.setShape(QPen{context.color(Role::Panel), 1.5}, context.color(Role::Accent));
    const double r = context.px(kDisc);
    context.painter.drawEllipse(mark->apex, r, r);
    if (const auto rect = labelRect(labels, MeasuredPeakLabel))
        paintTag(context, *rect, measuredPeakTag(model));
}

Tag measuredPeakTag(const BudgetModel& model)
{
    const MeasuredSet& measured = *model.measured;
    QString plain = measuredDifferenceText(measured.live->peak(), measured.predicted->peak());
    if (!measured.basis.isEmpty())
        plain += u' ' + measured.basis;
    return {measuredName(measured) + u' ' + bytesText(measured.live->peak(), Rounding::Up), plain,
            Role::Accent};
}

Tag measuredLevelTag(const MeasuredLevel& level)
{
    return {bytesText(level.bytes, Rounding::Up), level.name, Role::Accent};
}

std::vector<HoverRow> measuredRows(const BudgetModel& model, std::size_t plannedStep)
{
    const std::optional<std::size_t> at = model.measuredStepAt(plannedStep);
    if (!at)
        return {};
    const MeasuredSet& set = *model.measured;
    const base::Bytes measured = set.live->totalAt(*at);
    const base::Bytes predicted = set.predicted->totalAt(*at);
    return {{measuredName(set), bytesText(measured, Rounding::Up), Role::Accent, Role::Accent,
             TextRole::Strong},
            {set.basis.isEmpty() && !set.stepAt
                 ? QStringLiteral("difference")
                 : QStringLiteral("against %1").arg(bytesText(predicted, Rounding::Up)),
             measuredDifferenceText(measured, predicted)}};
}

} // namespace plimsoll::ui
