// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/document_page/page_registry.h"

#include <vector>

namespace plimsoll::ui {

/// The commands for zoom, range, peak and pins of a page's timeline. Every kind of page has one.
[[nodiscard]] std::vector<PageCommand> timelineCommands();

} // namespace plimsoll::ui
