// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/base/selection.h"

#include <QString>

#include <optional>
#include <string>

namespace plimsoll::ui {

/// Tolerated oddities of a recording.
[[nodiscard]] std::size_t oddityCount(const memtrace::MemoryTrace& trace);
/// "12.4 ms", "event 1,204", "before the first event".
[[nodiscard]] QString stepText(const workspace::ProfilePicture& picture, std::size_t step);
/// "12.4 ms – 20.1 ms"; empty: no range.
[[nodiscard]] QString rangeText(const workspace::ProfilePicture& picture,
                                const std::optional<StepRange>& range);
/// On both axes, "419 ms · event 6,813"; empty, not null, before the first event.
[[nodiscard]] QString eventPlaceText(const workspace::ProfilePicture& picture, std::size_t step);
/// Whether the recording tells what was reserved.
[[nodiscard]] bool hasReserved(const memtrace::DeviceTrace& device);
/// "12.4 ms · 10.6 GiB": what is live at a step; with a filter "12.4 ms · 9.41 of 10.64 GiB".
[[nodiscard]] QString liveText(const workspace::ProfilePicture& picture, std::size_t step,
                               base::Bytes matching);

} // namespace plimsoll::ui
