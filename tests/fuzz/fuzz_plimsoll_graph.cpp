// SPDX-License-Identifier: Apache-2.0
// Any bytes are a graph or an error of one sentence; a graph that is accepted keeps its invariants,
// at other sizes, too.
#include "core/graph/resize.h"
#include "core/graph/sizes.h"
#include "core/io/byte_source.h"
#include "core/readers/plimsoll_graph/reader.h"

#include "tests/support/graph_dump.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

using plimsoll::graph::Program;

bool isSound(const Program& program)
{
    return program.checks == plimsoll::graph::recount(program)
           && !plimsoll::graph::findSizeFault(program);
}

/// The next size of each axis, and one far away.
bool isSoundAtOtherSizes(const plimsoll::graph::ProgramPtr& program)
{
    constexpr std::int64_t kFar = std::int64_t{1} << 40U;
    if (!program->vary)
        return true;
    for (const plimsoll::graph::Axis& axis : program->vary->axes)
        for (const std::int64_t steps : {std::int64_t{1}, kFar}) {
            std::int64_t size = 0;
            if (__builtin_mul_overflow(steps, axis.step, &size)
                || __builtin_add_overflow(size, axis.recorded.back(), &size))
                continue;
            const auto resized = plimsoll::graph::resized(program, {{axis.name, size}}, {});
            if (resized ? !isSound(**resized) : !resized.error().message.ends_with('.'))
                return false;
        }
    return true;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // A buffer of exactly that size, so that the sanitizer sees a read beyond the padding.
    const std::size_t padded = size + plimsoll::io::kPadding;
    const auto buffer = std::make_unique<char[]>(padded); // NOLINT(*-avoid-c-arrays)
    if (size > 0)
        std::memcpy(buffer.get(), data, size);
    const auto read =
        plimsoll::readers::plimsoll_graph::parse({"fuzz", {buffer.get(), size}, false}, {});
    if (!read)
        return read.error().message.ends_with('.') ? 0 : (std::abort(), 0);
    const Program& program = *read->program;
    if (!isSound(program) || !isSoundAtOtherSizes(read->program))
        std::abort();
    return plimsoll::tests::dumpProgram(program, program.ops.size()).empty() ? (std::abort(), 0)
                                                                             : 0;
}
