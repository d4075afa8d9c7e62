// SPDX-License-Identifier: Apache-2.0
// Any bytes, in parts of any size, are a trace of PyTorch's profiler or an error of one sentence;
// the parts make no difference to what an accepted one says.
#include "tests/fuzz/profile_in_parts.h"
#include "tests/unit/readers/read_kineto.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    const auto ops = plimsoll::tests::readOps(bytes);
    const auto opsAgain = plimsoll::tests::readOps(bytes, plimsoll::tests::kFuzzPart);
    if (ops.has_value() != opsAgain.has_value()
        || (ops && (*ops)->spans.size() != (*opsAgain)->spans.size())
        || (!ops && !ops.error().message.ends_with('.')))
        std::abort();
    return plimsoll::tests::checkProfileInParts(
        plimsoll::tests::readKineto(bytes),
        plimsoll::tests::readKineto(bytes, plimsoll::tests::kFuzzPart));
}
