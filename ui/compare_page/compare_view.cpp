// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/compare_view.h"

#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/compare_page/compare_texts.h"
#include "ui/compare_page/side_style.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::ui {

namespace {

/// The steps of a recording by those of the common axis.
StepMap stepsOf(const memtrace::Comparison& comparison, std::size_t side)
{
    const std::vector<std::uint32_t>& begins = comparison.sides()[side].axisStep;
    std::vector<std::uint32_t> steps(comparison.ground()->stepCount());
    std::uint32_t now = 0;
    for (std::size_t at = 0; at < steps.size(); ++at) {
        if (now + std::size_t{1} < begins.size() && begins[now + std::size_t{1}] == at)
            ++now;
        steps[at] = now;
    }
    return std::make_shared<const std::vector<std::uint32_t>>(std::move(steps));
}

} // namespace

CompareView::CompareView(QWidget* parent) : TimelineView{parent}
{
    setAccessibleName(tr("Compared profiles"));
    setManualPage(*this, QStringLiteral("compare.md#the-plot"));
    model().overlay = &m_overlay;
    model().rounding = Rounding::Nearest;
    model().overviewName = tr("All");
    model().title = tr("Active memory");
    model().peakName = sideLetter(0);
    model().hover = [this](std::size_t step) { return hoverAt(step); };
    model().rangeText = [this](const StepRange& range) { return rangeText(range); };
}

CompareView::~CompareView()
{
    model().overlay = nullptr; // it is destroyed before the base class
}

void CompareView::setPicture(const workspace::ComparisonPicturePtr& picture)
{
    const bool isSame = m_picture && m_picture->comparison == picture->comparison;
    m_picture = picture;
    if (isSame)
        return;
    const memtrace::Comparison& comparison = *picture->comparison;
    m_overlay.setComparison(picture->comparison);
    model().content = comparison.highestPeak();
    model().counted = comparison.axis() == memtrace::Axis::Events ? tr("event") : QString{};
    model().legendLines.clear();
    for (std::size_t side = 0; side < comparison.sides().size(); ++side)
        model().legendLines.push_back({sideLetter(side), sideRole(side), sideDashes(side)});
    model().overviewCurves = {{comparison.sides()[1].curve, stepsOf(comparison, 1), sideRole(1)}};
    setSubtitle(alignmentFacts(*picture));
    setTimeline(comparison.ground());
}

HoverContent CompareView::hoverAt(std::size_t step) const
{
    HoverContent content;
    if (!m_picture || step >= m_picture->comparison->ground()->stepCount())
        return content;
    const memtrace::Comparison& comparison = *m_picture->comparison;
    content.title = axisPhaseText(comparison, step);
    content.hasRowsOnly = true;
    const auto add = [&](const QString& name, const QString& value, TextRole font) {
        content.rows.push_back({name, value, Role::Muted, Role::Text, font});
    };
    for (std::size_t side = 0; side < comparison.sides().size(); ++side)
        add(comparison.isOver(side, step)
                ? sideLetter(side)
                : tr("%1 at %2").arg(sideLetter(side), sidePositionText(comparison, side, step)),
            liveText(comparison, side, step), TextRole::Small);
    add(tr("B − A"), differenceText(comparison, step), TextRole::SmallStrong);
    return content;
}

/// How much each of A and B rises in a range, and its peaks there.
RangeText CompareView::rangeText(const StepRange& range) const
{
    const memtrace::Comparison& comparison = *m_picture->comparison;
    const base::Nanoseconds length =
        comparison.ground()->timeAt(range.end + 1) - comparison.ground()->timeAt(range.begin);
    const auto peakOf = [&](std::size_t side) -> std::optional<base::Bytes> {
        if (comparison.isOver(side, range.begin))
            return std::nullopt;
        const timeline::Timeline& curve = *comparison.sides()[side].curve;
        return curve.totalAt(curve.largestStepIn(comparison.stepOf(side, range.begin),
                                                 comparison.stepOf(side, range.end) + 1));
    };
    const auto textOf = [](std::optional<base::Bytes> peak) {
        return peak ? bytesText(*peak) : unknownText();
    };
    const std::optional<base::Bytes> a = peakOf(0);
    const std::optional<base::Bytes> b = peakOf(1);
    RangeText text;
    text.strong = tr("B − A %1").arg(a && b ? bytesDifferenceText(*b - *a) : unknownText());
    text.plain =
        model().isTimed()
            ? tr("peaks in %1").arg(timeText(length))
            : tr("peaks in %1 events").arg(countText(static_cast<std::uint64_t>(length.count())));
    text.below = tr("A %1 · B %2").arg(textOf(a), textOf(b));
    return text;
}

QString CompareView::description() const
{
    if (!m_picture)
        return {};
    QStringList peaks;
    for (std::size_t side = 0; side < m_picture->comparison->sides().size(); ++side)
        peaks << tr("%1: %2").arg(sideLetter(side), peakText(*m_picture, side));
    return peaks.join(QStringLiteral("; "));
}

} // namespace plimsoll::ui
