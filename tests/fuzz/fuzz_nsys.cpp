// SPDX-License-Identifier: Apache-2.0
// Any bytes are an export of Nsight Systems or an error of one sentence.
#include "core/memtrace/summary.h"

#include "tests/unit/readers/nsys_file.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    const auto ops = plimsoll::readers::nsys::readDatabaseOps(bytes, "a.sqlite");
    if (!ops && !ops.error().message.ends_with('.'))
        std::abort();
    const auto read = plimsoll::tests::readNsys(bytes);
    if (!read)
        return read.error().message.ends_with('.') ? 0 : (std::abort(), 0);
    return plimsoll::memtrace::summaryOf(*read->trace).devices.empty() ? (std::abort(), 0) : 0;
}
