// SPDX-License-Identifier: Apache-2.0
#include "ui/base/selection.h"

namespace plimsoll::ui {

void Selection::setRange(std::optional<StepRange> range)
{
    if (range == m_range)
        return;
    m_range = range;
    Q_EMIT rangeChanged();
}

void Selection::setStep(std::optional<std::size_t> step)
{
    if (step == m_step)
        return;
    m_step = step;
    Q_EMIT stepChanged();
}

void Selection::clear()
{
    setRange(std::nullopt);
    setStep(std::nullopt);
}

} // namespace plimsoll::ui
