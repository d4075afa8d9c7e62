// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"

#include <QString>

namespace plimsoll::ui {

/// "forward, model.py:12": the top frame of a stack; "before the recording" without one.
[[nodiscard]] QString stackText(const workspace::ProfilePicture& picture, std::uint32_t allocation);
/// "train/model.py:12": a place that an editor opens; empty: none is known.
[[nodiscard]] QString sourceText(const memtrace::StackTable& stacks, memtrace::StackId stack);
/// The same without its folders.
[[nodiscard]] QString shortSource(const QString& source);
/// "Activations": of an allocation.
[[nodiscard]] QString classText(const workspace::ProfilePicture& picture, std::uint32_t allocation);
/// How long an allocation lives within the recording: "12.4 ms", "84 events".
[[nodiscard]] QString lifeText(const workspace::ProfilePicture& picture, std::uint32_t allocation);
/// The same as a number, to be sorted by.
[[nodiscard]] std::int64_t lifeOf(const workspace::ProfilePicture& picture,
                                  std::uint32_t allocation);
/// When an event was: "12.4 ms" or "event 84"; `otherwise` for kNoEvent.
[[nodiscard]] QString eventText(const workspace::ProfilePicture& picture,
                                memtrace::EventIndex event, const QString& otherwise);
/// "GPU 0", "Pinned host memory".
[[nodiscard]] QString deviceText(const memtrace::DeviceTrace& device);
/// "0x7f31 8a00 0000".
[[nodiscard]] QString addressText(std::uint64_t address);
/// "0x7f318a000000", for other programs.
[[nodiscard]] QString plainAddressText(std::uint64_t address);
/// "default", "1": streams are pointers, numbered in the order in which the recording has them.
[[nodiscard]] QString streamText(const memtrace::DeviceTrace& device, std::uint64_t stream);
/// "default", "private 0.1".
[[nodiscard]] QString poolText(const memtrace::Place& place);
/// "alloc", "free", as in the recording.
[[nodiscard]] QString actionText(memtrace::Action action);

} // namespace plimsoll::ui
