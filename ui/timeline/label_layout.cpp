// SPDX-License-Identifier: Apache-2.0
#include "ui/base/drawn_text.h"
#include "ui/plot/label_placer.h"
#include "ui/timeline/measured_line.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kCardOffset = 14; ///< right of the cursor line
constexpr double kCardDrop = 12;   ///< below the plot's top
constexpr double kNameBox = 120;
constexpr double kNameHeight = 14;

/// Places of a peak's label: beside its triangle, right then left.
std::array<QRectF, 2> besideMark(const PeakMark& mark, const QSizeF& size, double scale)
{
    const double dx = 10 * scale;
    const double y = mark.below ? mark.apex.y() + 3 : mark.apex.y() - size.height();
    const QRectF right{QPointF{mark.apex.x() + dx, y}, size};
    const QRectF left{QPointF{mark.apex.x() - dx - size.width(), y}, size};
    return mark.below ? std::array{left, right} : std::array{right, left};
}

/// Places of the measured peak's label: below its disc, for the predicted one stands above, then
/// above.
std::array<QRectF, 4> aroundMark(const PeakMark& mark, const QSizeF& size, double scale)
{
    const double right = mark.apex.x() + 10 * scale;
    const double left = mark.apex.x() - 10 * scale - size.width();
    const double below = mark.apex.y() + 3;
    const double above = mark.apex.y() - 2 * size.height() - 2;
    return {QRectF{QPointF{right, below}, size}, QRectF{QPointF{left, below}, size},
            QRectF{QPointF{right, above}, size}, QRectF{QPointF{left, above}, size}};
}

void placePeaks(PlacedLabels& labels, LabelPlacer& placer, const TimelineModel& model,
                const TimelineFrame& frame, const Theme& theme)
{
    const double scale = frame.layout.scale;
    const auto placeTag = [&](const std::optional<PeakMark>& mark, const Tag& tag) {
        const auto places = besideMark(*mark, tagSize(theme, tag), scale);
        return placer.place(places);
    };
    if (const auto mark = plannedPeakMark(model, frame))
        labels.plannedPeak = placeTag(mark, plannedPeakTag(model));
    if (const auto mark = unplannedPeakMark(model, frame))
        labels.unplannedPeak = placeTag(mark, unplannedPeakTag(model));
    if (const auto mark = measuredPeakMark(model, frame)) {
        const auto places = aroundMark(*mark, tagSize(theme, measuredPeakTag(model)), scale);
        labels.measuredPeak = placer.place(places);
    }
}

/// Where nothing of the bound's tensors can be spared.
void placeWitness(PlacedLabels& labels, LabelPlacer& placer, const TimelineModel& model,
                  const TimelineFrame& frame, const Theme& theme)
{
    const double scale = frame.layout.scale;
    if (!model.bound || !model.bound->step || model.budgetState != BudgetState::Infeasible)
        return;
    const QSizeF size = tagSize(theme, witnessTag(model)) + QSizeF{0, 6};
    const double x = frame.xOfStep(model.axis, *model.bound->step);
    const double y = frame.at.yOf(model.bound->bytes) - 60 * scale - size.height();
    const std::array places{
        QRectF{QPointF{x - 10, y}, size},
        QRectF{QPointF{x - size.width() + 10, y}, size},
        QRectF{QPointF{x - 10, y + 30 * scale}, size},
        QRectF{QPointF{x - size.width() + 10, y + 30 * scale}, size},
    };
    labels.witness = placer.place(places);
}

/// At the right end of the level lines, above them, else below, else further left.
void placeLevels(PlacedLabels& labels, LabelPlacer& placer, const TimelineModel& model,
                 const TimelineFrame& frame, const Theme& theme)
{
    if (!model.measured)
        return;
    const QRectF& plot = frame.at.plot();
    for (const MeasuredLevel& level : model.measured->levels) {
        labels.levels.emplace_back();
        if (!model.showsLevel(level.bytes))
            continue;
        const QSizeF size = tagSize(theme, measuredLevelTag(level));
        const double y = frame.at.yOf(level.bytes);
        std::vector<QRectF> places;
        for (const double part : {1.0, 0.7, 0.4, 0.1})
            for (const double top : {y - size.height() - 2, y + 3})
                places.emplace_back(
                    QPointF{plot.left() + part * (plot.width() - size.width() - 16) + 8, top},
                    size);
        labels.levels.back() = placer.place(places);
    }
}

QRectF cardRect(const TimelineFrame& frame, const QSizeF& size, double x)
{
    const QRectF& plot = frame.at.plot();
    const double offset = kCardOffset * frame.layout.scale;
    double left = x + offset;
    if (left + size.width() > plot.right())
        left = x - offset - size.width();
    left = std::max(left, plot.left() + 2);
    // Lower than usual only where the plot has room for it.
    const double free = plot.height() - size.height();
    const double drop = std::clamp(free / 2, 0.0, kCardDrop * frame.layout.scale);
    return {QPointF{left, plot.top() + drop}, size};
}

std::optional<QRectF> readoutRect(const TimelineModel& model, const TimelineFrame& frame,
                                  const Theme& theme, const LabelPlacer& placer)
{
    if (!model.drag || !model.budget || model.readout.empty())
        return std::nullopt;
    const QSizeF size = readoutSize(model, theme);
    const double y = std::round(frame.at.yOf(*model.budget));
    const double left =
        std::round(frame.at.plot().right() - 10 * frame.layout.scale) - size.width();
    const double gap = 16 * frame.layout.scale;
    const QRectF below{QPointF{left, y + gap}, size};
    const QRectF above{QPointF{left, y - gap - size.height()}, size};
    return placer.isFree(below) ? below : above;
}

/// Box of a class name: where a window of `width` columns keeps the most height.
std::optional<QRectF> nameBox(const StackColumns& columns, std::size_t layer, std::size_t width,
                              double leastHeight)
{
    std::optional<QRectF> best;
    constexpr std::size_t kStride = 8;
    constexpr std::size_t kSample = 4;
    double bestHeight = leastHeight;
    for (std::size_t begin = 0; begin + width <= columns.count(); begin += kStride) {
        float lower = 0;
        float upper = columns.top[begin][layer];
        const auto least = static_cast<float>(bestHeight + (best ? 1.0 : 0.0));
        for (std::size_t column = begin; column < begin + width && upper - lower >= least;
             column += kSample) {
            upper = std::min(upper, columns.top[column][layer]);
            lower = layer == 0 ? 0 : std::max(lower, columns.top[column][layer - 1]);
        }
        if (upper - lower < least)
            continue;
        const double height = static_cast<double>(upper) - static_cast<double>(lower);
        bestHeight = height;
        best = QRectF{static_cast<double>(begin), columns.height - static_cast<double>(upper),
                      static_cast<double>(width), height};
    }
    return best;
}

void placeClassNames(PlacedLabels& labels, LabelPlacer& placer, const TimelineFrame& frame,
                     const Theme& theme, const StackColumns& columns, double ratio)
{
    const QFont& font = theme.font(TextRole::SmallStrong);
    const double line = std::ceil(QFontMetricsF{font}.height());
    const auto width = static_cast<std::size_t>(kNameBox * frame.layout.scale * ratio);
    for (std::size_t layer = 0; layer < StackColumns::kLayers; ++layer) {
        const std::optional<QRectF> box =
            nameBox(columns, layer, width, kNameHeight * frame.layout.scale * ratio);
        if (!box)
            continue;
        const QString name =
            QString::fromLatin1(timeline::categoryName(static_cast<timeline::Category>(layer)));
        const QSizeF size{std::ceil(nameWidth(font, name)) + 10,
                          std::min(line, box->height() / ratio)};
        const QPointF center = box->center() / ratio + frame.at.plot().topLeft();
        // In the middle of the box; above or below it, still inside, where a line runs through.
        const double aside = std::min((box->height() / ratio - size.height()) / 2, size.height());
        const auto at = [&](double shift) {
            return QRectF{QPointF{std::round(center.x() - size.width() / 2),
                                  std::round(center.y() - size.height() / 2 + shift)},
                          size};
        };
        const std::array places{at(0), at(-aside), at(aside)};
        labels.classNames.at(layer) = placer.place(places);
    }
}

} // namespace

PlacedLabels placeLabels(const TimelineModel& model, const TimelineFrame& frame, const Theme& theme,
                         const StackColumns& columns, double devicePixelRatio)
{
    PlacedLabels labels;
    const QRectF& plot = frame.at.plot();
    LabelPlacer placer{plot};
    if (!model.set.planned || model.set.planned->stepCount() == 0)
        return labels;
    const std::size_t steps = model.set.planned->stepCount();
    if (model.budget) {
        const double y = frame.at.yOf(*model.budget);
        placer.block(QRectF{plot.left(), y - 3, plot.width(), 6});
    }
    labels.readout = readoutRect(model, frame, theme, placer);
    if (labels.readout)
        placer.block(*labels.readout);
    for (const std::size_t pin : model.pins) {
        if (pin >= steps)
            continue;
        labels.cards.push_back(cardRect(frame, hoverCardSize(model, theme, pin, plot.height()),
                                        frame.xOfStep(model.axis, pin)));
        placer.block(labels.cards.back());
    }
    placeWitness(labels, placer, model, frame, theme);
    placePeaks(labels, placer, model, frame, theme);
    placeLevels(labels, placer, model, frame, theme);
    if (model.bound) {
        const QSizeF size = tagSize(theme, boundTag(model));
        const double y = frame.at.yOf(model.bound->bytes);
        const double x = plot.left() + 8 * frame.layout.scale;
        const std::array places{QRectF{QPointF{x, y - size.height() - 2}, size},
                                QRectF{QPointF{x, y + 3}, size}};
        labels.bound = placer.place(places);
        placer.block(QRectF{plot.left(), y - 1, plot.width(), 2});
    }
    placeClassNames(labels, placer, frame, theme, columns, devicePixelRatio);
    // A pinned step shows its pinned card, not a second one over it.
    const bool pinned =
        model.cursorStep
        && std::find(model.pins.begin(), model.pins.end(), *model.cursorStep) != model.pins.end();
    if (model.cursorCard && model.cursorStep && !pinned && !model.drag && *model.cursorStep < steps)
        labels.cards.push_back(
            cardRect(frame, hoverCardSize(model, theme, *model.cursorStep, plot.height()),
                     frame.xOfStep(model.axis, *model.cursorStep)));
    return labels;
}

} // namespace plimsoll::ui
