// SPDX-License-Identifier: Apache-2.0
#include "ui/base/layout_scale.h"

#include <QApplication>
#include <QBoxLayout>
#include <QFormLayout>
#include <QGridLayout>
#include <QVariant>
#include <QWidget>

#include <cmath>

namespace plimsoll::ui {

namespace {

// The lengths last set on an object, and the unscaled lengths from which they were computed.
constexpr const char* kGiven = "plimsollGivenLengths";
constexpr const char* kDesign = "plimsollDesignLengths";

/// Lengths at the new scale. A length that differs from the one last set was set by its owner, at
/// the old scale. Negative lengths mean "as the style says" and stay.
QList<int> rescaled(QObject& object, const QList<int>& now, double from, double to)
{
    const auto given = object.property(kGiven).value<QList<int>>();
    auto design = object.property(kDesign).value<QList<double>>();
    const bool known = given.size() == now.size() && design.size() == now.size();
    design.resize(now.size());
    QList<int> result(now.size());
    for (qsizetype i = 0; i < now.size(); ++i) {
        if (!known || given[i] != now[i])
            design[i] = now[i] / from;
        result[i] = now[i] < 0 ? now[i] : static_cast<int>(std::lround(design[i] * to));
    }
    object.setProperty(kGiven, QVariant::fromValue(result));
    object.setProperty(kDesign, QVariant::fromValue(design));
    return result;
}

struct Spacings
{
    int across;
    int down;
};

Spacings spacingsOf(const QLayout& layout)
{
    if (const auto* grid = qobject_cast<const QGridLayout*>(&layout))
        return {grid->horizontalSpacing(), grid->verticalSpacing()};
    if (const auto* form = qobject_cast<const QFormLayout*>(&layout))
        return {form->horizontalSpacing(), form->verticalSpacing()};
    return {layout.spacing(), layout.spacing()};
}

void setSpacings(QLayout& layout, const Spacings& spacings)
{
    if (auto* grid = qobject_cast<QGridLayout*>(&layout)) {
        grid->setHorizontalSpacing(spacings.across);
        grid->setVerticalSpacing(spacings.down);
    } else if (auto* form = qobject_cast<QFormLayout*>(&layout)) {
        form->setHorizontalSpacing(spacings.across);
        form->setVerticalSpacing(spacings.down);
    } else {
        layout.setSpacing(spacings.across);
    }
}

void rescale(QLayout& layout, double from, double to)
{
    const QMargins margins = layout.contentsMargins();
    const Spacings spacings = spacingsOf(layout);
    QList<int> lengths{margins.left(),   margins.top(),   margins.right(),
                       margins.bottom(), spacings.across, spacings.down};
    QList<QSpacerItem*> spacers;
    for (int i = 0; i < layout.count(); ++i) {
        if (QLayout* inner = layout.itemAt(i)->layout())
            rescale(*inner, from, to);
        if (QSpacerItem* spacer = layout.itemAt(i)->spacerItem()) {
            spacers << spacer;
            lengths << spacer->sizeHint().width() << spacer->sizeHint().height();
        }
    }
    lengths = rescaled(layout, lengths, from, to);
    layout.setContentsMargins(lengths[0], lengths[1], lengths[2], lengths[3]);
    setSpacings(layout, {lengths[4], lengths[5]});
    for (qsizetype i = 0; i < spacers.size(); ++i)
        spacers[i]->changeSize(lengths[6 + 2 * i], lengths[7 + 2 * i],
                               spacers[i]->sizePolicy().horizontalPolicy(),
                               spacers[i]->sizePolicy().verticalPolicy());
    layout.invalidate();
}

bool isOurs(const QLayout& layout)
{
    return qobject_cast<const QBoxLayout*>(&layout) != nullptr
           || qobject_cast<const QGridLayout*>(&layout) != nullptr
           || qobject_cast<const QFormLayout*>(&layout) != nullptr;
}

/// Scales fixed sizes, and the icon sizes of widgets that have one.
void rescaleSizes(QWidget& widget, double from, double to)
{
    constexpr const char* kIconSize = "iconSize"; // property of buttons, combo boxes and tab bars
    const bool isWide = widget.minimumWidth() == widget.maximumWidth();
    const bool isHigh = widget.minimumHeight() == widget.maximumHeight();
    const QSize icon = widget.property(kIconSize).toSize();
    if (widget.isWindow() || (!isWide && !isHigh && icon.isEmpty()))
        return;
    const QList<int> lengths =
        rescaled(widget,
                 {isWide ? widget.minimumWidth() : -1, isHigh ? widget.minimumHeight() : -1,
                  icon.isEmpty() ? -1 : icon.width(), icon.isEmpty() ? -1 : icon.height()},
                 from, to);
    if (!icon.isEmpty())
        widget.setProperty(kIconSize, QSize{lengths[2], lengths[3]});
    if (isWide)
        widget.setFixedWidth(lengths[0]);
    if (isHigh)
        widget.setFixedHeight(lengths[1]);
}

} // namespace

void rescaleLayouts(double from, double to)
{
    if (from == to)
        return;
    for (QWidget* widget : QApplication::allWidgets()) {
        if (QLayout* layout = widget->layout(); layout != nullptr && isOurs(*layout))
            rescale(*layout, from, to);
        rescaleSizes(*widget, from, to);
    }
}

} // namespace plimsoll::ui
