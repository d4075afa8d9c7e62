// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device/device.h"

#include <filesystem>
#include <optional>

namespace plimsoll::plan {

/// Where NVIDIA's driver for Linux tells of the GPUs of this computer.
inline constexpr const char* kDriverFolder = "/proc/driver/nvidia/gpus";

/// The GPU of this computer, if there is one, the driver tells its name, and the table has it: the
/// one with the most memory. Reads some small files.
[[nodiscard]] std::optional<Device> ownDevice(const std::filesystem::path& folder = kDriverFolder);

} // namespace plimsoll::plan
