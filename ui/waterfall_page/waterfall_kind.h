// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/document_page/page_registry.h"

namespace plimsoll::ui {

class Settings;

/// The kind of page for a recording and its prediction, with its commands.
[[nodiscard]] PageKind waterfallPageKind(Settings& settings);
/// A kind of page for graphs with the command that compares the shown one with a profile.
[[nodiscard]] PageKind withMeasuredCommand(PageKind graphs, Settings& settings);

} // namespace plimsoll::ui
