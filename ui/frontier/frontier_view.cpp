// SPDX-License-Identifier: Apache-2.0
#include "ui/frontier/frontier_view.h"

#include "ui/base/drawn_text.h"
#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/frontier/frontier_label.h"
#include "ui/plot/paths.h"
#include "ui/plot/planner_mark.h"
#include "ui/plot/ticks.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleHints>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr double kLegendHeight = 22;

/// The distinct marks of the frontier's plans.
std::vector<const PlannerLook*> marksOf(const plan::Frontier& frontier)
{
    std::vector<const PlannerLook*> marks;
    const auto points = frontier.candidates();
    for (const PlannerLook& look : plannerLooks())
        if (std::ranges::any_of(points, [&look](const plan::FrontierPoint& point) {
                return &plannerLookOf(point.provenance->madeBy().planner) == &look;
            }))
            marks.push_back(&look);
    return marks;
}

} // namespace

FrontierView::FrontierView(QWidget* parent) : QWidget{parent}
{
    setManualPage(*this, QStringLiteral("window.md#frontier"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(QStringLiteral("Frontier: slow-down against peak"));
    connect(&Theme::current(), &Theme::changed, this, &FrontierView::redraw);
}

void FrontierView::setFrontier(plan::FrontierPtr frontier, base::Nanoseconds unplannedTime,
                               base::Bytes lowerBound)
{
    m_frontier = std::move(frontier);
    m_unplannedTime = unplannedTime;
    m_lowerBound = lowerBound;
    describe();
    redraw();
}

void FrontierView::redraw()
{
    m_stillDirty = true;
    update();
}

void FrontierView::setBudget(base::Bytes budget)
{
    if (std::exchange(m_budget, budget) != budget)
        update();
}

void FrontierView::setCurrent(plan::VerifiedPlanPtr plan)
{
    if (std::exchange(m_current, plan) == plan)
        return;
    describe();
    update();
}

QSize FrontierView::sizeHint() const
{
    return {Theme::current().px(372), Theme::current().px(200)};
}

QSize FrontierView::minimumSizeHint() const
{
    return {Theme::current().px(200), Theme::current().px(110)};
}

double FrontierView::slowerOf(const plan::VerifiedPlan& plan) const
{
    return slowDown(plan.evaluation().stepTime, m_unplannedTime);
}

FrontierAxes FrontierView::axes() const
{
    const Theme& theme = Theme::current();
    const QRectF plot = QRectF{rect()}.adjusted(theme.px(52), theme.px(kLegendHeight),
                                                -theme.px(14), -theme.px(34));
    return m_frontier && !m_frontier->points().empty()
               ? frontierAxes(plot, *m_frontier, m_unplannedTime, m_lowerBound)
               : FrontierAxes{.plot = plot};
}

QPointF FrontierView::positionOf(const plan::VerifiedPlan& plan) const
{
    return axes().at(gibOf(plan.evaluation().peak), slowerOf(plan));
}

base::Bytes FrontierView::budgetAt(double x) const
{
    const FrontierAxes range = axes();
    const double share = std::clamp((x - range.plot.left()) / range.plot.width(), 0.0, 1.0);
    return base::Bytes{std::llround((range.minGiB + share * (range.maxGiB - range.minGiB)) * kGiB)};
}

void FrontierView::setEmptyText(const QString& text)
{
    if (std::exchange(m_emptyText, text) == text)
        return;
    update();
    describe();
}

void FrontierView::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    QPainter painter{this};
    if (!m_frontier || m_frontier->points().empty()) {
        painter.fillRect(rect(), theme.color(Role::Panel));
        setText(painter, TextRole::Body, Role::Muted);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    const FrontierAxes range = axes();
    const bool hasRoom = range.plot.width() >= 40 && range.plot.height() >= 30;
    if (m_stillDirty || m_still.size() != size() * devicePixelRatioF()) {
        m_still = QPixmap{size() * devicePixelRatioF()};
        m_still.setDevicePixelRatio(devicePixelRatioF());
        m_still.fill(theme.color(Role::Panel));
        if (hasRoom) {
            QPainter still{&m_still};
            paintAxes(still, range);
            paintCurve(still, range);
            paintLegend(still);
        }
        m_stillDirty = false;
    }
    painter.drawPixmap(QPointF{}, m_still);
    if (!hasRoom)
        return;
    paintBudget(painter, range);
    if (m_hasRing)
        drawFocusRing(painter, range.plot);
}

void FrontierView::paintAxes(QPainter& painter, const FrontierAxes& range) const
{
    const Theme& theme = Theme::current();
    painter.fillRect(range.plot, theme.color(Role::Plot));
    painter.setFont(theme.font(TextRole::Small));
    const QFontMetricsF metrics{painter.font()};
    const double scaled = range.scaledHeight();
    std::vector<double> ticks = decimalTicks(0, range.limit * 100, scaled, theme.px(30));
    if (range.isBroken()) {
        std::erase_if(ticks, [&](double tick) { return tick > range.limit * 100 * 0.9; });
        ticks.push_back(std::round(range.maxSlower / 1.1 * 100));
    }
    for (const double tick : ticks) {
        const double y = range.at(range.minGiB, tick / 100).y();
        painter.setPen(theme.color(Role::Grid));
        painter.drawLine(QPointF{range.plot.left(), y}, QPointF{range.plot.right(), y});
        painter.setPen(theme.color(Role::Muted));
        const QString text =
            tick > 0 ? QStringLiteral("+%1\u00a0%").arg(tick) : QStringLiteral("0");
        drawNumber(painter, {range.plot.left() - theme.px(8), y + metrics.capHeight() / 2}, text,
                   Qt::AlignRight);
    }
    if (range.isBroken())
        paintBreak(painter, range);
    const ByteUnit& unit = byteUnitOf(m_frontier->points().back()->evaluation().peak);
    const double perGiB = kGiB / static_cast<double>(unit.factor);
    for (const double tick : decimalTicks(range.minGiB * perGiB, range.maxGiB * perGiB,
                                          range.plot.width(), theme.px(44))) {
        const double x = range.at(tick / perGiB, 0).x();
        painter.setPen(theme.color(Role::Muted));
        drawNumber(painter, {x, range.plot.bottom() + theme.px(15)}, QString::number(tick),
                   Qt::AlignHCenter);
    }
    painter.setPen(theme.color(Role::Muted));
    painter.drawText(QRectF{range.plot.left(), range.plot.bottom() + theme.px(17),
                            range.plot.width(), metrics.height()},
                     Qt::AlignRight, QStringLiteral("peak, %1").arg(QString::fromUtf16(unit.name)));
    const double bound = range.at(gibOf(m_lowerBound), 0).x();
    if (bound > range.plot.left() + 1) {
        const QRectF zone{range.plot.left(), range.plot.top(), bound - range.plot.left(),
                          range.plot.height()};
        painter.setPen(QPen{theme.color(Role::BorderStrong, 0.5), 1});
        painter.drawPath(hatchPath(zone, 6));
        painter.setPen(QPen{theme.color(Role::Text), 1.25, Qt::DotLine});
        painter.drawLine(QPointF{bound, range.plot.top()}, QPointF{bound, range.plot.bottom()});
    }
    painter.setPen(theme.color(Role::BorderStrong));
    painter.drawLine(range.plot.bottomLeft(), range.plot.bottomRight());
}

/// Two short strokes across the axis.
void FrontierView::paintBreak(QPainter& painter, const FrontierAxes& range)
{
    const Theme& theme = Theme::current();
    const QPointF at{range.plot.left(), range.plot.bottom() - range.scaledHeight()};
    const double half = theme.px(4);
    setShape(painter, QPen{theme.color(Role::Panel), 5});
    painter.drawLine(at, at + QPointF{range.plot.width(), 0});
    setShape(painter, QPen{theme.color(Role::Muted), 1.25});
    for (const double y : {-2.5, 2.5})
        for (const double x : {0.0, range.plot.width()}) {
            const QPointF middle = at + QPointF{x, y};
            painter.drawLine(middle + QPointF{-half, half / 2}, middle + QPointF{half, -half / 2});
        }
}

void FrontierView::paintCurve(QPainter& painter, const FrontierAxes& range) const
{
    const Theme& theme = Theme::current();
    QPolygonF points;
    for (const plan::FrontierPoint& point : m_frontier->points())
        points << range.at(gibOf(point->evaluation().peak), slowerOf(*point));
    painter.save();
    painter.setClipRect(range.plot.adjusted(-6, -6, 6, 6));
    // The line looks like the planner that was asked, each marker like the plan's own planner.
    const PlannerLook& asked =
        plannerLookOf(m_frontier->points().front().provenance->asked.planner);
    QPen pen{theme.color(asked.ink), 2};
    if (const QList<qreal> dashes = plannerDashes(asked.marker); !dashes.isEmpty())
        pen.setDashPattern(dashes);
    setShape(painter, pen);
    painter.drawPolyline(stepCurve(points));
    paintMarks(painter, range, m_frontier->dominated());
    paintMarks(painter, range, m_frontier->points());
    painter.restore();
}

void FrontierView::paintMarks(QPainter& painter, const FrontierAxes& range,
                              const std::vector<plan::FrontierPoint>& plans) const
{
    QPointF previous{-100, -100};
    for (const plan::FrontierPoint& plan : plans) {
        const QPointF point = range.at(gibOf(plan->evaluation().peak), slowerOf(*plan));
        // Markers closer than 5 px would overlap.
        if (std::hypot(point.x() - previous.x(), point.y() - previous.y()) < 5)
            continue;
        paintPlannerMark(painter, plannerLookOf(plan.provenance->madeBy().planner), point);
        previous = point;
    }
}

std::vector<FrontierLegendEntry> FrontierView::legend() const
{
    std::vector<FrontierLegendEntry> entries;
    if (!m_frontier)
        return entries;
    const Theme& theme = Theme::current();
    const QFont& font = theme.font(TextRole::Small);
    const QRectF plot = axes().plot;
    double x = plot.left() + kPlannerMarkRadius;
    for (const PlannerLook* look : marksOf(*m_frontier)) {
        const double end = x + theme.px(8) + nameWidth(font, plannerLookName(*look));
        if (end > plot.right())
            break;
        entries.push_back({plannerLookName(*look), {std::round(x), std::round(plot.top() / 2)}});
        x = end + theme.px(16);
    }
    return entries;
}

void FrontierView::paintLegend(QPainter& painter) const
{
    const Theme& theme = Theme::current();
    const QFontMetricsF metrics{theme.font(TextRole::Small)};
    painter.setRenderHint(QPainter::Antialiasing);
    for (const FrontierLegendEntry& entry : legend()) {
        paintPlannerMark(painter, plannerLookOf(entry.name.toStdString()), entry.mark);
        setText(painter, TextRole::Small, Role::Text);
        drawName(painter,
                 entry.mark
                     + QPointF{double(theme.px(8)), (metrics.ascent() - metrics.descent()) / 2},
                 entry.name);
    }
}

double FrontierView::budgetX(const FrontierAxes& range) const
{
    return std::clamp(range.at(gibOf(m_budget), 0).x(), range.plot.left(), range.plot.right());
}

QPointF FrontierView::ringCenter(const FrontierAxes& range) const
{
    const QPointF center = positionOf(*m_current);
    // It may be slower than all plans of the frontier.
    return {center.x(), std::max(center.y(), range.plot.top())};
}

QString FrontierView::currentText() const
{
    return ui::bytesText(m_current->evaluation().peak, Rounding::Up) + QStringLiteral(", ")
           + percentDifferenceText(slowerOf(*m_current));
}

QRectF FrontierView::labelRect() const
{
    if (!m_current || !m_frontier)
        return {};
    const Theme& theme = Theme::current();
    const FrontierAxes range = axes();
    std::vector<QPointF> marks;
    for (const auto* plans : {&m_frontier->points(), &m_frontier->dominated()})
        for (const plan::FrontierPoint& plan : *plans)
            marks.push_back(range.at(gibOf(plan->evaluation().peak), slowerOf(*plan)));
    const double width = numberWidth(theme.font(TextRole::SmallStrong), currentText());
    return placeFrontierLabel({range.plot, budgetX(range), ringCenter(range), marks},
                              {width + theme.px(12), static_cast<double>(theme.px(20))});
}

void FrontierView::paintBudget(QPainter& painter, const FrontierAxes& range) const
{
    const Theme& theme = Theme::current();
    const double x = budgetX(range);
    const QColor color = theme.color(m_current ? Role::Line : Role::Danger);
    for (const QPen& pen : {QPen{theme.color(Role::Halo), 5}, QPen{color, 2}}) {
        setShape(painter, pen, theme.color(Role::Panel));
        painter.drawLine(QPointF{x, range.plot.top()}, QPointF{x, range.plot.bottom()});
    }
    painter.drawEllipse(QPointF{x, range.plot.bottom()}, 5, 5);
    if (!m_current)
        return;
    painter.setPen(QPen{theme.color(Role::Accent), 2});
    painter.drawEllipse(ringCenter(range), 5, 5);
    const QRectF box = labelRect();
    setShape(painter, Qt::NoPen, theme.color(Role::Panel, 0.9));
    painter.drawRoundedRect(box, 3, 3);
    painter.setFont(theme.font(TextRole::SmallStrong));
    painter.setPen(theme.color(Role::Text));
    drawNumber(painter,
               {box.left() + theme.px(6),
                box.center().y() + QFontMetricsF{painter.font()}.capHeight() / 2},
               currentText(), Qt::AlignLeft);
}

void FrontierView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_frontier || m_frontier->points().empty())
        return;
    m_dragging = true;
    m_pressed = event->position();
    Q_EMIT budgetDragged(budgetAt(event->position().x()));
}

void FrontierView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragging)
        Q_EMIT budgetDragged(budgetAt(event->position().x()));
    else
        updateToolTip(event->position());
}

void FrontierView::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m_dragging || event->button() != Qt::LeftButton)
        return;
    m_dragging = false;
    const bool isClick = (event->position() - m_pressed).manhattanLength()
                         < QGuiApplication::styleHints()->startDragDistance();
    if (const NearPlan near = nearTo(event->position()); isClick && near.point != nullptr) {
        const run::PlanFrom* stop = stopOf(*near.point);
        Q_EMIT budgetCommitted(stop != nullptr ? stop->budget
                                               : shownCeiling((*near.point)->evaluation().peak));
        return;
    }
    Q_EMIT budgetCommitted(budgetAt(event->position().x()));
}

void FrontierView::endDrag()
{
    m_dragging = false;
}

void FrontierView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_dragging) {
        m_dragging = false;
        Q_EMIT budgetDragCancelled();
        return;
    }
    const bool left = event->key() == Qt::Key_Left;
    if (m_stops.empty() || (!left && event->key() != Qt::Key_Right)) {
        QWidget::keyPressEvent(event);
        return;
    }
    base::Bytes target = left ? m_stops.front().budget : m_stops.back().budget;
    if (left) {
        const auto stop = std::ranges::lower_bound(m_stops, m_budget, {}, &run::PlanFrom::budget);
        if (stop != m_stops.begin())
            target = std::prev(stop)->budget;
    } else if (const auto stop =
                   std::ranges::upper_bound(m_stops, m_budget, {}, &run::PlanFrom::budget);
               stop != m_stops.end()) {
        target = stop->budget;
    }
    Q_EMIT budgetCommitted(target);
}

void FrontierView::leaveEvent(QEvent* event)
{
    setToolTip({});
    QWidget::leaveEvent(event);
}

bool FrontierView::event(QEvent* event)
{
    if (followFocus(*event, m_hasRing))
        update();
    return QWidget::event(event);
}

void FrontierView::describe()
{
    QString text = m_emptyText;
    if (m_frontier && !m_frontier->points().empty()) {
        const auto& points = m_frontier->points();
        const auto point = [this](const plan::VerifiedPlan& plan) {
            return QStringLiteral("peak %1 at %2")
                .arg(ui::bytesText(plan.evaluation().peak, Rounding::Up),
                     percentDifferenceText(slowerOf(plan)));
        };
        text =
            QStringLiteral("%1 plans, from %2 to %3. Left and Right go to the next one.")
                .arg(QString::number(points.size()), point(*points.front()), point(*points.back()));
        QStringList makers;
        for (const PlannerLook* look : marksOf(*m_frontier))
            makers << plannerLookName(*look);
        text += QStringLiteral(" Made by %1.").arg(makers.join(QStringLiteral(", ")));
        if (axes().isBroken())
            text += QStringLiteral(" The axis of slow-downs is broken above %1.")
                        .arg(percentDifferenceText(axes().limit));
        if (m_current)
            text += QStringLiteral(" Shown: %1.").arg(point(*m_current));
    }
    setAccessibleDescription(text);
}

NearPlan FrontierView::nearTo(QPointF position) const
{
    return m_frontier ? nearPlan(*m_frontier, axes(), m_unplannedTime, position) : NearPlan{};
}

const run::PlanFrom* FrontierView::stopOf(const plan::FrontierPoint& point) const
{
    const auto stop = std::ranges::find(m_stops, point, &run::PlanFrom::plan);
    return stop == m_stops.end() ? nullptr : &*stop;
}

void FrontierView::updateToolTip(QPointF position)
{
    const NearPlan near = nearTo(position);
    if (near.point == nullptr) {
        setToolTip({});
        return;
    }
    QString text = pointText(*near.point, slowerOf(**near.point));
    if (m_isByRun)
        text += stopText(stopOf(*near.point));
    if (near.larger != nullptr && m_difference)
        text += u'\n' + m_difference(**near.larger, *near.point);
    if (near.isDominated)
        text +=
            QStringLiteral("\nPyTorch's allocator reserves less with it than with faster plans.");
    setToolTip(text);
}

} // namespace plimsoll::ui
