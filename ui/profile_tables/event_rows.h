// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "ui/base/selection.h"
#include "ui/profile_tables/event_model.h"

#include <optional>
#include <string>

namespace plimsoll::ui {

/// Which events of a device a table lists, and in which order.
struct WantedEvents
{
    workspace::ProfilePicturePtr picture;
    /// Looked for in the action and in the frames of the allocation, as TextPattern::fromQuery()
    /// has it; empty: all.
    std::string query;
    std::optional<StepRange> range; ///< those after its first step, up to its last; none: all
    EventModel::Column column = EventModel::NumberColumn;
    bool isDescending = false;
};

/// Those that the picture's filter keeps. Off the GUI thread; fails when it is stopped only.
[[nodiscard]] base::Result<EventRows> eventRows(const WantedEvents& wanted,
                                                const base::JobContext& job = {});

} // namespace plimsoll::ui
