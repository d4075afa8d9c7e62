// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/profile_page/profile_view.h"

namespace plimsoll::ui {

/// All views of a profile page and their places: add new ones here.
[[nodiscard]] ProfileLayout profileLayout();

[[nodiscard]] ProfileView makePlotsView(ProfilePage& page);
[[nodiscard]] ProfileView makeInspectorView(ProfilePage& page);
[[nodiscard]] ProfileView makeDiagnosisView(ProfilePage& page);
[[nodiscard]] ProfileView makeEventsView(ProfilePage& page);
[[nodiscard]] ProfileView makeNotesView(ProfilePage& page);
[[nodiscard]] ProfileView makeLiveGroupsView(ProfilePage& page);
[[nodiscard]] ProfileView makeLargestView(ProfilePage& page);
[[nodiscard]] ProfileView makeAllocationsView(ProfilePage& page);
[[nodiscard]] ProfileView makeFlameView(ProfilePage& page);
[[nodiscard]] ProfileView makeLeaksView(ProfilePage& page);
[[nodiscard]] ProfileView makeSegmentsView(ProfilePage& page);
[[nodiscard]] ProfileView makeOdditiesView(ProfilePage& page);

} // namespace plimsoll::ui
