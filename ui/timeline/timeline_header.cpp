// SPDX-License-Identifier: Apache-2.0
// The line above the plot: title, facts about the shown plan, legend.
#include "ui/base/drawn_text.h"
#include "ui/plot/paths.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/patterns.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <vector>

namespace plimsoll::ui {

namespace {

constexpr double kTitleLeft = 12;
constexpr double kFactsGap = 10;    ///< title to facts, facts to legend
constexpr double kLeastFacts = 285; ///< where the legend begins at the earliest: title, one fact
constexpr double kRoomyFacts = 400; ///< and where it leaves room for several
constexpr double kWideGap = 14;     ///< between two entries
constexpr double kNarrowGap = 8;
constexpr double kSwatchWidth = 12;
constexpr double kSwatchHeight = 10;
constexpr double kSwatchGap = 6;
constexpr double kLineSwatch = 16; ///< piece of a line
constexpr QStringView kBetween{u" · "};

/// A swatch and its name in the legend.
struct LegendEntry
{
    std::uint8_t ink = 0; ///< of the layer
    QString name;
    double swatch = 0; ///< left edges
    double text = 0;
};

/// The data from which a frame's legend is drawn.
struct Legend
{
    std::vector<LegendEntry> entries; ///< from the right
    double end = 0;                   ///< right edge
    double begin = 0;                 ///< left edge
    QString leftOut;                  ///< "+2": entries for which there is no room
};

double widthOf(const LegendLine& line, const Theme& theme)
{
    return QFontMetricsF{theme.font(TextRole::Small)}.horizontalAdvance(line.name)
           + theme.px(kLineSwatch + kSwatchGap);
}

/// Of all lines with the gaps between them.
double linesWidth(const TimelineModel& model, const Theme& theme)
{
    double width = 0;
    for (const LegendLine& line : model.legendLines)
        width += widthOf(line, theme) + (width > 0 ? theme.px(kWideGap) : 0);
    return width;
}

/// Draws the lines' legend entries, right-aligned at x.
void paintLegendLines(const PaintContext& context, double x, double baseline)
{
    double left = std::round(x - linesWidth(context.model, context.theme));
    const double y =
        std::round(baseline - QFontMetricsF{context.theme.font(TextRole::Small)}.xHeight() / 2);
    for (const LegendLine& line : context.model.legendLines) {
        context.setShape(dashedPen(context.color(line.ink), 2, line.dashes));
        context.painter.drawLine(QPointF{left, y}, QPointF{left + context.px(kLineSwatch), y});
        context.setText(TextRole::Small, Role::Text);
        context.painter.drawText(QPointF{left + context.px(kLineSwatch + kSwatchGap), baseline},
                                 line.name);
        left += widthOf(line, context.theme) + context.px(kWideGap);
    }
}

/// Up to `layer`, the number of those that are not listed, left of x.
void addLeftOut(Legend& legend, const TimelineModel& model, std::size_t layer, double x,
                const QFont& font)
{
    int count = 0;
    for (std::size_t i = 0; i <= layer; ++i)
        count += model.layerName(i).isEmpty() ? 0 : 1;
    legend.leftOut = QStringLiteral("+%1").arg(count);
    legend.begin = std::round(x - nameWidth(font, legend.leftOut));
}

/// Builds entries from the right, so that their order left to right is that of the stack. Layers
/// without a name have none. Entries that would leave no room for the title are omitted.
Legend legendOf(const TimelineModel& model, const TimelineFrame& frame, const Theme& theme)
{
    const QFont& font = theme.font(TextRole::Small);
    Legend legend;
    legend.end = frame.layout.header.right() - theme.px(14);
    const double line = linesWidth(model, theme);
    legend.begin = legend.end - line;
    const double own = theme.px(kSwatchWidth) + theme.px(kSwatchGap);
    double names = 0;
    for (std::size_t layer = 0; layer < model.layers->size(); ++layer)
        names += own + nameWidth(font, model.layerName(layer));
    const double gaps = static_cast<double>(model.layers->size()) - (line > 0 ? 0.0 : 1.0);
    const double gap = std::clamp((legend.begin - theme.px(kRoomyFacts) - names) / gaps,
                                  double(theme.px(kNarrowGap)), double(theme.px(kWideGap)));
    double x = line > 0 ? legend.begin - gap : legend.end;
    for (std::size_t layer = model.layers->size(); layer-- > 0;) {
        const QString name = model.layerName(layer);
        if (name.isEmpty())
            continue;
        const double text = x - nameWidth(font, name);
        if (text - own < theme.px(kLeastFacts)) {
            addLeftOut(legend, model, layer, x, font);
            break;
        }
        legend.begin = std::round(text - own);
        legend.entries.push_back({(*model.layers)[layer].ink, name, legend.begin, text});
        x = text - own - gap;
    }
    return legend;
}

} // namespace

QString wholeSubtitle(const TimelineModel& model)
{
    return model.subtitle.join(kBetween);
}

ShownSubtitle shownSubtitle(const TimelineModel& model, const TimelineFrame& frame,
                            const Theme& theme)
{
    const QRectF& header = frame.layout.header;
    const double left = theme.px(kTitleLeft)
                        + numberWidth(theme.font(TextRole::Strong), model.title)
                        + theme.px(kFactsGap);
    const double room =
        std::max(0.0, legendOf(model, frame, theme).begin - theme.px(kFactsGap) - left);
    ShownSubtitle shown{wholeSubtitle(model), {left, header.top(), room, header.height()}};
    const QFont& font = theme.font(TextRole::Body);
    shown.isWhole = numberWidth(font, shown.text) <= room;
    if (shown.isWhole)
        return shown;
    const QString more = QStringLiteral(" …");
    shown.text.clear();
    for (const QString& fact : model.subtitle) {
        const QString longer =
            shown.text.isEmpty() ? fact : shown.text + kBetween.toString() + fact;
        if (numberWidth(font, longer + more) <= room)
            shown.text = longer;
    }
    shown.text = shown.text.isEmpty()
                     ? QFontMetricsF{font}.elidedText(model.subtitle.front(), Qt::ElideRight, room)
                     : shown.text + more;
    return shown;
}

void paintLegend(const PaintContext& context)
{
    const Legend legend = legendOf(context.model, context.frame, context.theme);
    context.setText(TextRole::Small, Role::Text);
    const double ratio = context.painter.device()->devicePixelRatioF();
    const QSize swatch{static_cast<int>(context.px(kSwatchWidth)),
                       static_cast<int>(context.px(kSwatchHeight))};
    const QRectF& header = context.frame.layout.header;
    const double top = std::round(header.center().y() - swatch.height() / 2.0);
    const double baseline = baselineIn(header, context.theme.font(TextRole::Small));
    paintLegendLines(context, legend.end, baseline);
    for (const LegendEntry& entry : legend.entries) {
        context.painter.drawText(QPointF{entry.text, baseline}, entry.name);
        context.painter.drawImage(QPointF{entry.swatch, top},
                                  layerSwatch(context.theme, entry.ink, swatch, ratio));
    }
    context.painter.setPen(context.color(Role::Muted));
    context.painter.drawText(QPointF{legend.begin, baseline}, legend.leftOut);
}

void paintHeader(const PaintContext& context)
{
    const QRectF& header = context.frame.layout.header;
    context.setText(TextRole::Strong, Role::Text);
    const QColor ground = context.color(Role::Panel);
    drawNumberOn(
        ground, context.painter,
        QPointF{context.px(kTitleLeft), baselineIn(header, context.theme.font(TextRole::Strong))},
        context.model.title, Qt::AlignLeft);
    const ShownSubtitle shown = shownSubtitle(context.model, context.frame, context.theme);
    context.setText(TextRole::Body, Role::Muted);
    drawNumberOn(ground, context.painter,
                 QPointF{shown.rect.left(), baselineIn(header, context.theme.font(TextRole::Body))},
                 shown.text, Qt::AlignLeft);
}

} // namespace plimsoll::ui
