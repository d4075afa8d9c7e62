// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/remat/capuchin/access_profile.h"

#include <QString>

#include <memory>
#include <vector>

namespace plimsoll::ui {

/// When a step uses each value that is saved for backward, with names to show.
struct AccessTable
{
    solve::AccessProfile profile;
    std::vector<QString> names; ///< of profile.values
    graph::ProgramPtr program;
    base::Bytes budget; ///< of the profile's peak interval
    QString device;
};

using AccessTablePtr = std::shared_ptr<const AccessTable>;

/// Off the GUI thread. Fails only if it is stopped.
[[nodiscard]] base::Result<AccessTablePtr> accessTable(const plan::Problem& problem,
                                                       const base::JobContext& job);

/// "3.42 ms", "−1.07 ms": the step would have to wait.
[[nodiscard]] QString swapFreeText(std::optional<base::Nanoseconds> time);

} // namespace plimsoll::ui
