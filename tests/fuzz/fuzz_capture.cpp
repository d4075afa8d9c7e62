// SPDX-License-Identifier: Apache-2.0
// Any bytes are a recording or an error of one sentence. Each input is read twice: as it is, and as
// the records of one chunk with a right checksum, which no mutation would find.
#include "core/capture/decode.h"
#include "core/capture/device_bytes.h"

#include "tests/unit/capture/capture_file.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void check(std::string_view bytes)
{
    const auto read = plimsoll::capture::decode(bytes, "x.plmcap");
    if (!read) {
        if (!read.error().message.ends_with('.'))
            std::abort();
        return;
    }
    if (read->leftOver + read->damage.bytes > bytes.size()
        || (read->damage.bytes > 0) != (read->damage.chunks > 0))
        std::abort();
    for (const auto& device : plimsoll::capture::deviceBytes(*read))
        if (device.last > device.peak)
            std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data), size}; // NOLINT(*-cast)
    check(bytes);
    // The first byte is the number of records: it must be right, too, for the rest to be read.
    plimsoll::tests::CaptureFile file;
    file.addRaw(bytes.substr(1)).seal(-1, data[0] - 1);
    check(file.bytes());
    return 0;
}
