// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device/device.h"

#include <string>

namespace plimsoll::workspace {

/// What --device takes: an id of the table, a device by hand as one line
/// (core/device/device_spec.h), or a file in the format of resources/devices.json: "gpus.json" with
/// one device, "gpus.json:id" with several. A device from a file has its line as id, since other
/// computers don't have the file.
[[nodiscard]] base::Result<plan::Device> chooseDevice(const std::string& text);

} // namespace plimsoll::workspace
