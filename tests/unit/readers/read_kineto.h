// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/kineto/reader.h"

#include "tests/support/golden.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

namespace plimsoll::tests {

/// tests/data/two-gpus.pt.trace.json
[[nodiscard]] inline std::string sampleTrace()
{
    std::ifstream file{repositoryPath("tests/data/two-gpus.pt.trace.json")};
    return {std::istreambuf_iterator<char>{file}, {}};
}

/// Feeds a trace in parts of so many bytes.
template <typename Read>
[[nodiscard]] base::Result<void> feedParts(Read& reading, std::string_view bytes, std::size_t part)
{
    while (!bytes.empty()) {
        // A buffer of exactly that size, so that a sanitizer sees a read beyond it.
        const std::size_t size = std::min(part, bytes.size());
        const auto buffer = std::make_unique<char[]>(size); // NOLINT(*-avoid-c-arrays)
        std::memcpy(buffer.get(), bytes.data(), size);
        if (auto fed = reading.feed({buffer.get(), size}); !fed)
            return fed;
        bytes.remove_prefix(size);
    }
    return {};
}

/// Reads a trace in parts of so many bytes, as if it were the file "net.json".
[[nodiscard]] inline base::Result<readers::ReadProfile> readKineto(std::string_view bytes,
                                                                   std::size_t part = 1U << 20U)
{
    readers::kineto::Reading reading{"net.json"};
    if (auto fed = feedParts(reading, bytes, part); !fed)
        return tl::unexpected{fed.error()};
    return reading.finish();
}

/// The same of its operators.
[[nodiscard]] inline base::Result<memtrace::OpRecordingPtr> readOps(std::string_view bytes,
                                                                    std::size_t part = 1U << 20U)
{
    readers::kineto::OpReading reading{"net.json"};
    if (auto fed = feedParts(reading, bytes, part); !fed)
        return tl::unexpected{fed.error()};
    return reading.finish();
}

} // namespace plimsoll::tests
