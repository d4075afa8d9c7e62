// SPDX-License-Identifier: Apache-2.0
#include "app/cli/diff/diff_profiles.h"

#include "app/cli/profile/profile_input.h"
#include "core/base/format.h"
#include "core/io/byte_source.h"
#include "core/memtrace/analysis/trace_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace plimsoll::cli {

namespace {

using memtrace::BlockSum;

ordered_json sideJson(const memtrace::DiffSide& side, const BlockSum& live)
{
    return {{"device", side.device.ordinal()},
            {"event", recordedEvent(side.device, side.step)},
            {"ns", nsAt(side.trace, side.device, side.step)},
            {"bytes", live.bytes.count()},
            {"blocks", live.blocks}};
}

ordered_json sumJson(const BlockSum& sum)
{
    return {{"bytes", sum.bytes.count()}, {"blocks", sum.blocks}};
}

ordered_json groupJson(const memtrace::DiffGroup& group)
{
    return {{"name", group.name},
            {"a_bytes", group.a.bytes.count()},
            {"b_bytes", group.b.bytes.count()},
            {"delta_bytes", group.delta().count()},
            {"a_blocks", group.a.blocks},
            {"b_blocks", group.b.blocks},
            {"common_bytes", group.common.bytes.count()},
            {"common_blocks", group.common.blocks},
            {"frames", group.frames}};
}

/// "+1.50 MiB", "-512 B", "equal".
std::string deltaText(base::Bytes delta)
{
    if (delta.count() == 0)
        return "equal";
    return (delta.count() > 0 ? "+" : "-") + base::bytesText(base::Bytes{std::abs(delta.count())});
}

std::string sideText(const char* name, const std::string& file, const memtrace::DiffSide& side,
                     const BlockSum& live)
{
    const std::int64_t event = recordedEvent(side.device, side.step);
    return fmt::format(
        "{}: {} in {} at the peak of device {}, {}, {}\n", name, base::bytesText(live.bytes),
        base::counted(live.blocks, "block"), side.device.ordinal(),
        event < 0 ? std::string{"before the first event"} : fmt::format("event {}", event),
        io::pathText(file));
}

std::string groupsText(const memtrace::TraceDiff& diff, std::size_t groups)
{
    std::string text = fmt::format("{:>12}{:>12}{:>12}{:>14}  {}\n", "B - A", "A", "B", "blocks", //
                                   "group");
    for (const memtrace::DiffGroup& group : diff.groups)
        text += fmt::format("{:>12}{:>12}{:>12}{:>14}  {}\n", deltaText(group.delta()),
                            base::bytesText(group.a.bytes), base::bytesText(group.b.bytes),
                            fmt::format("{}, {}", group.a.blocks, group.b.blocks),
                            base::printable(group.name, 160));
    if (diff.groups.size() < groups)
        text += fmt::format("{:>50}  and {}\n", "",
                            base::counted(groups - diff.groups.size(), "more group"));
    return text;
}

std::string partText(const char* name, const BlockSum& sum)
{
    return fmt::format("  {:<12}{:>12} in {}\n", name, base::bytesText(sum.bytes),
                       base::counted(sum.blocks, "block"));
}

} // namespace

Answer diffProfiles(const ProfilePair& pair, const Common& common)
{
    const std::optional<memtrace::LiveBy> by = memtrace::findLiveBy(pair.by);
    if (!by)
        throw VerbError(base::ErrorKind::Usage,
                        fmt::format("--by takes frame, stack, class, module, stream or pool, not "
                                    "\"{}\".",
                                    base::printable(pair.by, 40)));
    const memtrace::MemoryTracePtr first = readProfile(pair.first, common);
    const memtrace::MemoryTracePtr second = readProfile(pair.second, common);
    const auto sideOf = [&](const memtrace::MemoryTrace& trace) {
        const memtrace::DeviceTrace& device = deviceOf(trace, pair.device);
        return memtrace::DiffSide{trace, device, stepAt(trace, device, "peak")};
    };
    const memtrace::DiffSide a = sideOf(*first);
    const memtrace::DiffSide b = sideOf(*second);
    memtrace::TraceDiff diff = memtrace::diffTraces(a, b, *by);
    const std::size_t groups = diff.groups.size();
    diff.groups.resize(std::min(groups, pair.top.value_or(groups)));
    Answer answer;
    answer.json = {{"kind", "profiles"},
                   {"a", sideJson(a, diff.a)},
                   {"b", sideJson(b, diff.b)},
                   {"only_a", sumJson(diff.onlyA)},
                   {"common", sumJson(diff.common)},
                   {"only_b", sumJson(diff.onlyB)},
                   {"groups", ordered_json::array()}};
    answer.json["a"]["gaps"] = first->gaps();
    answer.json["a"]["statistics"] = first->statistics();
    answer.json["b"]["gaps"] = second->gaps();
    answer.json["b"]["statistics"] = second->statistics();
    for (const memtrace::DiffGroup& group : diff.groups)
        answer.json["groups"].push_back(groupJson(group));
    answer.text = sideText("A", pair.first, a, diff.a) + notesText(*first)
                  + sideText("B", pair.second, b, diff.b) + notesText(*second)
                  + partText("only in A", diff.onlyA) + partText("in both", diff.common)
                  + partText("only in B", diff.onlyB) + groupsText(diff, groups);
    return answer;
}

} // namespace plimsoll::cli
