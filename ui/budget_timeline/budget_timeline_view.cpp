// SPDX-License-Identifier: Apache-2.0
#include "ui/budget_timeline/budget_timeline_view.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/budget_timeline/budget_paint.h"
#include "ui/budget_timeline/measured_line.h"
#include "ui/timeline/timeline_input.h"

#include <QKeyEvent>
#include <QLineEdit>

#include <algorithm>

namespace plimsoll::ui {

namespace {
/// This part of the plannable range is shown in addition at each of its ends.
constexpr std::int64_t kMarginPart = 8;
} // namespace

BudgetTimelineView::BudgetTimelineView(QWidget* parent)
    : TimelineView{parent}, m_handle{new BudgetHandle{this}}, m_field{new QLineEdit{this}}
{
    model().overlay = &m_overlay;
    model().layers = timeline::categoryLayers(); // show the legend before the first plan
    setHoverProvider({});
    connectInput();
    connectHandle();
    m_field->setProperty("pill", true);
    m_field->setAccessibleName(tr("Budget"));
    m_field->hide();
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::returnPressed, this, &BudgetTimelineView::readField);
}

BudgetTimelineView::~BudgetTimelineView()
{
    // The children outlive this class and would still call it when they lose the focus.
    m_handle->disconnect(this);
    m_field->disconnect(this);
    m_field->removeEventFilter(this);
}

void BudgetTimelineView::connectInput()
{
    connect(&input(), &TimelineInput::overlayHovered, this, [this](std::optional<int> part) {
        if (m_budget.lineHovered != part.has_value()) {
            m_budget.lineHovered = part.has_value();
            update();
        }
    });
    connect(&input(), &TimelineInput::overlayGripped, this,
            [this](int /*part*/, const QPointF& pos) { beginDrag(pos); });
    connect(&input(), &TimelineInput::overlayDragged, this, &BudgetTimelineView::dragTo);
    connect(&input(), &TimelineInput::overlayReleased, this, &BudgetTimelineView::endDrag);
    connect(&input(), &TimelineInput::overlayClicked, this, &BudgetTimelineView::click);
    connect(&input(), &TimelineInput::overlayDoubleClicked, this, [this](int part) {
        if (part == BudgetOverlay::Pill)
            typeBudget();
    });
}

void BudgetTimelineView::connectHandle()
{
    installBudgetAccessibility();
    m_handle->hide();
    connect(m_handle, &BudgetHandle::keyed, this, [this](BudgetKey key, KeyStep step) {
        if (budget() && !m_budget.drag)
            commit(budgetAfterKey(*budget(), key, step, m_budget.limits(frame())));
    });
    connect(m_handle, &BudgetHandle::valueRequested, this, &BudgetTimelineView::commit);
    connect(m_handle, &BudgetHandle::typeRequested, this, &BudgetTimelineView::typeBudget);
    connect(m_handle, &BudgetHandle::cancelRequested, this, &BudgetTimelineView::goBack);
    connect(m_handle, &BudgetHandle::focusRingChanged, this, [this](bool visible) {
        m_budget.lineFocused = visible;
        update();
    });
}

void BudgetTimelineView::changed()
{
    if (!m_budget.drag)
        model().content = m_budget.content();
    invalidate();
}

void BudgetTimelineView::setTimelines(TimelineSet set)
{
    // A zoomed axis on which the peak was seen would not show that of another graph.
    const auto showsPeak = [this](const timeline::TimelinePtr& curve) {
        return curve && model().byteZoom && model().byteZoom->contains(curve->peak());
    };
    if (showsPeak(m_budget.unplanned) && set.unplanned && !showsPeak(set.unplanned))
        model().byteZoom.reset();
    m_budget.unplanned = std::move(set.unplanned);
    m_budget.unplannedStepAt = std::move(set.unplannedStepAt);
    model().overviewCurves.clear();
    if (m_budget.unplanned && m_budget.unplanned != set.planned)
        model().overviewCurves.push_back(
            {m_budget.unplanned, m_budget.unplannedStepAt, Role::Danger});
    setTimeline(std::move(set.planned));
    changed();
}

void BudgetTimelineView::setMeasured(std::optional<MeasuredSet> measured)
{
    if (measured == m_budget.measured)
        return;
    // While the line is dragged, the plan changes with every move; the measured step rarely does.
    const auto curveOf = [](const std::optional<MeasuredSet>& set) {
        return set ? set->live : nullptr;
    };
    if (curveOf(measured) != curveOf(m_budget.measured))
        m_overlay.invalidateMeasured();
    m_budget.measured = std::move(measured);
    model().legendLines.clear();
    if (m_budget.measured)
        model().legendLines.push_back({measuredName({}), Role::Accent});
    changed();
}

void BudgetTimelineView::setBudget(std::optional<base::Bytes> budget)
{
    // During a drag the mouse controls the line.
    if (m_budget.drag || budget == model().line)
        return;
    closeField(); // what was typed was for another budget
    model().line = budget;
    changed();
}

void BudgetTimelineView::setBudgetState(BudgetState state)
{
    m_budget.state = state;
    model().lineInk = state == BudgetState::Infeasible ? Role::Danger : Role::Line;
    update();
}

void BudgetTimelineView::setHoverProvider(HoverProvider provider)
{
    model().hover = [this, provider = std::move(provider)](std::size_t step) {
        HoverContent content = provider ? provider(step) : HoverContent{};
        content.rows = measuredRows(m_budget, step);
        return content;
    };
    update();
}

void BudgetTimelineView::placeChildren()
{
    m_handle->setVisible(budget().has_value());
    if (!budget())
        return;
    const TimelineFrame now = frame();
    const QRectF box = markRect(m_budget, now) | pillRect(m_budget, now, Theme::current());
    m_handle->setGeometry(box.toAlignedRect());
    m_handle->setRange({*budget(), base::Bytes{1 << 20}, now.wholeTop});
}

QString BudgetTimelineView::description() const
{
    QString text = TimelineView::description();
    if (m_budget.measured && m_budget.measured->live)
        text +=
            tr(" Measured peak %1.").arg(bytesText(m_budget.measured->live->peak(), Rounding::Up));
    if (budget())
        text += tr(" Budget %1.").arg(bytesText(*budget()));
    return text;
}

void BudgetTimelineView::mousePressEvent(QMouseEvent* event)
{
    closeField();
    TimelineView::mousePressEvent(event);
}

/// The hand is no longer where the line is: the drag ends as if it had not begun.
void BudgetTimelineView::resizeEvent(QResizeEvent* event)
{
    if (m_budget.drag)
        goBack();
    TimelineView::resizeEvent(event);
}

void BudgetTimelineView::beginDrag(const QPointF& pos)
{
    const TimelineFrame now = frame();
    m_budget.frozen =
        BudgetModel::Frozen{m_budget.unplannedPeakPosition(), m_budget.measuredPeakPosition()};
    m_budget.drag.emplace(*budget(), pos.y(), now.at.plot().height(), m_budget.limits(now));
    holdAxis(m_longest ? StepAxis{m_longest}.length() : 0);
    model().cursorCard = false;
    m_handle->setDragged(true);
    m_handle->setFocus(Qt::MouseFocusReason);
    update();
    Q_EMIT budgetDragged(*budget());
}

void BudgetTimelineView::dragTo(const QPointF& pos, Qt::KeyboardModifiers modifiers)
{
    const bool wasSnapped = m_budget.drag->snapped().has_value();
    const BudgetDrag::Options options{(modifiers & Qt::ControlModifier) != 0,
                                      (modifiers & Qt::AltModifier) != 0};
    const base::Bytes value = m_budget.drag->moveTo(pos.y(), options);
    if (value == *budget() && wasSnapped == m_budget.drag->snapped().has_value())
        return;
    const bool isNew = value != *budget();
    model().line = value;
    update();
    if (isNew)
        Q_EMIT budgetDragged(value);
}

void BudgetTimelineView::letGo()
{
    m_budget.drag.reset();
    m_budget.frozen.reset();
    releaseAxis();
    m_handle->setDragged(false);
    input().letGo();
    changed();
}

void BudgetTimelineView::endDrag()
{
    const base::Bytes before = m_budget.drag->start();
    const base::Bytes value = *budget();
    letGo();
    if (value != before)
        Q_EMIT budgetCommitted(value, before);
    else
        Q_EMIT budgetDragCancelled();
}

void BudgetTimelineView::endDragAt(base::Bytes budget)
{
    if (!m_budget.drag)
        return;
    closeField(); // what was typed was for another budget
    model().line = budget;
    letGo();
}

bool BudgetTimelineView::goBack()
{
    if (!m_budget.drag)
        return TimelineView::goBack();
    model().line = m_budget.drag->start();
    letGo();
    Q_EMIT budgetDragCancelled();
    return true;
}

void BudgetTimelineView::click(int part)
{
    if (part == BudgetOverlay::UnplannedPeak)
        goToPeak();
    else if (part == BudgetOverlay::Bound)
        Q_EMIT lowerBoundClicked();
    else if (part >= BudgetOverlay::FirstCapacity)
        commit(m_budget.capacities[static_cast<std::size_t>(part - BudgetOverlay::FirstCapacity)]
                   .size);
}

void BudgetTimelineView::commit(base::Bytes budget)
{
    if (!model().line || budget == *model().line || budget.count() <= 0)
        return;
    const base::Bytes before = *model().line;
    closeField(); // what was typed was for another budget
    model().line = budget;
    changed();
    Q_EMIT budgetCommitted(budget, before);
}

base::Bytes BudgetTimelineView::snapped(base::Bytes bytes) const
{
    const TimelineFrame now = frame();
    return BudgetDrag{bytes, 0, now.at.plot().height(), m_budget.limits(now)}.moveTo(0, {});
}

void BudgetTimelineView::focusBudgetLine()
{
    if (budget())
        m_handle->setFocus(Qt::ShortcutFocusReason);
}

std::optional<ByteRange> BudgetTimelineView::plannableRange() const
{
    if (!m_longest || !m_budget.unplanned)
        return std::nullopt;
    const base::Bytes least = m_longest->peak();
    base::Bytes most = m_budget.unplanned->peak();
    for (const SnapTarget& target : m_budget.extraTargets)
        most = std::max(most, target.bytes);
    if (least >= most)
        return std::nullopt;
    const base::Bytes margin{std::max<std::int64_t>(1, (most - least).count() / kMarginPart)};
    return ByteRange{std::max(base::Bytes{}, least - margin), most + margin};
}

void BudgetTimelineView::fitToPlannableRange()
{
    if (const auto range = plannableRange())
        input().showBytes(range);
}

void BudgetTimelineView::typeBudget()
{
    if (!budget() || m_budget.drag)
        return;
    const Theme& theme = Theme::current();
    const QRectF pill = pillRect(m_budget, frame(), theme);
    const double wide = std::max(pill.width(), static_cast<double>(theme.px(84)));
    const double high = theme.px(26);
    const double left = std::min(pill.left(), width() - wide - 2);
    m_field->setGeometry(QRectF{left, pill.center().y() - high / 2, wide, high}.toAlignedRect());
    m_field->setText(bytesText(*budget()));
    m_field->setToolTip(budgetHint());
    m_field->show();
    m_field->selectAll();
    m_field->setFocus(Qt::PopupFocusReason);
}

void BudgetTimelineView::readField()
{
    const BudgetContext context{budget().value_or(base::Bytes{}),
                                m_budget.unplanned ? m_budget.unplanned->peak() : base::Bytes{},
                                m_budget.capacities};
    const base::Result<base::Bytes> typed = parseBudget(m_field->text(), context);
    if (!typed) {
        const QString reason = QString::fromStdString(typed.error().message);
        m_field->setToolTip(plainTip(reason));
        m_field->selectAll();
        Q_EMIT budgetRejected(reason);
        return;
    }
    closeField();
    commit(*typed);
}

void BudgetTimelineView::closeField()
{
    if (m_field->isHidden())
        return;
    const bool hadFocus = m_field->hasFocus();
    m_field->hide();
    if (hadFocus)
        m_handle->setFocus(Qt::ShortcutFocusReason);
}

bool BudgetTimelineView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field) {
        if (event->type() == QEvent::KeyPress
            && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
            closeField();
            return true;
        }
        if (event->type() == QEvent::FocusOut)
            closeField();
    }
    return TimelineView::eventFilter(watched, event);
}

} // namespace plimsoll::ui
