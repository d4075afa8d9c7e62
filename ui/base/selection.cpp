// SPDX-License-Identifier: Apache-2.0
#include "ui/base/selection.h"

#include <utility>

namespace plimsoll::ui {

QString rangeText(const StepRange& range)
{
    const QString begin = QString::number(range.begin);
    return range.begin == range.end ? begin : begin + u'–' + QString::number(range.end);
}

void Selection::setRange(std::optional<StepRange> range)
{
    if (std::exchange(m_range, range) != range)
        Q_EMIT rangeChanged();
}

void Selection::setStep(std::optional<std::size_t> step)
{
    if (std::exchange(m_step, step) != step)
        Q_EMIT stepChanged();
}

void Selection::setModule(std::optional<std::size_t> module)
{
    if (std::exchange(m_module, module) != module)
        Q_EMIT moduleChanged();
}

void Selection::clear()
{
    setModule(std::nullopt);
    setRange(std::nullopt);
    setStep(std::nullopt);
}

} // namespace plimsoll::ui
