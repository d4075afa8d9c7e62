// SPDX-License-Identifier: Apache-2.0
#include "ui/base/drawn_text.h"
#include "ui/base/kept_picture.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_paint.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kMarkOffset = 14; ///< centre of the mark right of the plot
constexpr double kMarkRadius = 9;
constexpr double kPillOffset = 16; ///< pill right of the mark's centre
constexpr double kMostShift = 12;  ///< of the pill towards the mark
constexpr double kPillHeight = 22;
constexpr double kPillPad = 7;
constexpr std::size_t kMostCapacities = 5;
constexpr double kLabelGap = 26;
constexpr double kPillGap = 30;      ///< device labels keep away from the pill
constexpr double kPillGapAbove = 36; ///< the name below the size needs room too

double lineY(const BudgetModel& model, const TimelineFrame& frame)
{
    const QRectF& plot = frame.at.plot();
    return std::clamp(std::round(frame.at.yOf(*model.plot.line)), plot.top(), plot.bottom());
}

QPointF markCenter(const BudgetModel& model, const TimelineFrame& frame)
{
    return {frame.at.plot().right() + std::round(kMarkOffset * frame.layout.scale),
            lineY(model, frame)};
}

/// An arrow shows where the line is if it is outside what is shown of the axis.
QString pillText(const BudgetModel& model, const TimelineFrame& frame)
{
    QString text = bytesText(*model.plot.line);
    if (*model.plot.line > frame.bytes.shown.top)
        text.prepend(QStringLiteral("↑ "));
    else if (*model.plot.line < frame.bytes.shown.bottom)
        text.prepend(QStringLiteral("↓ "));
    if (model.drag && model.drag->snapped() && !model.drag->snapped()->name.isEmpty())
        text += QStringLiteral(" · ") + model.drag->snapped()->name;
    if (model.stale)
        text += u'…';
    return text;
}

void paintMark(const PaintContext& context, const BudgetModel& model, const QColor& ink)
{
    const double r = context.px(kMarkRadius);
    const double glow = context.px(17);
    const bool isDragged = model.drag.has_value();
    const QString key = QStringLiteral("mark %1 %2").arg(ink.name()).arg(isDragged);
    drawKept(
        context.painter, markCenter(model, context.frame), key,
        QRectF{-glow - 2, -glow - 2, 2 * glow + 4, 2 * glow + 4}, [&](QPainter& painter) {
            if (isDragged) {
                setShape(painter, Qt::NoPen, context.color(Role::Accent, 0.22));
                painter.drawEllipse(QPointF{}, glow, glow);
            }
            setShape(painter, QPen{ink, 2.5 * context.theme.scale()}, context.color(Role::Panel));
            painter.drawEllipse(QPointF{}, r, r);
            painter.setRenderHint(QPainter::Antialiasing, false);
            painter.fillRect(QRectF{-r - context.px(5), -1, 2 * (r + context.px(5)), 2}, ink);
        });
}

void paintPill(const PaintContext& context, const BudgetModel& model, const QColor& ink)
{
    QPainter& painter = context.painter;
    const QRectF pill = pillRect(model, context.frame, context.theme);
    const bool dragged = model.drag.has_value() && model.state == BudgetState::Feasible;
    context.setShape(Qt::NoPen, dragged ? context.color(Role::Accent) : ink);
    painter.drawRoundedRect(pill, 4, 4);
    context.setText(TextRole::Strong, dragged ? Role::OnAccent : Role::Panel);
    drawNumber(painter,
               QPointF{pill.left() + context.px(kPillPad), baselineIn(pill, painter.font())},
               pillText(model, context.frame), Qt::AlignLeft);
    if (!model.lineFocused)
        return;
    context.setShape(QPen{context.color(Role::Accent), 2});
    painter.drawRoundedRect(pill.adjusted(-3, -3, 3, 3), 6, 6);
    const double ring = context.px(kMarkRadius) + 4;
    painter.drawEllipse(markCenter(model, context.frame), ring, ring);
}

/// No plan fits between an infeasible budget and the lower bound.
void paintImpossibleBand(const PaintContext& context, const BudgetModel& model)
{
    if (!model.bound || model.state != BudgetState::Infeasible)
        return;
    const QRectF& plot = context.frame.at.plot();
    const double top =
        std::clamp(context.frame.at.yOf(model.bound->bytes), plot.top(), plot.bottom());
    const double bottom = lineY(model, context.frame);
    if (bottom - top < 1)
        return;
    QPainter& painter = context.painter;
    painter.fillRect(QRectF{QPointF{plot.left(), top}, QPointF{plot.right(), bottom}},
                     context.color(Role::Danger, context.theme.isDark() ? 0.14 : 0.10));
    context.setShape(QPen{context.color(Role::Danger, 0.62), 1.1});
    // Lines "/", that is x + y = c, from the plot's corner, in whole columns.
    constexpr double kGap = 7;
    const auto columns = static_cast<int>(plot.width());
    const auto columnAt = [](double x) { return static_cast<int>(std::floor(x + 0.5)); };
    const double above = top - plot.top();
    const double below = bottom - plot.top();
    for (double c = std::ceil(above / kGap) * kGap; c <= columns + below; c += kGap) {
        const int first = std::max(0, columnAt(c - below));
        const int end = std::min(columns, columnAt(c - above));
        if (first < end)
            painter.drawLine(
                QLineF(first, c - first, end, c - end).translated(plot.left(), plot.top()));
    }
}

} // namespace

QRectF markRect(const BudgetModel& model, const TimelineFrame& frame)
{
    const double side = 28 * frame.layout.scale;
    return QRectF{markCenter(model, frame) - QPointF{side / 2, side / 2}, QSizeF{side, side}};
}

QRectF pillRect(const BudgetModel& model, const TimelineFrame& frame, const Theme& theme)
{
    const double width =
        std::ceil(numberWidth(theme.font(TextRole::Strong), pillText(model, frame)))
        + 2 * theme.px(kPillPad);
    const double height = theme.px(kPillHeight);
    const QPointF center = markCenter(model, frame);
    double left = center.x() + theme.px(kPillOffset);
    // A long snapped name would extend beyond the widget: put the pill to the left of the mark.
    // With the "…" of planning it stays on its side, up to the mark's edge.
    const double beyond = std::max(0.0, left + width - (frame.layout.header.right() - 2));
    left =
        beyond > theme.px(kMostShift) ? center.x() - theme.px(kPillOffset) - width : left - beyond;
    return {left, center.y() - height / 2, width, height};
}

std::vector<CapacityLabel> capacityLabels(const BudgetModel& model, const TimelineFrame& frame)
{
    std::vector<CapacityLabel> labels;
    const double gap = kLabelGap * frame.layout.scale;
    for (const bool chosen : {true, false}) {
        for (std::size_t i = 0; i < model.capacities.size(); ++i) {
            const CapacityMark& mark = model.capacities[i];
            if (mark.chosen != chosen || !frame.shows(mark.size)
                || labels.size() >= kMostCapacities)
                continue;
            const double y = std::round(frame.at.yOf(mark.size));
            CapacityLabel label{i, y, y, true, true};
            if (model.plot.line) {
                // The pill has precedence.
                const double pill = lineY(model, frame);
                const double above = kPillGapAbove * frame.layout.scale;
                const double below = kPillGap * frame.layout.scale;
                if (y <= pill && pill - y < above)
                    label.textY = pill - above;
                else if (y > pill && y - pill < below)
                    label.textY = pill + below;
            }
            const auto nearest = [&](double distance) {
                return std::ranges::any_of(labels, [&](const CapacityLabel& other) {
                    return other.hasSize && std::abs(other.textY - label.textY) < distance;
                });
            };
            const bool isOnName = std::ranges::any_of(labels, [&](const CapacityLabel& other) {
                return other.hasSize && other.hasName && label.textY > other.textY
                       && label.textY - other.textY < gap;
            });
            label.hasSize = !nearest(gap / 2 + 1) && !isOnName;
            // A label above another must not overlap it with its name.
            label.hasName = label.hasSize && !nearest(gap);
            labels.push_back(label);
        }
    }
    return labels;
}

void paintCapacities(const PaintContext& context, const BudgetModel& model)
{
    QPainter& painter = context.painter;
    const double left = context.frame.at.plot().right();
    const QFontMetricsF metrics{context.theme.font(TextRole::Small)};
    const QColor ground = context.color(Role::Panel);
    for (const CapacityLabel& label : capacityLabels(model, context.frame)) {
        const CapacityMark& mark = model.capacities[label.index];
        const bool snapped = model.drag && model.drag->snapped()
                             && model.drag->snapped()->bytes == mark.size
                             && model.drag->snapped()->name == mark.name;
        painter.setRenderHint(QPainter::Antialiasing, false);
        const QColor ink = context.color(Role::BorderStrong);
        painter.fillRect(QRectF{left, label.tickY, context.px(8), snapped ? 2.0 : 1.0}, ink);
        const double x = left + context.px(12);
        const double baseline = label.textY + (metrics.ascent() - metrics.descent()) / 2;
        if (label.hasSize) {
            context.setText(TextRole::SmallMedium, Role::Text);
            drawNumberOn(ground, painter, QPointF{x, baseline}, capacityText(mark.size),
                         Qt::AlignLeft);
        }
        if (label.hasSize && label.hasName) {
            context.setText(TextRole::Small, Role::Muted);
            const QString name = fittedName(painter.font(), mark.name, Qt::ElideRight,
                                            context.frame.layout.header.right() - x - 4);
            drawNameOn(ground, painter, QPointF{x, baseline + metrics.height() - 1}, name);
        }
    }
}

void paintBudgetLine(const PaintContext& context, const BudgetModel& model)
{
    if (!model.plot.line)
        return;
    paintImpossibleBand(context, model);
    QPainter& painter = context.painter;
    const QRectF& plot = context.frame.at.plot();
    const double y = lineY(model, context.frame);
    const double core = model.lineHovered || model.drag ? 3 : 2;
    const double left = plot.left() - context.px(6);
    const double width = plot.width() + context.px(26);
    const QColor ink = context.color(model.plot.lineInk);
    if (context.frame.shows(*model.plot.line)) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.fillRect(QRectF{left, y - 1 - 1.5, width, core + 3},
                         context.color(Role::Halo, 0.85));
        painter.fillRect(QRectF{left, y - 1, width, core}, ink);
    }
    paintMark(context, model, ink);
    paintPill(context, model, ink);
}

QSizeF readoutSize(const BudgetModel& model, const Theme& theme)
{
    const QFont plain = theme.font(TextRole::Small);
    const QFont strong = theme.font(TextRole::SmallStrong);
    double width = 0;
    for (const ReadoutRow& row : model.readout)
        width = std::max(width, numberWidth(plain, row.name) + numberWidth(strong, row.value));
    const double height = QFontMetricsF{plain}.height() + theme.px(4);
    return {std::ceil(width + theme.px(20) + 2 * theme.px(10)),
            std::ceil(height * static_cast<double>(model.readout.size()) + theme.px(12))};
}

void paintReadout(const PaintContext& context, const BudgetModel& model, const QRectF& rect)
{
    drawCard(context.painter, rect);
    const QFontMetricsF metrics{context.theme.font(TextRole::Small)};
    const double pad = context.px(10);
    double y = rect.top() + context.px(8);
    for (const ReadoutRow& row : model.readout) {
        context.setText(TextRole::Small, Role::Muted);
        drawNumberOn(context.color(Role::Panel), context.painter,
                     QPointF{rect.left() + pad, y + metrics.ascent()}, row.name, Qt::AlignLeft);
        context.setText(TextRole::SmallStrong, Role::Text);
        drawNumber(context.painter, QPointF{rect.right() - pad, y + metrics.ascent()}, row.value,
                   Qt::AlignRight);
        y += metrics.height() + context.px(4);
    }
}

} // namespace plimsoll::ui
