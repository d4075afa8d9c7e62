// SPDX-License-Identifier: Apache-2.0
#include "ui/base/drawn_text.h"
#include "ui/plot/label_placer.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/timeline_overlay.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kCardOffset = 14; ///< right of the cursor line
constexpr double kCardDrop = 12;   ///< below the plot's top
constexpr double kNameBox = 120;
constexpr double kNameHeight = 14;

QRectF cardRect(const TimelineFrame& frame, const QSizeF& size, double x)
{
    const QRectF& plot = frame.at.plot();
    const double offset = kCardOffset * frame.layout.scale;
    double left = x + offset;
    if (left + size.width() > plot.right())
        left = x - offset - size.width();
    left = std::max(left, plot.left() + 2);
    // Placed lower only if the plot has room for it.
    const double free = plot.height() - size.height();
    const double drop = std::clamp(free / 2, 0.0, kCardDrop * frame.layout.scale);
    return {QPointF{left, plot.top() + drop}, size};
}

/// The box for a layer's name: the window of `width` columns in which the layer is thickest.
std::optional<QRectF> nameBox(const StackColumns& columns, std::size_t layer, std::size_t width,
                              double leastHeight)
{
    std::optional<QRectF> best;
    constexpr std::size_t kStride = 8;
    constexpr std::size_t kSample = 4;
    double bestHeight = leastHeight;
    for (std::size_t begin = 0; begin + width <= columns.count(); begin += kStride) {
        float lower = 0;
        float upper = std::min(columns.top[begin][layer], static_cast<float>(columns.height));
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

void placeLayerNames(const Placing& to, const TimelineModel& model, const StackColumns& columns,
                     double ratio)
{
    const TimelineFrame& frame = to.frame;
    const QFont& font = to.theme.font(TextRole::SmallStrong);
    const double line = std::ceil(QFontMetricsF{font}.height());
    const auto width = static_cast<std::size_t>(kNameBox * frame.layout.scale * ratio);
    for (std::size_t layer = 0; layer < model.layers->size(); ++layer) {
        const std::optional<QRectF> box =
            nameBox(columns, layer, width, kNameHeight * frame.layout.scale * ratio);
        if (!box)
            continue;
        const QString name = model.layerName(layer);
        if (name.isEmpty())
            continue;
        const QSizeF size{std::ceil(nameWidth(font, name)) + 10,
                          std::min(line, box->height() / ratio)};
        const QPointF center = box->center() / ratio + frame.at.plot().topLeft();
        // In the middle of the box, or above or below it inside the box if a line runs through
        // there.
        const double aside = std::min((box->height() / ratio - size.height()) / 2, size.height());
        const auto at = [&](double shift) {
            return QRectF{QPointF{std::round(center.x() - size.width() / 2),
                                  std::round(center.y() - size.height() / 2 + shift)},
                          size};
        };
        const std::array places{at(0), at(-aside), at(aside)};
        to.labels.layerNames.at(layer) = to.placer.place(places);
    }
}

} // namespace

std::array<QRectF, 6> besideMark(const PeakMark& mark, const QSizeF& size, double scale)
{
    const double dx = 10 * scale;
    const double above = mark.apex.y() - size.height();
    const double below = mark.apex.y() + 3;
    const double middle = mark.apex.y() - size.height() / 2;
    const auto right = [&](double y) { return QRectF{QPointF{mark.apex.x() + dx, y}, size}; };
    const auto left = [&](double y) {
        return QRectF{QPointF{mark.apex.x() - dx - size.width(), y}, size};
    };
    return mark.below ? std::array{left(below),   right(below), left(middle),
                                   right(middle), left(above),  right(above)}
                      : std::array{right(above), left(above),  right(middle),
                                   left(middle), right(below), left(below)};
}

PlacedLabels placeLabels(const TimelineModel& model, const TimelineFrame& frame, const Theme& theme,
                         const StackColumns& columns, double devicePixelRatio)
{
    PlacedLabels labels;
    const QRectF& plot = frame.at.plot();
    LabelPlacer placer{plot};
    const Placing placing{placer, labels, frame, theme};
    if (!model.stacked || model.stacked->stepCount() == 0)
        return labels;
    const auto placeOverlay = [&](LabelRank rank) {
        if (model.overlay != nullptr)
            model.overlay->place(placing, rank);
    };
    const std::size_t steps = model.stacked->stepCount();
    if (model.line && frame.shows(*model.line)) {
        const double y = frame.at.yOf(*model.line);
        placer.block(QRectF{plot.left(), y - 3, plot.width(), 6});
    }
    placeOverlay(LabelRank::BeforeCards);
    if (const auto distance = pinDistance(model, frame, theme))
        placer.block(distance->rect);
    if (const std::vector<QRectF> places = rangeReadoutPlaces(model, frame, theme);
        !places.empty()) {
        labels.range = placer.place(places);
        if (!labels.range) { // over lines rather than nowhere
            labels.range = places.front();
            placer.block(places.front());
        }
    }
    const auto addCard = [&](std::size_t step) {
        labels.cards.push_back(cardRect(frame, hoverCardSize(model, theme, step, plot.height()),
                                        frame.xOfStep(model.axis, step)));
    };
    for (const std::size_t pin : model.pins)
        if (pin < steps) {
            addCard(pin);
            placer.block(labels.cards.back());
        }
    placeOverlay(LabelRank::BeforePeak);
    if (const auto mark = peakMark(model, frame)) {
        const auto places = besideMark(*mark, tagSize(theme, peakTag(model)), frame.layout.scale);
        labels.peak = placer.place(places);
    }
    placeOverlay(LabelRank::AfterPeak);
    placeLayerNames(placing, model, columns, devicePixelRatio);
    // A pinned step shows its pinned card, without a second one on top.
    const bool pinned =
        model.cursorStep && std::ranges::find(model.pins, *model.cursorStep) != model.pins.end();
    if (model.cursorCard && model.cursorStep && !pinned && !model.heldLength
        && *model.cursorStep < steps)
        addCard(*model.cursorStep);
    return labels;
}

} // namespace plimsoll::ui
