// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/registry.h"

namespace plimsoll::workspace {

/// The largest accepted plan, measurement or problem file: a plan of 100,000 ops has about 1 MB, a
/// measurement some 100 B for each op.
inline constexpr io::ReadLimits kTextLimits{.bytes = std::uint64_t{64} << 20U,
                                            .freeBytes = std::uint64_t{4} << 20U};

/// All file formats that this build reads.
[[nodiscard]] readers::Registry fileFormats();

} // namespace plimsoll::workspace
