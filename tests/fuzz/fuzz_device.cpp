// SPDX-License-Identifier: Apache-2.0
// Any bytes are a device table, a custom device, or an error of one sentence; an accepted device is
// the same when its line is read again.
#include "core/device/device_spec.h"
#include "core/device/known_devices.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

bool isOneSentence(const plimsoll::base::Error& error)
{
    return error.message.ends_with('.') && error.message.find('\n') == std::string::npos;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), // NOLINT(*-reinterpret-cast)
                                size};
    if (const auto table = plimsoll::plan::parseDevices(text);
        table ? table->empty() : !isOneSentence(table.error()))
        std::abort();
    const auto device = plimsoll::plan::parseDeviceSpec(text);
    if (!device)
        return isOneSentence(device.error()) ? 0 : (std::abort(), 0);
    const auto again = plimsoll::plan::parseDeviceSpec(device->id);
    return again && *again == *device ? 0 : (std::abort(), 0);
}
