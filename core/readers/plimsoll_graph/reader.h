// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/descriptor.h"

namespace plimsoll::readers::plimsoll_graph {

/// A graph of a million ops is smaller. Parsing takes a multiple of it in memory.
inline constexpr io::ReadLimits kLimits{.bytes = std::uint64_t{512} << 20U};

/// The format of FORMAT.md.
[[nodiscard]] ReaderDescriptor descriptor();

[[nodiscard]] bool sniff(std::string_view head);
/// Hostile content is an error, never a crash; the result satisfies every invariant of FORMAT.md.
[[nodiscard]] base::Result<ReadProgram> parse(const Text& text, const base::JobContext& context);

} // namespace plimsoll::readers::plimsoll_graph
