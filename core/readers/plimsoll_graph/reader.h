// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/descriptor.h"

namespace plimsoll::readers::plimsoll_graph {

/// The format of FORMAT.md.
[[nodiscard]] ReaderDescriptor descriptor();

[[nodiscard]] bool sniff(std::string_view head);
/// Hostile content is an error, never a crash; every invariant of FORMAT.md holds for the result.
[[nodiscard]] base::Result<ReadProgram> read(const Source& source, const base::JobContext& context);

} // namespace plimsoll::readers::plimsoll_graph
