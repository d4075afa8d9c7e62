// SPDX-License-Identifier: Apache-2.0
#include "ui/base/drawn_text.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/patterns.h"

#include <QFontMetricsF>

#include <algorithm>
#include <functional>
#include <numeric>

namespace plimsoll::ui {

namespace {

constexpr double kWidth = 272;
constexpr double kPad = 12;
constexpr double kRule = 9; ///< a rule with its space
constexpr std::size_t kMostClasses = 4;

struct CardClasses
{
    std::vector<std::size_t> shown; ///< top of the stack first
    std::size_t others = 0;         ///< classes left out that hold anything
    base::Bytes otherBytes;
};

CardClasses classesAt(const timeline::Stack& stack, std::size_t most)
{
    std::vector<std::size_t> order(stack.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t layer) { return stack[layer]; });
    CardClasses classes;
    for (const std::size_t layer : order) {
        if (stack[layer].count() == 0)
            continue;
        if (classes.shown.size() < most) {
            classes.shown.push_back(layer);
        } else {
            ++classes.others;
            classes.otherBytes += stack[layer];
        }
    }
    std::ranges::sort(classes.shown, std::ranges::greater{});
    return classes;
}

HoverContent contentOf(const TimelineModel& model, std::size_t step)
{
    return model.hover ? model.hover(step) : HoverContent{};
}

double lineHeight(const Theme& theme)
{
    return QFontMetricsF{theme.font(TextRole::Small)}.height() + theme.px(3);
}

/// Writes the lines of a card from top to bottom.
class CardWriter
{
public:
    CardWriter(const PaintContext& context, const QRectF& card)
        : m_context{context}
        , m_left{card.left() + context.px(kPad)}
        , m_right{card.right() - context.px(kPad)}
        , m_y{card.top() + context.px(kPad) - 2}
        , m_metrics{context.theme.font(TextRole::Small)}
    {
    }

    void text(const QString& text, TextRole font, Role color, double indent = 0, double keep = 0)
    {
        m_context.setText(font, color);
        const QFontMetricsF metrics{m_context.theme.font(font)};
        const QString shown = metrics.elidedText(text, Qt::ElideMiddle,
                                                 m_right - m_left - m_context.px(indent + keep));
        drawNumber(m_context.painter, QPointF{m_left + m_context.px(indent), baseline()}, shown,
                   Qt::AlignLeft);
    }
    void right(const QString& text, TextRole font, Role color, double offset = 0)
    {
        m_context.setText(font, color);
        drawNumber(m_context.painter, QPointF{m_right - m_context.px(offset), baseline()}, text,
                   Qt::AlignRight);
    }
    void swatch(std::size_t layer)
    {
        const QSize size{static_cast<int>(m_context.px(12)), static_cast<int>(m_context.px(10))};
        m_context.painter.drawImage(QPointF{m_left, baseline() - m_context.px(9)},
                                    layerSwatch(m_context.theme,
                                                (*m_context.model.layers)[layer].ink, size,
                                                m_context.painter.device()->devicePixelRatioF()));
    }
    void icon(const QString& name, Role color)
    {
        const double side = m_context.px(12);
        drawIcon(m_context.painter, QRectF{m_left, baseline() - side + 2, side, side}, name,
                 m_context.color(color));
    }
    void next() { m_y += lineHeight(m_context.theme); }
    void rule()
    {
        m_context.painter.setRenderHint(QPainter::Antialiasing, false);
        m_context.painter.fillRect(QRectF{m_left, m_y + m_context.px(3), m_right - m_left, 1},
                                   m_context.color(Role::Border));
        m_y += m_context.px(kRule);
    }

private:
    [[nodiscard]] double baseline() const { return m_y + m_metrics.ascent() + 1; }

    const PaintContext& m_context;
    double m_left;
    double m_right;
    double m_y;
    QFontMetricsF m_metrics;
};

double cardHeight(const HoverContent& content, const CardClasses& classes, const Theme& theme)
{
    double lines = (content.hasRowsOnly ? 1 : 2)
                   + static_cast<double>(content.rows.size() + classes.shown.size());
    lines += content.where.isEmpty() ? 0 : 1;
    lines += classes.others > 0 ? 1 : 0;
    if (content.hasRowsOnly)
        return (lines + 1) * lineHeight(theme) + 2 * theme.px(kPad) - 4;
    const bool hasEnd = !content.note.isEmpty() || !content.source.isEmpty();
    lines += content.note.isEmpty() ? 0 : 1;
    lines += content.source.isEmpty() ? 0 : 1;
    return lines * lineHeight(theme) + theme.px(kRule) * (hasEnd ? 2 : 1) + 2 * theme.px(kPad) - 4;
}

/// As many classes as a card of this height can list; the others are summed up.
CardClasses classesFor(const TimelineModel& model, const Theme& theme, std::size_t step,
                       const HoverContent& content, double room)
{
    if (content.hasRowsOnly)
        return {};
    const timeline::Stack stack = model.stacked->stackAt(step);
    CardClasses classes = classesAt(stack, kMostClasses);
    for (std::size_t most = kMostClasses; most > 0 && cardHeight(content, classes, theme) > room;)
        classes = classesAt(stack, --most);
    // Without room for one, a line for all of them would only repeat the total.
    return classes.shown.empty() ? CardClasses{} : classes;
}

void writeClasses(CardWriter& card, const TimelineModel& model, const timeline::Stack& stack,
                  const CardClasses& classes, base::Bytes total)
{
    const auto share = [&](base::Bytes part) {
        return percentText(total.count() == 0 ? 0
                                              : static_cast<double>(part.count())
                                                    / static_cast<double>(total.count()));
    };
    const auto write = [&](const QString& name, Role ink, base::Bytes bytes) {
        card.text(name, TextRole::Small, ink, 18);
        card.right(bytesText(bytes, model.rounding), TextRole::Small, Role::Text, 52);
        card.right(share(bytes), TextRole::Small, Role::Muted);
        card.next();
    };
    for (const std::size_t layer : classes.shown) {
        card.swatch(layer);
        write(model.layerName(layer), Role::Text, stack[layer]);
    }
    if (classes.others > 0)
        write(QStringLiteral("%1 more").arg(classes.others), Role::Muted, classes.otherBytes);
}

} // namespace

QSizeF hoverCardSize(const TimelineModel& model, const Theme& theme, std::size_t step, double room)
{
    const HoverContent content = contentOf(model, step);
    return {static_cast<double>(theme.px(kWidth)),
            cardHeight(content, classesFor(model, theme, step, content, room), theme)};
}

QRectF hoverCardPin(const Theme& theme, const QRectF& card)
{
    const double side = theme.px(20);
    return {card.right() - theme.px(kPad) - side + 4, card.top() + theme.px(7), side, side};
}

void paintHoverCard(const PaintContext& context, const QRectF& rect, std::size_t step, bool pinned)
{
    const TimelineModel& model = context.model;
    const timeline::Timeline& stacked = *model.stacked;
    const HoverContent content = contentOf(model, step);
    const base::Bytes total = stacked.totalAt(step);
    drawCard(context.painter, rect);
    drawIcon(context.painter, hoverCardPin(context.theme, rect).adjusted(3, 3, -3, -3),
             QStringLiteral("pin"), context.color(pinned ? Role::Accent : Role::Muted));

    CardWriter card{context, rect};
    card.text(content.title.isEmpty() ? model.positionText(step) : content.title, TextRole::Strong,
              Role::Text, 0, 24);
    card.next();
    if (!content.where.isEmpty()) {
        card.text(content.where, TextRole::Small, Role::Muted);
        card.next();
    }
    card.text(content.position.isNull() ? model.positionText(step) : content.position,
              TextRole::Small, Role::Muted);
    if (!content.hasRowsOnly)
        card.right(bytesText(total, model.rounding), TextRole::Strong, Role::Text);
    card.next();
    for (const HoverRow& row : content.rows) {
        card.text(row.name, TextRole::Small, row.nameInk);
        card.right(row.value, row.valueFont, row.valueInk);
        card.next();
    }
    if (content.hasRowsOnly)
        return;
    card.rule();

    writeClasses(card, model, stacked.stackAt(step),
                 classesFor(model, context.theme, step, content, rect.height()), total);
    if (content.note.isEmpty() && content.source.isEmpty())
        return;
    card.rule();
    if (!content.note.isEmpty()) {
        card.icon(content.noteIcon, content.noteRole);
        card.text(content.note, TextRole::Small, Role::Text, 18);
        card.next();
    }
    if (!content.source.isEmpty())
        card.text(content.source, TextRole::Small, Role::Muted, content.note.isEmpty() ? 0 : 18);
}

} // namespace plimsoll::ui
