// SPDX-License-Identifier: Apache-2.0
#include "ui/waterfall_page/waterfall_view.h"

#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/compare_page/side_style.h"
#include "ui/waterfall_page/waterfall_texts.h"

#include <algorithm>

namespace plimsoll::ui {

WaterfallView::WaterfallView(QWidget* parent) : TimelineView{parent}
{
    setAccessibleName(tr("Predicted and measured"));
    setManualPage(*this, QStringLiteral("compare.md#predicted-against-measured"));
    model().overlay = &m_overlay;
    model().rounding = Rounding::Nearest; // as in the waterfall
    model().title = tr("Predicted and measured");
    model().peakName = tr("predicted");
    model().hover = [this](std::size_t step) { return hoverAt(step); };
    model().rangeText = [this](const StepRange& range) { return rangeText(range); };
    model().legendLines = {{tr("predicted"), sideRole(0), sideDashes(0)},
                           {tr("measured"), sideRole(1), sideDashes(1)}};
}

WaterfallView::~WaterfallView()
{
    model().overlay = nullptr; // it is destroyed before the base class
}

void WaterfallView::setPicture(const workspace::WaterfallPicturePtr& picture)
{
    m_picture = picture;
    m_overlay.setCurves(picture ? picture->curves : nullptr);
    model().content =
        picture ? std::max(picture->waterfall->measuredPeak, picture->waterfall->predictedPeak)
                : base::Bytes{};
    model().counted = picture && !picture->curves->isTimed ? tr("op") : QString{};
    setSubtitle(picture ? waterfallFacts(*picture->waterfall) : QStringList{});
    setTimeline(picture ? picture->curves->ground : nullptr);
}

HoverContent WaterfallView::hoverAt(std::size_t step) const
{
    HoverContent content;
    if (!m_picture || step >= m_picture->curves->measured.size())
        return content;
    const waterfall::AlignedCurves& curves = *m_picture->curves;
    content.title = opText(*m_picture->waterfall, curves.stepAt[step]);
    content.hasRowsOnly = true;
    const base::Bytes predicted{curves.predicted[step]};
    const base::Bytes measured{curves.measured[step]};
    const auto add = [&](const QString& name, const QString& value, TextRole font) {
        content.rows.push_back({name, value, Role::Muted, Role::Text, font});
    };
    add(tr("predicted"), bytesText(predicted), TextRole::Small);
    add(tr("measured"), bytesText(measured), TextRole::Small);
    add(tr("difference"), bytesDifferenceText(measured - predicted), TextRole::SmallStrong);
    return content;
}

/// The peaks of both curves in a range.
RangeText WaterfallView::rangeText(const StepRange& range) const
{
    const waterfall::AlignedCurves& curves = *m_picture->curves;
    const auto peakOf = [&](const auto& curve) {
        return base::Bytes{*std::max_element(
            curve.begin() + static_cast<std::ptrdiff_t>(range.begin),
            curve.begin() + static_cast<std::ptrdiff_t>(std::min(range.end + 1, curve.size())))};
    };
    const base::Bytes predicted = peakOf(curves.predicted);
    const base::Bytes measured = peakOf(curves.measured);
    RangeText text;
    text.strong = tr("measured − predicted %1").arg(bytesDifferenceText(measured - predicted));
    text.plain = tr("of the peaks in this range");
    text.below = tr("predicted %1 · measured %2").arg(bytesText(predicted), bytesText(measured));
    return text;
}

QString WaterfallView::readText(std::size_t step) const
{
    if (!m_picture || step >= m_picture->curves->measured.size())
        return {};
    const waterfall::AlignedCurves& curves = *m_picture->curves;
    const base::Bytes predicted{curves.predicted[step]};
    const base::Bytes measured{curves.measured[step]};
    return tr("%1 · predicted %2 · measured %3 · gap %4")
        .arg(model().positionText(step), bytesText(predicted), bytesText(measured),
             bytesDifferenceText(measured - predicted));
}

QString WaterfallView::description() const
{
    return m_picture ? waterfallVerdict(*m_picture->waterfall) : QString{};
}

} // namespace plimsoll::ui
