// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"

#include <QString>
#include <QStringList>

namespace plimsoll::ui {

/// "Class", "Size", …
[[nodiscard]] QString fieldTitle(memtrace::FilterField field);
/// An example of a value: ">= 1 MiB".
[[nodiscard]] QString fieldExample(memtrace::FilterField field);
/// Values that the shown device has, for the field to complete; few hundreds at most.
[[nodiscard]] QStringList fieldSuggestions(const workspace::ProfilePicture& picture,
                                           memtrace::FilterField field);

} // namespace plimsoll::ui
