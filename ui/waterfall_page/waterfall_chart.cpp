// SPDX-License-Identifier: Apache-2.0
#include "ui/waterfall_page/waterfall_chart.h"

#include "ui/base/drawn_text.h"
#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/plot/paths.h"
#include "ui/plot/ticks.h"
#include "ui/waterfall_page/waterfall_texts.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kHead = 34;
constexpr double kRow = 25;
constexpr double kFoot = 24;
constexpr double kName = 190;  ///< width of the names
constexpr double kFigure = 96; ///< of the figures
constexpr double kLeastPlot = 120;
constexpr double kBar = 15; ///< height of a bar
constexpr double kDiamond = 5.5;

ChartLine peakLine(const QString& name, base::Bytes bytes, const QString& text)
{
    return {name, bytesText(bytes), text, std::nullopt, bytes.count(), bytes.count()};
}

} // namespace

std::vector<ChartLine> chartLines(const waterfall::Waterfall& of)
{
    using enum waterfall::Reason;
    std::vector<ChartLine> lines;
    lines.push_back(peakLine(
        WaterfallChart::tr("Predicted peak"), of.predictedPeak,
        WaterfallChart::tr("evaluated, at %1").arg(opText(of, of.predicted.evaluation->peakStep))));
    std::int64_t at = of.predictedPeak.count();
    for (const waterfall::WaterfallRow& row : of.rows) {
        if (row.bytes.count() != 0 || row.reason == NotExplained)
            lines.push_back({reasonText(row.reason), bytesDifferenceText(row.bytes),
                             QString::fromStdString(row.text), row.reason, at,
                             at + row.bytes.count()});
        at += row.bytes.count();
        if (row.reason == NotExplained)
            lines.push_back(
                peakLine(WaterfallChart::tr("Measured peak"), of.measuredPeak,
                         WaterfallChart::tr("as requested, at %1").arg(opText(of, of.place))));
        else if (row.reason == Rounding)
            lines.push_back(peakLine(
                WaterfallChart::tr("Allocated"), *of.allocatedPeak,
                of.isAllocatedEstimated
                    ? WaterfallChart::tr("an estimate of torch.cuda.max_memory_allocated()")
                    : QStringLiteral("torch.cuda.max_memory_allocated()")));
        else if (row.reason == Fragmentation)
            lines.push_back(peakLine(WaterfallChart::tr("Reserved"), *of.reservedPeak,
                                     QStringLiteral("torch.cuda.max_memory_reserved()")));
        else if (row.reason == Foreign)
            lines.push_back(peakLine(WaterfallChart::tr("Of the device"), *of.driverPeak,
                                     WaterfallChart::tr("with what others in the process hold")));
    }
    return lines;
}

WaterfallChart::WaterfallChart(QWidget* parent) : QWidget{parent}
{
    setManualPage(*this, QStringLiteral("compare.md#predicted-against-measured"));
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Gap at the peak"));
}

void WaterfallChart::setWaterfall(const waterfall::WaterfallPtr& waterfall)
{
    m_lines = waterfall ? chartLines(*waterfall) : std::vector<ChartLine>{};
    m_selected.reset();
    findAxis();
    QStringList told;
    for (const ChartLine& line : m_lines)
        told << QStringLiteral("%1: %2. %3").arg(line.name, line.figure, line.text);
    setAccessibleDescription(told.join(QLatin1Char{'\n'}));
    updateGeometry();
    update();
    Q_EMIT reasonSelected(std::nullopt);
}

/// From a round value below all lines to the largest one.
void WaterfallChart::findAxis()
{
    if (m_lines.empty())
        return;
    std::int64_t least = m_lines.front().from;
    std::int64_t most = least;
    for (const ChartLine& line : m_lines) {
        least = std::min({least, line.from, line.to});
        most = std::max({most, line.from, line.to});
    }
    const double span = std::max<double>(static_cast<double>(most - least), 1024);
    m_axisEnd = static_cast<double>(most) + span * 0.06;
    const double step = std::pow(10.0, std::floor(std::log10(span / unit())));
    m_axisBegin =
        std::max(0.0, std::floor((static_cast<double>(least) - span * 0.06) / unit() / step) * step
                          * unit());
}

double WaterfallChart::unit() const
{
    return static_cast<double>(
        byteUnitOf(base::Bytes{static_cast<std::int64_t>(m_axisEnd)}).factor);
}

QString WaterfallChart::unitName() const
{
    return QString::fromUtf16(byteUnitOf(base::Bytes{static_cast<std::int64_t>(m_axisEnd)}).name);
}

/// Of a value where the axis begins.
int WaterfallChart::decimals() const
{
    const double length = (m_axisEnd - m_axisBegin) / unit();
    return std::max(0, static_cast<int>(std::ceil(-std::log10(length))) + 1);
}

QString WaterfallChart::headText() const
{
    return m_axisBegin > 0 ? tr("in requested bytes, without the reserve; the axis starts at %1")
                                 .arg(QString::number(m_axisBegin / unit(), 'f', decimals())
                                      + QChar{QChar::Nbsp} + unitName())
                           : tr("in requested bytes, without the reserve");
}

WaterfallChart::Columns WaterfallChart::columns() const
{
    const Theme& theme = Theme::current();
    const double margin = theme.px(12);
    Columns at;
    at.name = margin;
    at.end = width() - margin;
    const double left = margin + theme.px(kName);
    const double room = at.end - left - theme.px(kFigure) - theme.px(16);
    // Reasons get what is left of the plot, which has 45 % of the room.
    const double plot = std::max<double>(theme.px(kLeastPlot), room * 0.45);
    at.plot = {left, static_cast<double>(theme.px(kHead)), plot,
               theme.px(kRow) * static_cast<double>(m_lines.size())};
    at.figure = at.plot.right() + theme.px(kFigure);
    at.text = at.figure + theme.px(16);
    return at;
}

double WaterfallChart::xOf(const Columns& at, double bytes) const
{
    return at.plot.left() + (bytes - m_axisBegin) / (m_axisEnd - m_axisBegin) * at.plot.width();
}

QRectF WaterfallChart::lineRect(std::size_t line) const
{
    const Theme& theme = Theme::current();
    return {0, theme.px(kHead) + static_cast<double>(line) * theme.px(kRow),
            static_cast<double>(width()), static_cast<double>(theme.px(kRow))};
}

void WaterfallChart::paintTicks(QPainter& painter, const Columns& at) const
{
    const Theme& theme = Theme::current();
    const std::vector<double> ticks =
        decimalTicks(m_axisBegin / unit(), m_axisEnd / unit(), at.plot.width(), theme.px(56));
    const int places =
        ticks.size() < 2
            ? decimals()
            : std::max(0, static_cast<int>(std::ceil(-std::log10(ticks[1] - ticks[0]) - 1e-9)));
    painter.setFont(theme.font(TextRole::Small));
    for (const double tick : ticks) {
        const double x = std::round(xOf(at, tick * unit())) + 0.5;
        painter.setPen(theme.color(Role::Grid));
        painter.drawLine(QPointF{x, at.plot.top()}, QPointF{x, at.plot.bottom()});
        painter.setPen(theme.color(Role::Muted));
        drawNumber(painter, {x, at.plot.bottom() + theme.px(16)},
                   QString::number(tick, 'f', places), Qt::AlignHCenter);
    }
    drawNumber(painter, {at.figure, at.plot.bottom() + theme.px(16)}, unitName(), Qt::AlignRight);
}

void WaterfallChart::paintMark(QPainter& painter, const Columns& at, std::size_t line) const
{
    const Theme& theme = Theme::current();
    const ChartLine& of = m_lines[line];
    const QRectF row = lineRect(line);
    const double from = xOf(at, static_cast<double>(of.from));
    const double to = xOf(at, static_cast<double>(of.to));
    if (line + 1 < m_lines.size()) { // to the next line
        painter.setPen(QPen{theme.color(Role::Faint), 1, Qt::DotLine});
        const double x = std::round(to) + 0.5;
        painter.drawLine(QPointF{x, row.center().y()}, QPointF{x, lineRect(line + 1).center().y()});
    }
    if (of.isPeak()) {
        const Role ink = line == 0 ? Role::Accent : Role::Text;
        const double radius = theme.px(kDiamond);
        const QPointF center{to, row.center().y()};
        setShape(painter, Qt::NoPen, theme.color(ink));
        painter.drawPolygon(QPolygonF{{center - QPointF{0, radius}, center + QPointF{radius, 0},
                                       center + QPointF{0, radius}, center - QPointF{radius, 0}}});
        return;
    }
    const QRectF bar{std::min(from, to), row.center().y() - theme.px(kBar) / 2.0,
                     std::max(std::abs(to - from), 1.0), static_cast<double>(theme.px(kBar))};
    if (of.reason == waterfall::Reason::NotExplained) {
        if (of.from == of.to)
            return;
        painter.fillRect(bar, theme.color(Role::Muted, 0.25));
        painter.save();
        painter.setClipRect(bar);
        setShape(painter, QPen{theme.color(Role::Muted), 1});
        painter.drawPath(hatchPath(bar, theme.px(5)));
        painter.restore();
        return;
    }
    painter.fillRect(bar, theme.color(of.to >= of.from ? Role::Warn : Role::Ok));
}

void WaterfallChart::paintLine(QPainter& painter, const Columns& at, std::size_t line) const
{
    const Theme& theme = Theme::current();
    const ChartLine& of = m_lines[line];
    const QRectF row = lineRect(line);
    const TextRole font = of.isPeak() ? TextRole::Strong : TextRole::Body;
    setText(painter, font, Role::Text);
    const double baseline = baselineIn(row, theme.font(font));
    drawName(painter, {at.name, baseline},
             fittedName(theme.font(font), of.name, Qt::ElideRight,
                        at.plot.left() - at.name - theme.px(8)));
    if (!of.isPeak() && of.to < of.from)
        painter.setPen(theme.color(Role::Ok));
    drawNumber(painter, {at.figure, baseline}, of.figure, Qt::AlignRight);
    setText(painter, TextRole::Body, Role::Muted);
    if (at.end > at.text)
        drawName(painter, {at.text, baseline},
                 fittedName(theme.font(TextRole::Body), of.text, Qt::ElideRight, at.end - at.text));
}

void WaterfallChart::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.color(Role::Panel));
    painter.setPen(theme.color(Role::Border));
    painter.drawLine(QPointF{0, 0.5}, QPointF{static_cast<double>(width()), 0.5});
    const Columns at = columns();
    const QRectF head{0, 0, static_cast<double>(width()), static_cast<double>(theme.px(kHead))};
    setText(painter, TextRole::Strong, Role::Text);
    const double baseline = baselineIn(head, theme.font(TextRole::Strong));
    const QString title = tr("Gap at the peak");
    drawName(painter, {at.name, baseline}, title);
    const double beside = at.name + nameWidth(theme.font(TextRole::Strong), title) + theme.px(10);
    setText(painter, TextRole::Body, Role::Muted);
    drawName(painter, {beside, baseline},
             fittedName(theme.font(TextRole::Body), headText(), Qt::ElideRight, at.end - beside));
    if (m_lines.empty())
        return;
    paintTicks(painter, at);
    if (m_selected) {
        painter.fillRect(lineRect(*m_selected), theme.color(Role::Sel));
        if (m_hasRing)
            drawFocusRing(painter, lineRect(*m_selected).adjusted(2, 1, -2, -1));
    }
    for (std::size_t line = 0; line < m_lines.size(); ++line)
        paintMark(painter, at, line);
    for (std::size_t line = 0; line < m_lines.size(); ++line)
        paintLine(painter, at, line);
}

std::optional<std::size_t> WaterfallChart::lineAt(const QPointF& pos) const
{
    for (std::size_t line = 0; line < m_lines.size(); ++line)
        if (lineRect(line).contains(pos))
            return line;
    return std::nullopt;
}

void WaterfallChart::selectLine(std::optional<std::size_t> line)
{
    if (line && *line >= m_lines.size())
        line.reset();
    if (m_selected == line)
        return;
    m_selected = line;
    update();
    Q_EMIT reasonSelected(line ? m_lines[*line].reason : std::nullopt);
}

void WaterfallChart::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        selectLine(lineAt(event->position()));
}

void WaterfallChart::keyPressEvent(QKeyEvent* event)
{
    const std::size_t count = m_lines.size();
    if (count > 0 && event->key() == Qt::Key_Down)
        selectLine(m_selected ? std::min(*m_selected + 1, count - 1) : 0);
    else if (count > 0 && event->key() == Qt::Key_Up)
        selectLine(m_selected && *m_selected > 0 ? *m_selected - 1 : 0);
    else
        QWidget::keyPressEvent(event);
}

bool WaterfallChart::event(QEvent* event)
{
    if (followFocus(*event, m_hasRing))
        update();
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const auto line = lineAt(QPointF{help->pos()}))
            QToolTip::showText(help->globalPos(), plainTip(m_lines[*line].text), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

QSize WaterfallChart::sizeHint() const
{
    const Theme& theme = Theme::current();
    return {theme.px(700),
            theme.px(kHead) + theme.px(kRow) * static_cast<int>(m_lines.size()) + theme.px(kFoot)};
}

QSize WaterfallChart::minimumSizeHint() const
{
    return {Theme::current().px(kName + kLeastPlot + kFigure + 24), sizeHint().height()};
}

} // namespace plimsoll::ui
