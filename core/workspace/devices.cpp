// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/devices.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/device/device_spec.h"
#include "core/device/known_devices.h"
#include "core/io/byte_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace plimsoll::workspace {

namespace {

using base::ErrorKind;
using base::failure;
using base::Result;

constexpr std::string_view kEnding = ".json";
constexpr io::ReadLimits kTable{.bytes = std::uint64_t{1} << 20U,
                                .freeBytes = std::uint64_t{1} << 20U};

base::Error inFile(const std::string& path, const base::Error& error)
{
    return {ErrorKind::File, io::pathText(path) + ": " + error.message};
}

Result<plan::Device> pick(const std::vector<plan::Device>& devices, std::string_view id)
{
    if (id.empty() && devices.size() == 1)
        return devices.front();
    std::vector<std::string> ids;
    for (const plan::Device& device : devices) {
        if (device.id == id)
            return device;
        ids.push_back(base::printable(device.id, 40));
    }
    return failure(
        ErrorKind::File,
        fmt::format("say which of its devices is meant, as in gpus.json:{}; they are {}.",
                    ids.front(), fmt::join(ids, ", ")));
}

Result<plan::Device> deviceOfFile(const std::string& path, std::string_view id)
{
    ASSIGN_OR_RETURN(const io::FileContent content, io::readFile(path, {}, kTable));
    return plan::parseDevices(content.bytes)
        .and_then([id](const std::vector<plan::Device>& devices) { return pick(devices, id); })
        .and_then([](const plan::Device& device) {
            return plan::parseDeviceSpec(plan::deviceSpec(device));
        })
        .map_error([&](const base::Error& error) { return inFile(path, error); });
}

} // namespace

Result<plan::Device> chooseDevice(const std::string& text)
{
    if (!plan::isDeviceSpec(text) || text.find(kEnding) != std::string::npos) {
        if (text.ends_with(kEnding))
            return deviceOfFile(text, {});
        const std::size_t colon = text.rfind(':');
        if (colon != std::string::npos && text.substr(0, colon).ends_with(kEnding))
            return deviceOfFile(text.substr(0, colon), std::string_view{text}.substr(colon + 1));
    }
    return plan::findDevice(text);
}

} // namespace plimsoll::workspace
