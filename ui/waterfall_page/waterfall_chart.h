// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/waterfall.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

namespace plimsoll::ui {

/// A line of the chart: a peak, or a part of the way from one to the next.
struct ChartLine
{
    QString name;
    QString figure;
    QString text;                            ///< why
    std::optional<waterfall::Reason> reason; ///< none: a peak
    std::int64_t from = 0;                   ///< bytes on the axis
    std::int64_t to = 0;

    [[nodiscard]] bool isPeak() const { return !reason.has_value(); }
};

/// From the predicted peak to the measured one and on to what is reserved: a line for each reason
/// with bytes, and always one for what isn't explained.
[[nodiscard]] std::vector<ChartLine> chartLines(const waterfall::Waterfall& waterfall);

/// Draws these lines. The memory axis doesn't begin at 0, so peaks are diamonds, not bars.
class WaterfallChart : public QWidget
{
    Q_OBJECT

public:
    explicit WaterfallChart(QWidget* parent = nullptr);

    void setWaterfall(const waterfall::WaterfallPtr& waterfall);
    [[nodiscard]] const std::vector<ChartLine>& lines() const { return m_lines; }
    [[nodiscard]] std::optional<std::size_t> selectedLine() const { return m_selected; }
    void selectLine(std::optional<std::size_t> line);
    /// What the head says beside the title.
    [[nodiscard]] QString headText() const;
    /// Of a line, in the widget.
    [[nodiscard]] QRectF lineRect(std::size_t line) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// None: it was a peak, or nothing is selected any more.
    void reasonSelected(std::optional<plimsoll::waterfall::Reason> reason);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// The columns, in logical pixels.
    struct Columns
    {
        QRectF plot; ///< of all lines
        double name = 0;
        double figure = 0; ///< right edge
        double text = 0;
        double end = 0;
    };

    [[nodiscard]] Columns columns() const;
    [[nodiscard]] double xOf(const Columns& at, double bytes) const;
    void paintTicks(QPainter& painter, const Columns& at) const;
    void paintLine(QPainter& painter, const Columns& at, std::size_t line) const;
    void paintMark(QPainter& painter, const Columns& at, std::size_t line) const;
    [[nodiscard]] std::optional<std::size_t> lineAt(const QPointF& pos) const;
    void findAxis();
    /// Of the axis, in bytes: a binary unit.
    [[nodiscard]] double unit() const;
    [[nodiscard]] QString unitName() const;
    [[nodiscard]] int decimals() const;

    std::vector<ChartLine> m_lines;
    double m_axisBegin = 0; ///< bytes
    double m_axisEnd = 1;
    std::optional<std::size_t> m_selected;
    bool m_hasRing = false;
};

} // namespace plimsoll::ui
