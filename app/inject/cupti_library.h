// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace plimsoll::inject {

/// The handle of CUPTI: the library that is named, or the one that the process has loaded, or the
/// one that the loader finds. Null, and why, if there is none.
[[nodiscard]] void* openCupti(const std::string& named, std::string& why);

/// Whether the process has NVIDIA's driver, or can have it if `load` is set. CUPTI 13.2 calls
/// itself without end where there is none, so it must not be called then.
[[nodiscard]] bool hasDriver(bool load);

} // namespace plimsoll::inject
