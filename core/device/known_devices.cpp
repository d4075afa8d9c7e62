// SPDX-License-Identifier: Apache-2.0
#include "core/device/known_devices.h"

#include "core/base/format.h"
#include "core/device/device_spec.h"
#include "core/device/device_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plimsoll::plan {

using base::ErrorKind;
using base::failure;
using base::Result;

const std::vector<Device>& builtInDevices()
{
    static const std::vector<Device> kDevices =
        parseDevices(deviceTableText()).value_or(std::vector<Device>{});
    return kDevices;
}

Result<Device> findDevice(std::string_view id)
{
    if (isDeviceSpec(id))
        return parseDeviceSpec(id);
    std::vector<std::string_view> ids;
    for (const Device& device : builtInDevices()) {
        if (device.id == id)
            return device;
        ids.push_back(device.id);
    }
    return failure(ErrorKind::Usage, fmt::format("There is no device \"{}\": take one of {}.",
                                                 base::printable(id, 40), fmt::join(ids, ", ")));
}

} // namespace plimsoll::plan
