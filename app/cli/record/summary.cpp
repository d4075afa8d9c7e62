// SPDX-License-Identifier: Apache-2.0
#include "app/cli/record/summary.h"

#include "core/base/format.h"
#include "core/capture/device_bytes.h"
#include "core/io/input.h"

#include <fmt/format.h>

namespace plimsoll::cli {

namespace {

using nlohmann::ordered_json;

std::uint64_t lostRecords(const capture::wire::Drops& drops)
{
    return drops.byCupti + drops.byRecorder + drops.mappings;
}

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
            {"lost_records", lostRecords(capture.drops)},
            {"cut_buffers", capture.drops.cutBuffers},
            {"left_over_bytes", capture.leftOver},
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

std::vector<std::string> warningsOf(const std::filesystem::path& file,
                                    const capture::Capture& capture)
{
    std::vector<std::string> warnings;
    for (const capture::Status& status : capture.statuses)
        if (!status.text.empty())
            warnings.push_back(status.text);
    if (const std::uint64_t lost = lostRecords(capture.drops); lost > 0)
        warnings.push_back(fmt::format("{} in {} because nobody took them in time: record a "
                                       "shorter part, or less at a time.",
                                       lost == 1 ? "One record is missing"
                                                 : fmt::format("{} records are missing", lost),
                                       io::pathText(file)));
    if (capture.drops.cutBuffers > 0)
        warnings.push_back(fmt::format("CUPTI gave back {} that ended within a record, so {} in "
                                       "{}.",
                                       base::counted(capture.drops.cutBuffers, "buffer"),
                                       capture.drops.cutBuffers == 1 ? "one record is missing"
                                                                     : "records are missing",
                                       io::pathText(file)));
    if (capture.wasKilled())
        warnings.push_back(fmt::format("The program was ended before it could finish {}: the "
                                       "recording lacks its last moments.",
                                       io::pathText(file)));
    return warnings;
}

} // namespace plimsoll::cli
