// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/profile_views.h"

#include "ui/profile_page/profile_page.h"

namespace plimsoll::ui {

ProfileLayout profileLayout()
{
    const auto tr = [](const char* text) { return ProfilePage::tr(text); };
    const auto id = [](const char* name) { return QString::fromLatin1(name); };
    return {makePlotsView,
            {
                {{id("inspector"), tr("Inspector"), Qt::RightDockWidgetArea},
                 {
                     {id("inspector"), tr("Inspector"), makeInspectorView},
                     {id("diagnosis"), tr("Diagnosis"), makeDiagnosisView},
                     {id("notes"), tr("Notes"), makeNotesView},
                 }},
                {{id("live"), tr("Live at cursor")},
                 {
                     {id("groups"), tr("Live at cursor"), makeLiveGroupsView},
                     {id("flame"), tr("Flame"), makeFlameView},
                 }},
                {{id("tables"), tr("Allocations")},
                 {
                     {id("largest"), tr("Largest live"), makeLargestView},
                     {id("allocations"), tr("Allocations"), makeAllocationsView},
                     {id("leaks"), tr("Leaks"), makeLeaksView},
                     {id("segments"), tr("Segments"), makeSegmentsView},
                     {id("events"), tr("Events"), makeEventsView},
                     {id("problems"), tr("Problems"), makeOdditiesView},
                 }},
            }};
}

} // namespace plimsoll::ui
