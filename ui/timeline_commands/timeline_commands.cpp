// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline_commands/timeline_commands.h"

#include "ui/timeline/timeline_view.h"

#include <QObject>

namespace plimsoll::ui {

namespace {

std::function<void(DocumentPage&)> on(void (TimelineView::*run)())
{
    return [run](DocumentPage& page) { (page.findChild<TimelineView*>()->*run)(); };
}

} // namespace

std::vector<PageCommand> timelineCommands()
{
    using enum MenuPlace;
    return {
        {View, "view.zoom_in", QObject::tr("Zoom In"), "W", on(&TimelineView::zoomIn)},
        {View, "view.zoom_out", QObject::tr("Zoom Out"), "S", on(&TimelineView::zoomOut)},
        {View, "view.pan_left", QObject::tr("Pan Left"), "A", on(&TimelineView::panLeft)},
        {View, "view.pan_right", QObject::tr("Pan Right"), "D", on(&TimelineView::panRight)},
        {View, "view.range", QObject::tr("Zoom to Range"), "Z", on(&TimelineView::zoomToRange)},
        {View, "view.whole", QObject::tr("Whole Step"), "H", on(&TimelineView::showWholeStep),
         "fit"},
        {View, "view.zoom_in_bytes", QObject::tr("Zoom In on B&ytes"), "Shift+W",
         on(&TimelineView::zoomInBytes)},
        {View, "view.zoom_out_bytes", QObject::tr("Zoom Out of &Bytes"), "Shift+S",
         on(&TimelineView::zoomOutBytes)},
        {View, "view.whole_bytes", QObject::tr("Whole Memory A&xis"), "Shift+H",
         on(&TimelineView::showWholeMemoryAxis)},
        {View, "view.peak", QObject::tr("Go to Peak"), "]", on(&TimelineView::goToPeak)},
        {View, "view.pin", QObject::tr("Pin Here"), "M", on(&TimelineView::pinAtCursor)},
    };
}

} // namespace plimsoll::ui
