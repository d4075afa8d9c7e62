// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/gauge.h"

#include "ui/base/theme.h"

#include <QPainter>

#include <algorithm>

namespace plimsoll::ui {

Gauge::Gauge(QWidget* parent) : QWidget{parent}
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(QStringLiteral("Peak and budget against the memory of the GPU"));
    connect(&Theme::current(), &Theme::changed, this, QOverload<>::of(&QWidget::update));
}

void Gauge::setValues(base::Bytes memory, base::Bytes reserve, base::Bytes budget,
                      std::optional<base::Bytes> peak)
{
    m_memory = memory;
    m_reserve = reserve;
    m_budget = budget;
    m_peak = peak;
    update();
}

QSize Gauge::sizeHint() const
{
    return {Theme::current().px(120), Theme::current().px(16)};
}

void Gauge::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    QPainter painter{this};
    const QRectF track{0, (height() - theme.px(10)) / 2.0, static_cast<double>(width()),
                       static_cast<double>(theme.px(10))};
    // Leave room for a budget beyond the GPU's memory.
    const auto full =
        static_cast<double>(std::max({m_memory.count(), m_budget.count(), std::int64_t{1}}));
    const auto share = [&](base::Bytes bytes) {
        return track.width() * std::clamp(static_cast<double>(bytes.count()) / full, 0.0, 1.0);
    };
    painter.fillRect(track, theme.color(Role::Raised));
    if (m_peak)
        painter.fillRect(QRectF{track.left(), track.top(), share(*m_peak), track.height()},
                         theme.color(Role::ClassAct));
    if (m_reserve.count() > 0) {
        const double width = share(m_reserve);
        painter.fillRect(QRectF{track.right() - width, track.top(), width, track.height()},
                         theme.color(Role::BorderStrong));
    }
    const double tick = std::min(share(m_budget), track.width() - 2);
    const bool over = m_peak ? *m_peak > m_budget : true;
    painter.fillRect(QRectF{tick - 1, track.top() - theme.px(3), 2, track.height() + theme.px(6)},
                     theme.color(over ? Role::Danger : Role::Line));
}

} // namespace plimsoll::ui
