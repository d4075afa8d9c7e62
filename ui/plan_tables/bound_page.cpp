// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/bound_page.h"

#include "ui/base/drawn_text.h"
#include "ui/base/numbers.h"
#include "ui/base/theme.h"
#include "ui/models/program_texts.h"

#include <QPainter>

#include <algorithm>
#include <array>

namespace plimsoll::ui {

namespace {

constexpr std::size_t kNamedRows = 4;

bool isResident(const graph::Storage& storage)
{
    return storage.storageClass == graph::StorageClass::Parameter
           || storage.storageClass == graph::StorageClass::OptimizerState
           || storage.storageClass == graph::StorageClass::Gradient
           || storage.storageClass == graph::StorageClass::Buffer;
}

double baselineIn(const QRectF& line, const QFontMetricsF& metrics)
{
    return line.center().y() + (metrics.ascent() - metrics.descent()) / 2;
}

void drawCentred(QPainter& painter, const QRectF& line, const QString& text)
{
    const QString shown = fittedName(painter.font(), text, Qt::ElideMiddle, line.width());
    drawNameOn(Theme::current().color(Role::Panel), painter,
               {line.center().x() - nameWidth(painter.font(), shown) / 2,
                baselineIn(line, QFontMetricsF{painter.font()})},
               shown);
}

} // namespace

BoundPage::BoundPage(QWidget* parent) : QWidget{parent}
{
    connect(&Theme::current(), &Theme::changed, this, QOverload<>::of(&QWidget::update));
}

void BoundPage::show(const graph::ProgramPtr& program, const plan::PeakBound& bound,
                     const QString& sentence)
{
    m_sentence = sentence;
    m_rows.clear();
    base::Bytes resident;
    base::Bytes rest;
    for (const graph::StorageId id : bound.storages) {
        const base::Bytes bytes = program->storage(id).bytes;
        if (isResident(program->storage(id)))
            resident += bytes;
        else if (m_rows.size() < kNamedRows)
            m_rows.push_back({storageTitle(*program, id), ui::bytesText(bytes)});
        else
            rest += bytes;
    }
    if (rest.count() > 0)
        m_rows.push_back({QStringLiteral("other values in use there"), ui::bytesText(rest)});
    if (resident.count() > 0)
        m_rows.push_back({QStringLiteral("parameters, gradients, optimizer state, buffers"),
                          ui::bytesText(resident)});
    update();
}

void BoundPage::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics{theme.font(TextRole::Body)};
    const double line = std::max(metrics.height(), static_cast<double>(theme.px(18)));
    const double wanted = theme.px(52) + line * (2.4 + static_cast<double>(m_rows.size()));
    double y = std::max(4.0, (height() - wanted) / 2);
    const double middle = width() / 2.0;
    if (wanted <= height()) { // the mark goes first where there is little room
        const double radius = theme.px(11);
        painter.setPen(QPen{theme.color(Role::BorderStrong), 1.5});
        painter.drawEllipse(QPointF{middle, y + radius}, radius, radius);
        painter.drawLine(QPointF{middle - 2 * radius, y + radius},
                         QPointF{middle + 2 * radius, y + radius});
        y += 2 * radius + theme.px(10);
    }
    painter.setFont(theme.font(TextRole::Lead));
    painter.setPen(theme.color(Role::Text));
    drawCentred(painter, {0, y, static_cast<double>(width()), line},
                QStringLiteral("No plan at this budget"));
    y += line * 1.2;
    painter.setFont(theme.font(TextRole::Body));
    painter.setPen(theme.color(Role::Muted));
    drawCentred(painter, {8, y, width() - 16.0, line}, m_sentence);
    y += line * 1.2;
    const double left = std::max(8.0, middle - theme.px(210));
    const double right = std::min(width() - 8.0, middle + theme.px(210));
    for (const Row& row : m_rows) {
        const double number = numberWidth(painter.font(), row.bytes);
        painter.setPen(theme.color(Role::Text));
        const QColor ground = theme.color(Role::Panel);
        drawNameOn(
            ground, painter, {left, baselineIn({left, y, right - left, line}, metrics)},
            fittedName(painter.font(), row.name, Qt::ElideMiddle, right - left - number - 12));
        drawNumberOn(ground, painter, {right, y + line / 2 + metrics.capHeight() / 2}, row.bytes,
                     Qt::AlignRight);
        y += line;
    }
}

} // namespace plimsoll::ui
