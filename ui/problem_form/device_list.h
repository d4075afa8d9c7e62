// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device/device.h"

#include <vector>

namespace plimsoll::ui {

/// The devices that a document can be planned for: those of the table, those entered by hand, and
/// the chosen one, which a session may bring along.
[[nodiscard]] std::vector<plan::Device> devicesToChoose(const std::vector<plan::Device>& own,
                                                        const plan::Device& chosen);

} // namespace plimsoll::ui
