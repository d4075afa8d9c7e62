// SPDX-License-Identifier: Apache-2.0
#include "ui/start_page/opening_page.h"

#include "ui/base/drawn_text.h"
#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/plot/paths.h"
#include "ui/plot/ticks.h"

#include <QPainter>
#include <QPolygonF>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr double kGutter = 92; ///< for the labels of the vertical axis
constexpr double kFoot = 22;   ///< for those of the horizontal one

} // namespace

/// The curve over the events that have been read.
class OpeningPage::Plot : public QWidget
{
public:
    explicit Plot(QWidget* parent) : QWidget{parent}
    {
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
        setMinimumHeight(Theme::current().px(160));
    }
    void show(const base::CurveSoFar::Curve& curve)
    {
        m_curve = curve;
        update();
    }
    [[nodiscard]] const base::CurveSoFar::Curve& curve() const { return m_curve; }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const Theme& theme = Theme::current();
        QPainter painter{this};
        const QRectF plot = QRectF{rect()}.adjusted(theme.px(kGutter), 1, -1, -theme.px(kFoot));
        painter.fillRect(plot, theme.color(Role::Plot));
        if (m_curve.blocks.empty() || plot.width() < 2 || plot.height() < 2)
            return;
        paintBytes(painter, plot);
        paintEvents(painter, plot);
        painter.setClipRect(plot);
        paintCurve(painter, plot);
    }

private:
    [[nodiscard]] ByteRange range() const
    {
        const base::CurveSoFar::Block found = m_curve.range();
        const std::int64_t room = std::max<std::int64_t>((found.highest - found.lowest) / 16, 1);
        return {base::Bytes{found.lowest - (found.lowest < 0 ? room : 0)},
                base::Bytes{found.highest + room}};
    }
    [[nodiscard]] double yOf(double bytes, const QRectF& plot) const
    {
        const ByteRange shown = range();
        return plot.bottom()
               - (bytes - static_cast<double>(shown.bottom.count()))
                     / static_cast<double>(shown.span().count()) * plot.height();
    }

    void paintBytes(QPainter& painter, const QRectF& plot) const
    {
        const Theme& theme = Theme::current();
        const QFontMetricsF metrics{theme.font(TextRole::Small)};
        for (const Tick& tick : byteAxis(range(), plot.height(), theme.px(32)).ticks) {
            const double y = std::round(yOf(tick.value, plot));
            painter.fillRect(QRectF{plot.left(), y, plot.width(), 1},
                             theme.color(tick.value == 0 ? Role::BorderStrong : Role::Grid));
            setText(painter, TextRole::Small, Role::Muted);
            drawNumber(
                painter,
                QPointF{plot.left() - theme.px(8), y + (metrics.ascent() - metrics.descent()) / 2},
                bytesDifferenceText(base::Bytes{static_cast<std::int64_t>(tick.value)}),
                Qt::AlignRight);
        }
    }
    void paintEvents(QPainter& painter, const QRectF& plot) const
    {
        const Theme& theme = Theme::current();
        const auto end = static_cast<double>(m_curve.values);
        const double baseline = plot.bottom() + theme.px(16);
        for (const double at : decimalTicks(0, end, plot.width(), theme.px(110))) {
            const double x = std::round(plot.left() + at / end * plot.width());
            painter.fillRect(QRectF{x, plot.top(), 1, plot.height()}, theme.color(Role::Grid));
            const QString count = countText(static_cast<std::uint64_t>(at));
            setText(painter, TextRole::Small, Role::Muted);
            if (x + theme.px(48) < plot.right())
                drawNumber(painter, QPointF{x, baseline},
                           at == 0 ? OpeningPage::tr("event %1").arg(count) : count, Qt::AlignLeft);
        }
    }
    /// From the lowest to the highest value of each block.
    void paintCurve(QPainter& painter, const QRectF& plot) const
    {
        const Theme& theme = Theme::current();
        QPolygonF top;
        QPolygonF bottom;
        const auto end = static_cast<double>(m_curve.values);
        for (std::size_t i = 0; i < m_curve.blocks.size(); ++i) {
            const base::CurveSoFar::Block& block = m_curve.blocks[i];
            const double begin = static_cast<double>(i * m_curve.perBlock);
            for (const double at :
                 {begin, std::min(end, begin + static_cast<double>(m_curve.perBlock))}) {
                const double x = plot.left() + at / end * plot.width();
                top << QPointF{x, yOf(static_cast<double>(block.highest), plot)};
                bottom << QPointF{x, yOf(static_cast<double>(block.lowest), plot)};
            }
        }
        QPolygonF band = top;
        std::for_each(bottom.rbegin(), bottom.rend(), [&](const QPointF& at) { band << at; });
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(Role::ClassAct, 0.45));
        painter.drawPolygon(band);
        setShape(painter, QPen{theme.color(Role::Text), 1.25});
        painter.drawPolyline(top);
    }

    base::CurveSoFar::Curve m_curve;
};

OpeningPage::OpeningPage(QWidget* parent) : QWidget{parent}
{
    setManualPage(*this, QStringLiteral("profiles.md#opening"));
    setProperty("ground", QStringLiteral("panel"));
    auto* column = makeColumn(this, 8, {24, 20, 24, 20});
    m_title = new TextLabel{{}, TextRole::Head, Role::Text, this};
    m_facts = new TextLabel{{}, TextRole::Body, Role::Muted, this};
    m_plot = new Plot{this};
    m_progress = new QProgressBar{this};
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of opening"));
    auto* cancel = new QPushButton{tr("Cancel"), this};
    connect(cancel, &QPushButton::clicked, this, &OpeningPage::cancelRequested);
    column->addWidget(m_title);
    column->addWidget(m_facts);
    column->addWidget(new TextLabel{tr("Counted from the first event on. What was live before it, "
                                       "and so the real height, is known once all is read."),
                                    TextRole::Body, Role::Muted, this});
    column->addSpacing(Theme::current().px(4));
    column->addWidget(m_plot, 1);
    auto* row = makeRow(nullptr, 12);
    row->addWidget(m_progress, 1);
    row->addWidget(cancel);
    column->addLayout(row);
}

void OpeningPage::show(const QString& name, const base::CurveSoFar::Curve& curve, int perMille)
{
    const QString events = countText(curve.values);
    m_title->setText(tr("Opening %1: active memory so far").arg(name));
    m_facts->setText(tr("%1 · %2 events read · allocated less freed, at most %3")
                         .arg(deviceText(curve.series), events,
                              bytesDifferenceText(base::Bytes{curve.range().highest})));
    m_plot->show(curve);
    m_progress->setValue(perMille);
    setAccessibleName(m_title->text());
    setAccessibleDescription(m_facts->text());
}

const base::CurveSoFar::Curve& OpeningPage::curve() const
{
    return m_plot->curve();
}

} // namespace plimsoll::ui
