// SPDX-License-Identifier: Apache-2.0
// Any bytes, in parts of any size, are a trace of PyTorch's profiler or an error of one sentence;
// the parts make no difference to what an accepted one says.
#include "core/memtrace/summary.h"

#include "tests/support/snapshots/sample_snapshot.h"
#include "tests/unit/readers/read_kineto.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kPart = 13;
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    const auto ops = plimsoll::tests::readOps(bytes);
    const auto opsAgain = plimsoll::tests::readOps(bytes, kPart);
    if (ops.has_value() != opsAgain.has_value()
        || (ops && (*ops)->spans.size() != (*opsAgain)->spans.size())
        || (!ops && !ops.error().message.ends_with('.')))
        std::abort();
    const auto read = plimsoll::tests::readKineto(bytes);
    const auto again = plimsoll::tests::readKineto(bytes, kPart);
    if (read.has_value() != again.has_value())
        std::abort();
    if (!read)
        return read.error() == again.error() && read.error().message.ends_with('.')
                   ? 0
                   : (std::abort(), 0);
    if (plimsoll::tests::dumpTrace(*read->trace) != plimsoll::tests::dumpTrace(*again->trace)
        || read->contentHash != again->contentHash)
        std::abort();
    return plimsoll::memtrace::summaryOf(*read->trace).devices.empty() ? (std::abort(), 0) : 0;
}
