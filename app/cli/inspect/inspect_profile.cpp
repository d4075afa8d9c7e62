// SPDX-License-Identifier: Apache-2.0
#include "app/cli/inspect/inspect_profile.h"

#include "app/cli/profile/profile_input.h"
#include "core/base/format.h"
#include "core/memtrace/analysis/oddities.h"
#include "core/memtrace/summary.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::cli {

namespace {

/// The keys that the summary has for the device with the highest peak, and for each one.
ordered_json deviceJson(const memtrace::DeviceSummary& device, bool hasTimes)
{
    // Null: not recorded.
    const auto known = [](bool isKnown, auto value) {
        return isKnown ? ordered_json(value) : ordered_json();
    };
    return {{"peak_bytes", device.peak.count()},
            {"peak_ns", known(hasTimes, device.peakTime.count())},
            {"peak_event", device.peakEvent},
            {"initial_bytes", device.initial.count()},
            {"end_bytes", device.end.count()},
            {"peak_reserved_bytes", known(device.hasReserved, device.peakReserved.count())},
            {"end_reserved_bytes", known(device.hasReserved, device.endReserved.count())},
            {"peak_foreign_bytes", known(device.hasForeign, device.peakForeign.count())},
            {"end_foreign_bytes", known(device.hasForeign, device.endForeign.count())},
            {"end_allocated_bytes", known(device.hasEnd, device.endAllocated.count())},
            {"end_free_blocks", known(device.hasEnd, device.endFreeBlocks)},
            {"end_free_bytes", known(device.hasEnd, device.endFree.count())},
            {"end_largest_free_bytes", known(device.hasEnd, device.endLargestFree.count())}};
}

struct Totals
{
    std::uint64_t events = 0;
    std::size_t allocations = 0;
    std::size_t segments = 0;
    std::size_t outOfMemory = 0;
    bool mayHaveOverflowed = false;

    void add(const memtrace::DeviceSummary& device)
    {
        events += device.events;
        allocations += device.allocations;
        segments += device.segments;
        outOfMemory += device.outOfMemory;
        mayHaveOverflowed = mayHaveOverflowed || device.mayHaveOverflowed;
    }
    [[nodiscard]] ordered_json json() const
    {
        return {{"events", events},
                {"allocations", allocations},
                {"segments", segments},
                {"ooms", outOfMemory},
                {"may_have_overflowed", mayHaveOverflowed}};
    }
};

ordered_json profileJson(const memtrace::MemoryTrace& trace, const memtrace::TraceSummary& summary,
                         const Totals& totals)
{
    ordered_json json = totals.json();
    json["devices"] = trace.devices().size();
    json["duration_ns"] =
        trace.hasTimes() ? ordered_json(trace.duration().count()) : ordered_json{};
    json["stacks"] = trace.stacks().stackCount() - 1; // without the empty one
    json["annotations"] = trace.annotations().size();
    json.update(deviceJson(summary.devices[summary.highest], trace.hasTimes()));
    ordered_json devices = ordered_json::array();
    for (const memtrace::DeviceSummary& device : summary.devices) {
        Totals own;
        own.add(device);
        ordered_json one{{"device", device.ordinal}};
        one.update(own.json());
        one.update(deviceJson(device, trace.hasTimes()));
        devices.push_back(std::move(one));
    }
    json["per_device"] = std::move(devices);
    json["settings"] = trace.settings();
    json["gaps"] = trace.gaps();
    return json;
}

std::string reservedText(const memtrace::DeviceSummary& device)
{
    if (!device.hasReserved)
        return "not recorded";
    const std::string text =
        fmt::format("{} at most, {} at the end", base::bytesText(device.peakReserved),
                    base::bytesText(device.endReserved));
    return device.hasEnd
               ? fmt::format("{}, {} of these idle in {}", text, base::bytesText(device.endFree),
                             base::counted(device.endFreeBlocks, "block"))
               : text;
}

std::string deviceText(const memtrace::DeviceSummary& device, const std::string& model)
{
    std::string name =
        device.ordinal < 0 ? "pinned host memory" : fmt::format("device {}", device.ordinal);
    if (!model.empty())
        name += fmt::format(" ({})", base::printable(model, 60));
    const std::string where = device.peakEvent < 0 ? "before the first event"
                                                   : fmt::format("at event {}", device.peakEvent);
    return fmt::format("{}\n"
                       "  events             {}, {}\n"
                       "  before them        {}\n"
                       "  peak               {} {}\n"
                       "  at the end         {}{}\n"
                       "  reserved           {}\n"
                       "{}",
                       name, device.events, base::counted(device.allocations, "allocation"),
                       base::bytesText(device.initial), base::bytesText(device.peak), where,
                       base::bytesText(device.end),
                       device.hasEnd ? " in blocks of " + base::bytesText(device.endAllocated) : "",
                       reservedText(device),
                       device.hasForeign ? fmt::format(
                           "  outside PyTorch    {} at most, {} at the end\n",
                           base::bytesText(device.peakForeign), base::bytesText(device.endForeign))
                                         : std::string{});
}

std::string profileText(const memtrace::MemoryTrace& trace, const memtrace::TraceSummary& summary,
                        const Totals& totals)
{
    std::string text =
        fmt::format("memory profile of {}\n  {}, {}, {}, {} that failed\n",
                    base::counted(trace.devices().size(), "device"),
                    trace.hasTimes() ? base::timeText(trace.duration()) : "without times",
                    base::counted(trace.stacks().stackCount() - 1, "different stack"),
                    base::counted(trace.annotations().size(), "annotation"),
                    base::counted(totals.outOfMemory, "allocation"));
    for (const memtrace::DeviceSummary& device : summary.devices)
        text += deviceText(device, trace.deviceName(device.ordinal));
    if (totals.mayHaveOverflowed)
        text += "  note: the recording probably ran over and lost its first events (max_entries)\n";
    text += notesText(trace);
    for (const auto& [name, count] : trace.statistics())
        if (!memtrace::isOddity(name)) // the others are in the notes
            text += oddityNote(name, count);
    return text;
}

} // namespace

Answer inspectProfile(const std::string& file, const Common& common)
{
    const readers::ReadProfile read = readWholeProfile(file, common);
    const memtrace::TraceSummary summary = memtrace::summaryOf(*read.trace);
    Totals totals;
    for (const memtrace::DeviceSummary& device : summary.devices)
        totals.add(device);
    Answer answer;
    answer.text = profileText(*read.trace, summary, totals);
    answer.json = {{"file", file},
                   {"format", read.formatId},
                   {"format_version", read.formatVersion},
                   {"kind", "profile"},
                   {"summary", profileJson(*read.trace, summary, totals)},
                   {"statistics", read.trace->statistics()}};
    return answer;
}

} // namespace plimsoll::cli
