// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plimsoll::ui {

/// Registers resources/resources.qrc, which a static library does not do by itself. Theme calls it.
void initResources();

} // namespace plimsoll::ui
