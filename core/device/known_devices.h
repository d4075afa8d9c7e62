// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/device/device.h"

#include <string_view>
#include <vector>

namespace plimsoll::plan {

/// The text of resources/devices.json when the program was built.
[[nodiscard]] std::string_view deviceTableText();

/// Reads such a text. Every value must be present, in range, and name its source.
[[nodiscard]] base::Result<std::vector<Device>> parseDevices(std::string_view content);

/// The table embedded in the program at build time (resources/devices.json), in the file's order.
[[nodiscard]] const std::vector<Device>& builtInDevices();
/// The device with that id, or the one that a line describes (device_spec.h), or an error that
/// lists the ids.
[[nodiscard]] base::Result<Device> findDevice(std::string_view id);
/// The default of --device.
inline constexpr std::string_view kDefaultDevice = "a100-80gb";

} // namespace plimsoll::plan
