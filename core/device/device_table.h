// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device/device.h"

#include <string_view>
#include <vector>

namespace plimsoll::plan {

/// resources/devices.json as it was when the program was built.
[[nodiscard]] std::string_view deviceTableText();

/// The devices of such a text. Every value must be there, in range, and name its source.
[[nodiscard]] base::Result<std::vector<Device>> parseDevices(std::string_view content);

} // namespace plimsoll::plan
