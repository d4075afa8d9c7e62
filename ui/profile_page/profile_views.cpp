// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/profile_views.h"

#include "ui/profile_page/profile_page.h"

namespace plimsoll::ui {

ProfileLayout profileLayout()
{
    return {makePlotsView, {}};
}

} // namespace plimsoll::ui
