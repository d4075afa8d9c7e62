// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/io/byte_source.h"
#include "core/readers/plimsoll_graph/reader.h"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace plimsoll::tests {

/// Reads a graph from text as if it were the file "net.json". The buffer ends exactly behind the
/// padding, so that a sanitizer sees a read beyond it.
[[nodiscard]] inline base::Result<readers::ReadProgram>
readText(std::string_view text, const base::JobContext& context = {})
{
    const std::size_t size = text.size() + io::kPadding;
    const auto buffer = std::make_unique<char[]>(size); // NOLINT(*-avoid-c-arrays): exact size
    std::memcpy(buffer.get(), text.data(), text.size());
    return readers::plimsoll_graph::parse({"net.json", {buffer.get(), text.size()}, false},
                                          context);
}

} // namespace plimsoll::tests
