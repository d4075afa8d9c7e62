// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/kineto/reader.h"

#include "tests/support/golden.h"
#include "tests/support/readers/feed_parts.h"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace plimsoll::tests {

/// tests/data/two-gpus.pt.trace.json
[[nodiscard]] inline std::string sampleTrace()
{
    std::ifstream file{repositoryPath("tests/data/two-gpus.pt.trace.json")};
    return {std::istreambuf_iterator<char>{file}, {}};
}

/// Reads a trace in parts of so many bytes, as if it were the file "net.json".
[[nodiscard]] inline base::Result<readers::ReadProfile> readKineto(std::string_view bytes,
                                                                   std::size_t part = 1U << 20U)
{
    return readParts(readers::kineto::Reading{"net.json"}, bytes, part);
}

/// The same of its operators.
[[nodiscard]] inline base::Result<memtrace::OpRecordingPtr> readOps(std::string_view bytes,
                                                                    std::size_t part = 1U << 20U)
{
    return readParts(readers::kineto::OpReading{"net.json"}, bytes, part);
}

} // namespace plimsoll::tests
