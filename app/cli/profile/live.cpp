// SPDX-License-Identifier: Apache-2.0
#include "app/cli/numbers.h"
#include "app/cli/profile/graph_names.h"
#include "app/cli/profile/profile_input.h"
#include "app/cli/verbs.h"
#include "core/base/format.h"
#include "core/io/byte_source.h"
#include "core/memtrace/analysis/live_groups.h"

#include <fmt/format.h>

#include <algorithm>

namespace plimsoll::cli {

namespace {

class Live : public Verb
{
public:
    explicit Live(CLI::App& app)
        : Verb{app, "live", "Tell what a memory profile holds at a point, by who allocated it"}
    {
        command()
            .add_option("FILE", m_file, "Memory profile, or session that holds one")
            ->required();
        command()
            .add_option("--at", m_at,
                        "peak, end, oom (the last allocation that failed), an event, or a time "
                        "since the first one, such as 12.5ms")
            ->capture_default_str();
        command().add_option("--device", m_device,
                             "Device, -1 for pinned host memory; by default the one with the "
                             "highest peak");
        command()
            .add_option("--by", m_by, "frame, stack, class, module, stream or pool")
            ->capture_default_str();
        command().add_option("--top", m_top, "Groups to print")->check(wholeNumber(1, kMostGroups));
        m_naming.addTo(command());
        close("Example: plimsoll-cli live snapshot.pickle --at peak --by frame --top 10");
    }

    [[nodiscard]] Answer run() override
    {
        const Stopwatch clock;
        const std::optional<memtrace::LiveBy> by = memtrace::findLiveBy(m_by);
        if (!by)
            throw VerbError(base::ErrorKind::Usage,
                            fmt::format("--by takes frame, stack, class, module, stream or pool, "
                                        "not \"{}\".",
                                        base::printable(m_by, 40)));
        memtrace::MemoryTracePtr trace = readProfile(m_file, common());
        const auto at =
            static_cast<std::size_t>(&deviceOf(*trace, m_device) - trace->devices().data());
        waterfall::NamedAllocationsPtr names;
        if (m_naming.isGiven()) {
            names = namesFromGraph(m_naming, m_file, *trace, at, common());
            trace = waterfall::withNames(*trace, at, *names);
        }
        const memtrace::DeviceTrace& device = trace->devices()[at];
        const std::size_t step = stepAt(*trace, device, m_at);
        memtrace::LiveGroups live =
            memtrace::liveGroups(*trace, device, memtrace::classify(*trace, device), step, *by);
        const std::size_t groups = live.groups.size();
        live.groups.resize(std::min(groups, m_top.value_or(groups)));
        Answer answer;
        answer.text = text(*trace, device, step, live, groups) + notesText(*trace);
        answer.json = json(*trace, device, step, live);
        answer.json["gaps"] = trace->gaps();
        answer.json["statistics"] = trace->statistics();
        if (names) {
            answer.text +=
                fmt::format("{} {}.\n", names->countsText(), io::pathText(m_naming.graph));
            answer.json["graph"] = namesJson(m_naming, *names);
            answer.json["known"] = knownJson(device, step, *names);
        }
        answer.json["seconds"] = clock.seconds();
        return answer;
    }

private:
    [[nodiscard]] static ordered_json json(const memtrace::MemoryTrace& trace,
                                           const memtrace::DeviceTrace& device, std::size_t step,
                                           const memtrace::LiveGroups& live)
    {
        ordered_json groups = ordered_json::array();
        for (const memtrace::LiveGroup& group : live.groups)
            groups.push_back({{"name", group.name},
                              {"bytes", group.bytes.count()},
                              {"blocks", group.blocks},
                              {"frames", group.frames}});
        return {{"device", device.ordinal()},
                {"event", recordedEvent(device, step)},
                {"ns", nsAt(trace, device, step)},
                {"bytes", live.bytes.count()},
                {"blocks", live.blocks},
                {"groups", std::move(groups)},
                {"foreign_bytes", device.foreign().points().empty()
                                      ? ordered_json{}
                                      : ordered_json(device.foreign().at(step).count())}};
    }
    [[nodiscard]] std::string text(const memtrace::MemoryTrace& trace,
                                   const memtrace::DeviceTrace& device, std::size_t step,
                                   const memtrace::LiveGroups& live, std::size_t groups) const
    {
        const std::int64_t event = recordedEvent(device, step);
        const std::optional<base::Nanoseconds> time = timeAt(trace, device, step);
        std::string text = fmt::format(
            "device {}, {}{}: {} live in {}\n", device.ordinal(),
            event < 0 ? std::string{"before the first event"} : fmt::format("event {}", event),
            time ? ", " + base::timeText(*time) : std::string{}, base::bytesText(live.bytes),
            base::counted(live.blocks, "block"));
        if (const auto asked = base::parseTime(m_at); asked && time && *asked != *time)
            text += fmt::format("the last event before {}\n", base::timeText(*asked));
        else if (const auto asks = askedEvent(m_at); asks && *asks != event)
            text += fmt::format("event {} asks for a free and changes nothing yet\n", *asks);
        if (!device.foreign().points().empty())
            text +=
                fmt::format("outside PyTorch: {}\n", base::bytesText(device.foreign().at(step)));
        for (const memtrace::LiveGroup& group : live.groups)
            text += fmt::format("{:>12}  {:>8}  {}\n", base::bytesText(group.bytes), group.blocks,
                                base::printable(group.name, 160));
        if (live.groups.size() < groups)
            text += fmt::format("{:>12}  {:>8}  and {}\n", "", "",
                                base::counted(groups - live.groups.size(), "more group"));
        return text;
    }

    std::string m_file;
    std::string m_at = "peak";
    std::optional<int> m_device;
    std::string m_by = "frame";
    std::optional<std::size_t> m_top;
    NamingGraph m_naming;
};

} // namespace

std::unique_ptr<Verb> liveVerb(CLI::App& app)
{
    return std::make_unique<Live>(app);
}

} // namespace plimsoll::cli
