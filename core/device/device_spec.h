// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device/device.h"

#include <string>
#include <string_view>

namespace plimsoll::plan {

/// A device that no table has, given by hand as one line:
///
///     name=My GPU,memory=24GiB,bandwidth=1008G,float32=82.6T,bfloat16=165.2T
///
/// `memory` in bytes, `bandwidth` in bytes per second, `float32`, `bfloat16`, `float16` and
/// `float64` in FLOP per second, `host` and `link` in bytes per second of one direction (to the
/// host, to another GPU; link 0 = through the host), `latency` in nanoseconds, `workspace` in bytes
/// for each thread that calls cuBLAS. Numbers may end in k, M, G, T or P (powers of 1000), memory
/// and workspace in GiB and the like. memory, bandwidth and float32 must be there. Left out, the
/// other dtypes run at float32's rate, host is 16G, link 0, latency 4000, workspace 8519680.
///
/// The device's id is such a line with every value in it, so that plan files, sessions and settings
/// keep the whole device where they keep an id.
[[nodiscard]] base::Result<Device> parseDeviceSpec(std::string_view text);

/// Whether the text is meant as such a line: ids in the table have no equals sign.
[[nodiscard]] bool isDeviceSpec(std::string_view text);

/// The device as such a line, with exact values; the id is not part of it.
[[nodiscard]] std::string deviceSpec(const Device& device);

} // namespace plimsoll::plan
