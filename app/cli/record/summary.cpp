// SPDX-License-Identifier: Apache-2.0
#include "app/cli/record/summary.h"

#include "core/base/format.h"
#include "core/capture/device_bytes.h"
#include "core/io/input.h"

#include <fmt/format.h>

namespace plimsoll::cli {

namespace {

using nlohmann::ordered_json;

ordered_json counts(const capture::Capture& capture)
{
    return {{"memory", capture.memory.size()},     {"mappings", capture.mappings.size()},
            {"pools", capture.pools.size()},       {"kernels", capture.kernels.size()},
            {"copies", capture.copies.size()},     {"fills", capture.fills.size()},
            {"markers", capture.markers.size()},   {"calls", capture.calls.size()},
            {"contexts", capture.contexts.size()}, {"external_ids", capture.externalIds.size()}};
}

} // namespace

ordered_json summaryJson(const std::filesystem::path& file, const capture::Capture& capture)
{
    ordered_json devices = ordered_json::array();
    for (const capture::DeviceBytes& device : capture::deviceBytes(capture))
        devices.push_back({{"device", device.device},
                           {"peak_bytes", device.peak},
                           {"end_bytes", device.last},
                           {"allocations", device.allocations},
                           {"releases", device.releases}});
    ordered_json statuses = ordered_json::array();
    for (const capture::Status& status : capture.statuses)
        statuses.push_back({{"code", status.code},
                            {"severity", status.severity},
                            {"detail", status.detail},
                            {"text", status.text}});
    return {{"file", file},
            {"pid", capture.process.pid},
            {"command", capture.text(capture.process.command)},
            {"cupti_version", capture.process.cuptiVersion},
            {"ended", capture.ended},
            {"records", counts(capture)},
            {"devices", std::move(devices)},
            {"lost_records", capture.lostRecords()},
            {"cut_buffers", capture.drops.cutBuffers},
            {"left_over_bytes", capture.leftOver},
            {"damaged_bytes", capture.damage.bytes},
            {"statuses", std::move(statuses)}};
}

std::string summaryLine(const std::filesystem::path& file, const capture::Capture& capture)
{
    std::string line =
        fmt::format("{}: {}, {}", io::pathText(file),
                    base::counted(capture.memory.size() + capture.mappings.size(), "memory record"),
                    base::counted(capture.kernels.size(), "kernel"));
    for (const capture::DeviceBytes& device : capture::deviceBytes(capture))
        line += fmt::format("; device {} held at most {}", device.device,
                            base::bytesText(base::Bytes{static_cast<std::int64_t>(device.peak)}));
    return line + ".";
}

} // namespace plimsoll::cli
