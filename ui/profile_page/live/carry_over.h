// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/base/selection.h"
#include "ui/timeline/viewport.h"

#include <cstdint>
#include <optional>

namespace plimsoll::ui {

/// Whether the two show one device of two readings of a file: what is selected in one can be
/// carried over to the other.
[[nodiscard]] bool isLaterReading(const workspace::ProfilePicture& from,
                                  const workspace::ProfilePicture& to);

// What a place in one picture is in that of a later reading, in which records that came late may
// have moved it.

/// None: it isn't there any more.
[[nodiscard]] std::optional<std::size_t> stepIn(const workspace::ProfilePicture& from,
                                                std::size_t step,
                                                const workspace::ProfilePicture& to);
[[nodiscard]] std::optional<StepRange> rangeIn(const workspace::ProfilePicture& from,
                                               const StepRange& range,
                                               const workspace::ProfilePicture& to);
[[nodiscard]] std::optional<std::uint32_t> allocationIn(const workspace::ProfilePicture& from,
                                                        std::uint32_t allocation,
                                                        const workspace::ProfilePicture& to);
/// The same stretch of the axis; one that reached the end stays as wide and does so again, and the
/// whole axis stays whole.
[[nodiscard]] VisibleRange visibleIn(const workspace::ProfilePicture& from, VisibleRange range,
                                     const workspace::ProfilePicture& to);

} // namespace plimsoll::ui
