// SPDX-License-Identifier: Apache-2.0
#include "app/cli/gpu_check/journal.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace plimsoll::cli {

namespace {

using nlohmann::json;

json stepJson(const Step& step)
{
    return json::array(
        {step.check, static_cast<int>(step.action), step.address, step.bytes, step.handle});
}

Step stepFrom(const json& from)
{
    return {.check = from.at(0).get<std::string>(),
            .action = static_cast<CallKind>(from.at(1).get<int>()),
            .address = from.at(2).get<std::uint64_t>(),
            .bytes = from.at(3).get<std::uint64_t>(),
            .handle = from.at(4).get<std::uint64_t>()};
}

json workJson(const DeviceWork& work)
{
    json steps = json::array();
    for (const Step& step : work.steps)
        steps.push_back(stepJson(step));
    json obstacles = json::object();
    for (const auto& [check, obstacle] : work.obstacles)
        obstacles[check] = json::array({obstacle.isUnsupported, obstacle.why});
    return {{"device", work.device}, {"name", work.name}, {"major", work.major},
            {"minor", work.minor},   {"steps", steps},    {"obstacles", obstacles}};
}

DeviceWork deviceFrom(const json& from)
{
    DeviceWork work{.device = from.at("device").get<int>(),
                    .name = from.at("name").get<std::string>(),
                    .major = from.at("major").get<int>(),
                    .minor = from.at("minor").get<int>(),
                    .steps = {},
                    .obstacles = {}};
    for (const json& step : from.at("steps"))
        work.steps.push_back(stepFrom(step));
    for (const auto& [check, obstacle] : from.at("obstacles").items())
        work.obstacles[check] = {obstacle.at(0).get<bool>(), obstacle.at(1).get<std::string>()};
    return work;
}

} // namespace

bool Journal::isOfStandIn() const
{
    return std::ranges::any_of(
        devices, [](const DeviceWork& work) { return work.name.starts_with("stand-in GPU"); });
}

std::string journalText(const Journal& journal)
{
    json devices = json::array();
    for (const DeviceWork& work : journal.devices)
        devices.push_back(workJson(work));
    const json whole{
        {"no_gpu", journal.noGpu}, {"driver_version", journal.driverVersion}, {"devices", devices}};
    return whole.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

base::Result<Journal> readJournal(std::string_view text)
{
    try {
        const json whole = json::parse(text);
        Journal journal{.noGpu = whole.at("no_gpu").get<std::string>(),
                        .driverVersion = whole.at("driver_version").get<int>(),
                        .devices = {}};
        for (const json& device : whole.at("devices"))
            journal.devices.push_back(deviceFrom(device));
        return journal;
    } catch (const json::exception&) {
        return base::failure(base::ErrorKind::Internal,
                             "The program that gpu-check ran left an account that can't be read. "
                             "This is a bug: please report it.");
    }
}

} // namespace plimsoll::cli
