// SPDX-License-Identifier: Apache-2.0
#include "core/device/own_device.h"

#include "core/device/known_devices.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace plimsoll::plan {

namespace {

/// "NVIDIA A100-SXM4-80GB" of the line "Model: \t\t NVIDIA A100-SXM4-80GB"; "" without one.
std::string modelIn(const std::filesystem::path& file)
{
    constexpr std::string_view kKey = "Model:";
    std::ifstream stream{file};
    for (std::string line; std::getline(stream, line);)
        if (line.starts_with(kKey)) {
            const std::size_t begin = line.find_first_not_of(" \t", kKey.size());
            const std::size_t last = line.find_last_not_of(" \t\r");
            return begin == std::string::npos ? std::string{}
                                              : line.substr(begin, last + 1 - begin);
        }
    return {};
}

/// Older drivers say "A100-SXM4-80GB".
std::string_view withoutMaker(std::string_view name)
{
    constexpr std::string_view kMaker = "NVIDIA ";
    return name.starts_with(kMaker) ? name.substr(kMaker.size()) : name;
}

} // namespace

std::optional<Device> ownDevice(const std::filesystem::path& folder)
{
    std::optional<Device> found;
    std::error_code none;
    for (std::filesystem::directory_iterator entry{folder, none}, end; !none && entry != end;
         entry.increment(none)) {
        const std::string model = modelIn(entry->path() / "information");
        const auto device = std::ranges::find_if(builtInDevices(), [&model](const Device& known) {
            return !known.driverName.empty()
                   && withoutMaker(known.driverName) == withoutMaker(model);
        });
        if (device != builtInDevices().end() && (!found || device->memory > found->memory))
            found = *device;
    }
    return found;
}

} // namespace plimsoll::plan
