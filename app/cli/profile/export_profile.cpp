// SPDX-License-Identifier: Apache-2.0
#include "app/cli/profile/export_profile.h"

#include "app/cli/inspect/inspect_profile.h"
#include "app/cli/profile/profile_input.h"
#include "app/cli/watch.h"
#include "core/base/text.h"
#include "core/io/byte_source.h"
#include "core/memtrace/analysis/live_groups.h"
#include "core/writers/profile_formats.h"
#include "core/writers/registry.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace plimsoll::cli {

namespace {

constexpr const char* kJson = ".json";

ordered_json peakGroupsJson(const memtrace::MemoryTrace& trace, const memtrace::DeviceTrace& device,
                            const memtrace::Classes& classes, std::size_t step, memtrace::LiveBy by)
{
    ordered_json groups = ordered_json::array();
    for (const memtrace::LiveGroup& group :
         memtrace::liveGroups(trace, device, classes, step, by).groups)
        groups.push_back(
            {{"name", group.name}, {"bytes", group.bytes.count()}, {"blocks", group.blocks}});
    return groups;
}

ordered_json peaksJson(const memtrace::MemoryTrace& trace)
{
    ordered_json peaks = ordered_json::array();
    for (const memtrace::DeviceTrace& device : trace.devices()) {
        const std::size_t step = stepAt(trace, device, "peak");
        const memtrace::Classes classes = memtrace::classify(trace, device);
        const auto groups = [&](memtrace::LiveBy by) {
            return peakGroupsJson(trace, device, classes, step, by);
        };
        peaks.push_back({{"device", device.ordinal()},
                         {"event", recordedEvent(device, step)},
                         {"by_class", groups(memtrace::LiveBy::Class)},
                         {"by_frame", groups(memtrace::LiveBy::Frame)}});
    }
    return peaks;
}

} // namespace

std::string profileEndings()
{
    std::string endings;
    for (const writers::ProfileWriter& writer : writers::profileWriters())
        endings += writer.extension + " ";
    return endings + kJson;
}

Answer exportProfile(const std::string& file, const std::string& output, const Common& common)
{
    Answer answer;
    const std::string ending = base::lowered(std::filesystem::path{output}.extension().string());
    const memtrace::MemoryTracePtr trace = readProfile(file, common);
    if (ending == kJson) {
        ordered_json figures = inspectProfile(file, common).json;
        figures["peaks"] = peaksJson(*trace);
        orThrow(writers::writeContent(
            figures.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n", output,
            {file}));
        answer.json = {{"file", output}, {"kind", "json"}};
        answer.text = fmt::format("Wrote {} (figures of the profile).\n", io::pathText(output));
        return answer;
    }
    Watch watch{common.quiet ? std::string{} : "Writing " + io::pathText(output)};
    base::Result<void> written = writers::writeProfileFile(*trace, output, file, watch.context());
    if (!written && written.error().kind == base::ErrorKind::Usage)
        throw VerbError(base::ErrorKind::Usage,
                        fmt::format("{}: the extension selects the format of a profile, and must "
                                    "be one of {}.",
                                    io::pathText(output), profileEndings()));
    orThrow(std::move(written));
    answer.json = {{"file", output}, {"kind", ending.substr(1)}};
    answer.text =
        fmt::format("Wrote {} ({}).\n", io::pathText(output),
                    ending == ".svg" ? "a picture of the memory" : "a row for each allocation");
    return answer;
}

} // namespace plimsoll::cli
