// SPDX-License-Identifier: Apache-2.0
#include "core/device/known_devices.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/device/device_spec.h"
#include "core/io/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

namespace plimsoll::plan {

namespace {

using base::ErrorKind;
using base::failure;
using base::Result;
using nlohmann::json;

constexpr int kVersion = 1;

const json* find(const json& object, const char* key)
{
    if (!object.is_object())
        return nullptr;
    const auto entry = object.find(key);
    return entry == object.end() ? nullptr : &*entry;
}

/// `{"value": number, "source": text}`; values below `lowest` are rejected.
Result<double> sourced(const json& object, const char* key, double lowest)
{
    const json* entry = find(object, key);
    const json* value = entry == nullptr ? nullptr : find(*entry, "value");
    const json* source = entry == nullptr ? nullptr : find(*entry, "source");
    if (value == nullptr || !value->is_number() || source == nullptr || !source->is_string()
        || source->get_ref<const std::string&>().empty())
        return failure(ErrorKind::File,
                       fmt::format(R"("{}" must be a number "value" with a "source")", key));
    const double number = value->get<double>();
    if (!std::isfinite(number) || number < lowest)
        return failure(ErrorKind::File, fmt::format("\"{}\" must be at least {}", key, lowest));
    return number;
}

Result<std::string> text(const json& object, const char* key)
{
    const json* entry = find(object, key);
    if (entry == nullptr || !entry->is_string() || entry->get_ref<const std::string&>().empty())
        return failure(ErrorKind::File, fmt::format("\"{}\" must be a string", key));
    return entry->get<std::string>();
}

/// Fills `target` unless an earlier field failed.
template <typename Target, typename Value>
void take(Result<void>& state, Target& target, Result<Value> value)
{
    if (!state)
        return;
    if (!value)
        state = tl::unexpected{value.error()};
    else
        target = Target{std::move(*value)};
}

Result<std::int64_t> whole(Result<double> number)
{
    return std::move(number).map([](double value) { return std::llround(value); });
}

Result<Device> parseDevice(const json& row)
{
    Device device;
    Result<void> state;
    take(state, device.id, text(row, "id"));
    take(state, device.name, text(row, "name"));
    if (find(row, "driver_name") != nullptr)
        take(state, device.driverName, text(row, "driver_name"));
    take(state, device.memory, whole(sourced(row, "memory_bytes", 1)));
    take(state, device.bandwidth, sourced(row, "bandwidth_bytes_per_s", 1));
    const json none = json::object();
    const json* rates = find(row, "flops_per_s");
    for (const char* dtype : kRatedDtypes)
        take(state, device.flops[dtype], sourced(rates == nullptr ? none : *rates, dtype, 1));
    take(state, device.hostLink, sourced(row, "host_link_bytes_per_s", 1));
    take(state, device.deviceLink, sourced(row, "device_link_bytes_per_s", 0));
    take(state, device.launchLatency, whole(sourced(row, "launch_latency_ns", 0)));
    // Tables of users may be older than this value.
    device.cublasWorkspace = kUsualCublasWorkspace;
    if (find(row, "cublas_workspace_bytes") != nullptr)
        take(state, device.cublasWorkspace, whole(sourced(row, "cublas_workspace_bytes", 0)));
    if (state && device.cublasWorkspace > kMostCublasWorkspace)
        return failure(ErrorKind::File, "\"cublas_workspace_bytes\" must be at most 2^40");
    RETURN_IF_ERROR(state);
    return device;
}

} // namespace

Result<std::vector<Device>> parseDevices(std::string_view content)
try {
    ASSIGN_OR_RETURN(const json root, io::parseJson(content));
    const json* format = find(root, "format");
    const json* version = find(root, "version");
    const json* rows = find(root, "devices");
    if (format == nullptr || *format != "plimsoll-devices" || version == nullptr
        || *version != kVersion || rows == nullptr || !rows->is_array() || rows->empty())
        return failure(ErrorKind::File, "This is not a device table of version 1: it needs format, "
                                        "version and devices, as in resources/devices.json.");
    std::vector<Device> devices;
    for (std::size_t i = 0; i < rows->size(); ++i) {
        Result<Device> device = parseDevice((*rows)[i]);
        if (!device)
            return failure(ErrorKind::File, fmt::format("Device {} of the table is not valid: {}.",
                                                        i, device.error().message));
        if (std::ranges::any_of(devices,
                                [&](const Device& other) { return other.id == device->id; }))
            return failure(ErrorKind::File, fmt::format("Device \"{}\" is in the table twice.",
                                                        base::printable(device->id)));
        devices.push_back(std::move(*device));
    }
    return devices;
} catch (const std::bad_alloc&) {
    return io::tooLarge();
}

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
    return failure(ErrorKind::Usage, fmt::format("There is no device \"{}\": choose one of {}.",
                                                 base::printable(id, 40), fmt::join(ids, ", ")));
}

} // namespace plimsoll::plan
