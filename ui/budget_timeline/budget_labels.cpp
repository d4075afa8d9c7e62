// SPDX-License-Identifier: Apache-2.0
// The overlay's labels and the marks that they belong to.
#include "ui/base/kept_picture.h"
#include "ui/base/numbers.h"
#include "ui/budget_timeline/budget_paint.h"
#include "ui/budget_timeline/measured_line.h"
#include "ui/plot/label_placer.h"
#include "ui/plot/paths.h"

#include <array>
#include <cmath>

namespace plimsoll::ui {

namespace {

Tag unplannedPeakTag(const BudgetModel& model)
{
    return {QStringLiteral("unplanned ") + bytesText(model.unplanned->peak(), Rounding::Up),
            model.unplannedPeakName, Role::Text};
}

Tag boundTag(const BudgetModel& model)
{
    return {QString{}, QStringLiteral("lower bound ") + bytesText(model.bound->bytes, Rounding::Up),
            Role::Text};
}

Tag witnessTag(const BudgetModel& model)
{
    return {bytesText(model.bound->bytes, Rounding::Up) + QStringLiteral(" must be live here"),
            model.bound->where, Role::Text};
}

/// Positions for the measured peak's label: first below its disc, since the predicted label is
/// above, then above.
std::array<QRectF, 4> aroundMark(const PeakMark& mark, const QSizeF& size, double scale)
{
    const double right = mark.apex.x() + 10 * scale;
    const double left = mark.apex.x() - 10 * scale - size.width();
    const double below = mark.apex.y() + 3;
    const double above = mark.apex.y() - 2 * size.height() - 2;
    return {QRectF{QPointF{right, below}, size}, QRectF{QPointF{left, below}, size},
            QRectF{QPointF{right, above}, size}, QRectF{QPointF{left, above}, size}};
}

/// Places the labels of the two other curves' peaks.
void placePeaks(const Placing& to, const BudgetModel& model)
{
    const double scale = to.frame.layout.scale;
    if (const auto mark = unplannedPeakMark(model, to.frame)) {
        const auto places = besideMark(*mark, tagSize(to.theme, unplannedPeakTag(model)), scale);
        to.labels.overlay[UnplannedPeakLabel] = to.placer.place(places);
    }
    if (const auto mark = measuredPeakMark(model, to.frame)) {
        const auto places = aroundMark(*mark, tagSize(to.theme, measuredPeakTag(model)), scale);
        to.labels.overlay[MeasuredPeakLabel] = to.placer.place(places);
    }
}

void placeBound(const Placing& to, const BudgetModel& model)
{
    if (!model.bound || !to.frame.shows(model.bound->bytes))
        return;
    const QRectF& plot = to.frame.at.plot();
    const QSizeF size = tagSize(to.theme, boundTag(model));
    const double y = to.frame.at.yOf(model.bound->bytes);
    const double x = plot.left() + 8 * to.frame.layout.scale;
    const std::array places{QRectF{QPointF{x, y - size.height() - 2}, size},
                            QRectF{QPointF{x, y + 3}, size}};
    to.labels.overlay[BoundLabel] = to.placer.place(places);
    to.placer.block(QRectF{plot.left(), y - 1, plot.width(), 2});
}

/// Places the label at the step where even the smallest set of tensors exceeds the budget.
void placeWitness(const Placing& to, const BudgetModel& model)
{
    const double scale = to.frame.layout.scale;
    if (!model.bound || !model.bound->step || model.state != BudgetState::Infeasible
        || !to.frame.shows(model.bound->bytes))
        return;
    const QSizeF size = tagSize(to.theme, witnessTag(model)) + QSizeF{0, 6};
    const double x = to.frame.xOfStep(model.plot.axis, *model.bound->step);
    const double y = to.frame.at.yOf(model.bound->bytes) - 60 * scale - size.height();
    const std::array places{
        QRectF{QPointF{x - 10, y}, size},
        QRectF{QPointF{x - size.width() + 10, y}, size},
        QRectF{QPointF{x - 10, y + 30 * scale}, size},
        QRectF{QPointF{x - size.width() + 10, y + 30 * scale}, size},
    };
    to.labels.overlay[WitnessLabel] = to.placer.place(places);
}

/// At the right end of the level lines: above them, otherwise below, otherwise further left.
void placeLevels(const Placing& to, const BudgetModel& model)
{
    if (!model.measured)
        return;
    const QRectF& plot = to.frame.at.plot();
    for (const MeasuredLevel& level : model.measured->levels) {
        to.labels.overlay.emplace_back();
        if (!model.showsLevel(level.bytes) || !to.frame.shows(level.bytes))
            continue;
        const QSizeF size = tagSize(to.theme, measuredLevelTag(level));
        const double y = to.frame.at.yOf(level.bytes);
        std::vector<QRectF> places;
        for (const double part : {1.0, 0.7, 0.4, 0.1})
            for (const double top : {y - size.height() - 2, y + 3})
                places.emplace_back(
                    QPointF{plot.left() + part * (plot.width() - size.width() - 16) + 8, top},
                    size);
        to.labels.overlay.back() = to.placer.place(places);
    }
}

std::optional<QRectF> readoutRect(const Placing& to, const BudgetModel& model)
{
    if (!model.drag || !model.plot.line || model.readout.empty())
        return std::nullopt;
    const QSizeF size = readoutSize(model, to.theme);
    const QRectF& plot = to.frame.at.plot();
    const double y = std::round(to.frame.at.yOf(to.frame.bytes.shown.clamped(*model.plot.line)));
    const double left = std::round(plot.right() - 10 * to.frame.layout.scale) - size.width();
    const double gap = 16 * to.frame.layout.scale;
    const QRectF below{QPointF{left, y + gap}, size};
    const QRectF above{QPointF{left, y - gap - size.height()}, size};
    return to.placer.isFree(below) ? below : above;
}

} // namespace

std::optional<QRectF> labelRect(const PlacedLabels& labels, std::size_t label)
{
    return label < labels.overlay.size() ? labels.overlay[label] : std::nullopt;
}

void placeLabels(const Placing& to, const BudgetModel& model, LabelRank rank)
{
    switch (rank) {
    case LabelRank::BeforeCards:
        to.labels.overlay.resize(FirstLevelLabel);
        to.labels.overlay[ReadoutLabel] = readoutRect(to, model);
        if (to.labels.overlay[ReadoutLabel])
            to.placer.block(*to.labels.overlay[ReadoutLabel]);
        return;
    case LabelRank::BeforePeak: placeWitness(to, model); return;
    case LabelRank::AfterPeak:
        placePeaks(to, model);
        placeLevels(to, model);
        placeBound(to, model);
        return;
    }
}

std::optional<PeakMark> unplannedPeakMark(const BudgetModel& model, const TimelineFrame& frame)
{
    // One mark is enough if the plan is the unplanned program.
    if (model.unplanned == model.plot.stacked)
        return std::nullopt;
    const std::optional<double> position = model.unplannedPeakPosition();
    if (!position || !frame.shows(frame.at.xOf(*position)) || !frame.shows(model.unplanned->peak()))
        return std::nullopt;
    return peakMarkAt(model.plot, frame,
                      {frame.at.xOf(*position), frame.at.yOf(model.unplanned->peak())});
}

void paintLowerBound(const PaintContext& context, const BudgetModel& model)
{
    if (!model.bound || !context.frame.shows(model.bound->bytes))
        return;
    const QRectF& plot = context.frame.at.plot();
    const double y = std::round(context.frame.at.yOf(model.bound->bytes));
    drawKept(context.painter, QPointF{plot.left(), y}, QStringLiteral("bound"),
             QRectF{0, -2, plot.width(), 5}, [&](QPainter& painter) {
                 const QLineF line{0, 0.5, plot.width(), 0.5};
                 for (const QPen& pen : {QPen{context.color(Role::Panel, 0.8), 3},
                                         dashedPen(context.color(Role::Text), 1.4, {1.5, 2.2})}) {
                     setShape(painter, pen);
                     painter.drawLine(line);
                 }
             });
}

void paintBoundLabel(const PaintContext& context, const BudgetModel& model,
                     const PlacedLabels& labels)
{
    if (const auto rect = labelRect(labels, BoundLabel))
        paintTag(context, *rect, boundTag(model));
}

void paintUnplannedPeak(const PaintContext& context, const BudgetModel& model,
                        const PlacedLabels& labels)
{
    const std::optional<PeakMark> mark = unplannedPeakMark(model, context.frame);
    if (!mark)
        return;
    paintPeakMark(context, *mark, false);
    if (const auto rect = labelRect(labels, UnplannedPeakLabel))
        paintTag(context, *rect, unplannedPeakTag(model));
}

void paintWitness(const PaintContext& context, const BudgetModel& model, const PlacedLabels& labels)
{
    const std::optional<QRectF> rect = labelRect(labels, WitnessLabel);
    if (!rect || !model.bound || !model.bound->step)
        return;
    QPainter& painter = context.painter;
    const QColor danger = context.color(Role::Danger);
    const double x = context.frame.xOfStep(model.plot.axis, *model.bound->step);
    const double y = context.frame.at.yOf(model.bound->bytes);
    context.setShape(QPen{danger, 1.4}, danger);
    painter.drawLine(QPointF{x, rect->bottom()}, QPointF{x, y});
    painter.setPen(Qt::NoPen);
    painter.drawEllipse(QPointF{x, y}, context.px(4.5), context.px(4.5));
    paintTag(context, *rect, witnessTag(model));
    context.setShape(QPen{danger, 1});
    painter.drawRoundedRect(rect->adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
}

} // namespace plimsoll::ui
