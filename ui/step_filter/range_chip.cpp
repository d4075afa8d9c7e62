// SPDX-License-Identifier: Apache-2.0
#include "ui/step_filter/range_chip.h"

#include "ui/base/icons.h"
#include "ui/base/texts.h"
#include "ui/base/theme.h"

#include <utility>

namespace plimsoll::ui {

RangeChip::RangeChip(QString what, QWidget* parent) : QToolButton{parent}, m_what{std::move(what)}
{
    setProperty("chip", true);
    setIcon(ui::icon(QStringLiteral("close")));
    const int side = Theme::current().px(10);
    setIconSize({side, side});
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setLayoutDirection(Qt::RightToLeft); // the cross is behind the text
    hide();
}

void RangeChip::setRange(std::optional<StepRange> range)
{
    setRangeText(
        !range
            ? QString{}
            : (range->begin == range->end ? tr("Step %1") : tr("Steps %1")).arg(rangeText(*range)));
}

void RangeChip::setRangeText(const QString& text)
{
    if (!text.isEmpty()) {
        setText(text);
        setAccessibleName(tr("Remove the filter: %1").arg(text));
        setToolTip(
            plainTip(tr("Shows only %1. Click, or press Esc, to show all again.").arg(m_what)));
    }
    setVisible(!text.isEmpty());
}

} // namespace plimsoll::ui
