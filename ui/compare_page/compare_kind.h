// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/document_page/page_registry.h"

namespace plimsoll::ui {

class Settings;

/// The kind of page for compared profiles, with its commands.
[[nodiscard]] PageKind comparePageKind(Settings& settings);
/// A kind of page for profiles with the command that compares the shown one with others.
[[nodiscard]] PageKind withCompareCommand(PageKind profiles, Settings& settings);

} // namespace plimsoll::ui
