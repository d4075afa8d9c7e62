// SPDX-License-Identifier: Apache-2.0
// Any bytes are a graph or an error of one sentence; a graph that is accepted keeps its invariants.
#include "core/io/byte_source.h"
#include "core/readers/graph_dump.h"
#include "core/readers/plimsoll_graph/reader.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // A buffer of exactly that size, so that the sanitizer sees a read beyond the padding.
    const std::size_t padded = size + plimsoll::io::kPadding;
    const auto buffer = std::make_unique<char[]>(padded); // NOLINT(*-avoid-c-arrays)
    if (size > 0)
        std::memcpy(buffer.get(), data, size);
    const auto read =
        plimsoll::readers::plimsoll_graph::read({"fuzz", {buffer.get(), size}, false}, {});
    if (!read)
        return read.error().message.ends_with('.') ? 0 : (std::abort(), 0);
    const plimsoll::graph::Program& program = *read->program;
    if (!(program.checks == plimsoll::graph::recount(program)))
        std::abort();
    return plimsoll::readers::dumpProgram(program, program.ops.size()).empty() ? (std::abort(), 0)
                                                                               : 0;
}
