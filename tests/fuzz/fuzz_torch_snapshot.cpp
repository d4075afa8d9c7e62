// SPDX-License-Identifier: Apache-2.0
// Any bytes, in parts of any size, are a snapshot or an error of one sentence; the parts make no
// difference to what an accepted one says.
#include "tests/fuzz/profile_in_parts.h"
#include "tests/support/snapshots/sample_snapshot.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    return plimsoll::tests::checkProfileInParts(
        plimsoll::tests::readPickle(bytes),
        plimsoll::tests::readPickle(bytes, plimsoll::tests::kFuzzPart));
}
