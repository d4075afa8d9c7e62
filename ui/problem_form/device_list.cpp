// SPDX-License-Identifier: Apache-2.0
#include "ui/problem_form/device_list.h"

#include "core/device/known_devices.h"

#include <algorithm>

namespace plimsoll::ui {

std::vector<plan::Device> devicesToChoose(const std::vector<plan::Device>& own,
                                          const plan::Device& chosen)
{
    std::vector<plan::Device> devices = plan::builtInDevices();
    devices.insert(devices.end(), own.begin(), own.end());
    if (!chosen.id.empty()
        && std::ranges::find(devices, chosen.id, &plan::Device::id) == devices.end())
        devices.push_back(chosen);
    return devices;
}

} // namespace plimsoll::ui
