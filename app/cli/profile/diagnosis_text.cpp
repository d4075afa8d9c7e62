// SPDX-License-Identifier: Apache-2.0
#include "app/cli/profile/diagnosis_text.h"

#include "app/cli/profile/profile_input.h"
#include "core/base/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace plimsoll::cli {

namespace {

using base::bytesText;
using doctor::Diagnosis;
using doctor::ToldBytes;

ordered_json bytesJson(const std::optional<ToldBytes>& bytes)
{
    return bytes ? ordered_json(bytes->value.count()) : ordered_json{};
}

ordered_json bytesJson(const std::optional<base::Bytes>& bytes)
{
    return bytes ? ordered_json(bytes->count()) : ordered_json{};
}

ordered_json liveJson(const std::optional<memtrace::LiveGroups>& live)
{
    if (!live)
        return {};
    ordered_json groups = ordered_json::array();
    for (const memtrace::LiveGroup& group : live->groups)
        groups.push_back(
            {{"name", group.name}, {"bytes", group.bytes.count()}, {"blocks", group.blocks}});
    return groups;
}

ordered_json idleJson(const std::optional<doctor::IdleMemory>& idle)
{
    if (!idle)
        return {};
    return {{"known", doctor::idleKnownName(idle->known)},
            {"blocks", idle->blocks},
            {"too_small_bytes", idle->tooSmall.count()},
            {"too_small_blocks", idle->tooSmallBlocks},
            {"elsewhere_bytes", idle->elsewhere.count()}};
}

std::optional<std::uint64_t> recorded(const memtrace::DeviceTrace& device,
                                      std::optional<memtrace::EventIndex> event)
{
    return event ? std::optional{device.recordedIndex(*event)} : std::nullopt;
}

ordered_json replayJson(const doctor::SettingsReplay& replay, const memtrace::DeviceTrace& device)
{
    ordered_json runs = ordered_json::array();
    for (const doctor::SettingsRun& run : replay.runs)
        runs.push_back({{"option", run.option},
                        {"settings", run.settings},
                        {"peak_reserved_bytes", run.peakReserved.count()},
                        {"reserved_bytes", run.reserved.count()},
                        {"failed_event", orNull(recorded(device, run.failedAt))}});
    const bool isPossible = replay.refusal.empty();
    return {{"how_known", !isPossible        ? ordered_json{}
                          : replay.isExact() ? ordered_json("replay")
                                             : ordered_json("estimate")},
            {"doubts", replay.doubts},
            {"refusal", isPossible ? ordered_json{} : ordered_json(replay.refusal)},
            {"settings", replay.recorded.text},
            {"peak_reserved_bytes",
             isPossible ? ordered_json(replay.peakReserved.count()) : ordered_json{}},
            {"needed_bytes", isPossible ? ordered_json(replay.needed.count()) : ordered_json{}},
            {"limit_bytes", bytesJson(replay.limit)},
            {"runs", std::move(runs)}};
}

/// By how much the printed sizes of a message may be off.
ordered_json errorsJson(const Diagnosis& diagnosis)
{
    ordered_json errors = ordered_json::object();
    const auto add = [&](const char* name, const std::optional<ToldBytes>& bytes) {
        if (bytes)
            errors[name] = bytes->error.count();
    };
    add("asked_bytes", diagnosis.asked);
    add("free_bytes", diagnosis.free);
    add("capacity_bytes", diagnosis.capacity);
    add("reserved_bytes", diagnosis.reserved);
    add("live_bytes", diagnosis.live);
    add("idle_bytes", diagnosis.idle);
    add("missing_bytes", diagnosis.missing);
    add("foreign_bytes", diagnosis.foreign);
    add("other_processes_bytes", diagnosis.otherProcesses);
    add("outside_bytes", diagnosis.outside);
    if (diagnosis.message)
        add("allowed_bytes", diagnosis.message->allowed);
    return errors;
}

ordered_json messageJson(const doctor::ErrorMessage& message)
{
    ordered_json processes = ordered_json::array();
    for (const doctor::ErrorMessage::Process& process : message.processes)
        processes.push_back({{"pid", process.pid}, {"bytes", process.used.value.count()}});
    return {{"backend", message.backend},
            {"messages", message.messages},
            {"allowed_bytes", bytesJson(message.allowed)},
            {"private_pool_bytes", bytesJson(message.privatePools)},
            {"this_process_bytes", bytesJson(message.thisProcess)},
            {"processes", std::move(processes)}};
}

std::string toldText(const ToldBytes& bytes)
{
    return (bytes.error.count() > 0 ? "about " : "") + bytesText(bytes.value);
}

std::string deviceName(const Diagnosis& diagnosis)
{
    if (!diagnosis.device)
        return "the device";
    return *diagnosis.device < 0 ? "pinned host memory"
                                 : fmt::format("device {}", *diagnosis.device);
}

std::string headText(const Diagnosis& diagnosis, const memtrace::DeviceTrace* device)
{
    if (!diagnosis.isFailure) {
        const std::int64_t event = recordedEvent(*device, diagnosis.moment->step);
        return fmt::format("No allocation failed on {}. At its peak, {}:\n", deviceName(diagnosis),
                           event < 0 ? std::string{"before the first event"}
                                     : fmt::format("event {}", event));
    }
    std::string text = fmt::format("An allocation failed on {}", deviceName(diagnosis));
    if (device != nullptr)
        text +=
            fmt::format(" at event {}", device->recordedIndex(diagnosis.moment->failure->event));
    return text + ":\n";
}

std::string rowText(const char* name, const std::optional<ToldBytes>& bytes, std::string_view what)
{
    return bytes ? fmt::format("  {:<12} {:>16}  {}\n", name, toldText(*bytes), what)
                 : std::string{};
}

std::string idleText(const doctor::IdleMemory& idle, bool wasAsked)
{
    std::string text =
        fmt::format("  {:<12} {:>16}  the largest of {} idle blocks{}\n", "", //
                    bytesText(idle.largest), idle.blocks,
                    idle.known == doctor::IdleKnown::Layout ? ", estimated from addresses" : "");
    if (wasAsked && idle.tooSmallBlocks > 0)
        text +=
            fmt::format("  {:<12} {:>16}  fragmentation: idle in {}, each too small for it\n", "",
                        bytesText(idle.tooSmall), base::counted(idle.tooSmallBlocks, "block"));
    return text;
}

std::string limitText(const Diagnosis& diagnosis)
{
    if (!diagnosis.message)
        return {};
    return rowText("allowed", diagnosis.message->allowed,
                   fmt::format("to the process, by {}", doctor::limitName(*diagnosis.message)));
}

/// Who has memory that PyTorch's allocator doesn't manage.
std::string outsideText(const Diagnosis& diagnosis)
{
    return rowText("outside", diagnosis.foreign,
                   "in use by this process, not managed by PyTorch's allocator")
           + rowText("elsewhere", diagnosis.otherProcesses, "in other processes and the driver")
           + rowText("outside", diagnosis.outside,
                     "neither free nor reserved by PyTorch: in use by other processes, or by "
                     "this one outside PyTorch's allocator");
}

std::string figuresText(const Diagnosis& diagnosis)
{
    std::string text =
        rowText("asked for", diagnosis.asked, "")
        + rowText("free", diagnosis.free, "according to the driver")
        + rowText("capacity", diagnosis.capacity, "of the device") + limitText(diagnosis)
        + rowText("missing", diagnosis.missing,
                  diagnosis.replay ? "to reserve a segment for it, which the allocator rounds up"
                                   : "to reserve memory for it")
        + rowText("reserved", diagnosis.reserved, "by PyTorch's allocator, of this:")
        + rowText("live", diagnosis.live,
                  diagnosis.hasWholeBlocks ? "in blocks in use"
                  : diagnosis.isOfDriver   ? "as the driver was asked for"
                                           : "as requested")
        + rowText("rounding", diagnosis.beyond, "in blocks in use, beyond what was requested")
        + rowText("idle", diagnosis.idle, "reserved, in no block that is in use");
    if (diagnosis.idleBlocks)
        text += idleText(*diagnosis.idleBlocks, diagnosis.asked.has_value());
    text += outsideText(diagnosis);
    if (diagnosis.message && diagnosis.message->messages > 1)
        text += fmt::format("  This is the first of {} such messages in the text.\n",
                            diagnosis.message->messages);
    for (const std::string& note : diagnosis.notes)
        text += fmt::format("  note: {}\n", note);
    return text;
}

std::string groupsText(const char* title, const std::optional<memtrace::LiveGroups>& live,
                       std::size_t most)
{
    if (!live || live->groups.empty())
        return {};
    std::string text = fmt::format("{}\n", title);
    const std::size_t shown = std::min(most, live->groups.size());
    for (std::size_t i = 0; i < shown; ++i)
        text += fmt::format("{:>12}  {:>8}  {}\n", bytesText(live->groups[i].bytes),
                            live->groups[i].blocks, base::printable(live->groups[i].name, 160));
    if (shown < live->groups.size())
        text += fmt::format("{:>12}  {:>8}  and {}\n", "", "",
                            base::counted(live->groups.size() - shown, "more group"));
    return text;
}

std::string replayText(const doctor::SettingsReplay& replay, const memtrace::DeviceTrace& device)
{
    if (!replay.refusal.empty())
        return fmt::format("Other settings of the allocator were not tried: {}.\n",
                           base::printable(replay.refusal, 400));
    std::string text =
        replay.isExact()
            ? std::string{"Other settings of the allocator, by an exact replay:\n"}
            : fmt::format("Other settings of the allocator, estimated by a replay ({}):\n",
                          base::printable(fmt::format("{}", fmt::join(replay.doubts, "; ")), 600));
    text += fmt::format("{:>12}  {}{}{}{}\n", bytesText(replay.needed),
                        replay.isExact() ? "as recorded" : "with the recorded settings",
                        replay.recorded.text.empty() ? "" : ": ",
                        base::printable(replay.recorded.text, 160),
                        replay.limit && replay.needed > *replay.limit
                            ? fmt::format("; {} could be had", bytesText(*replay.limit))
                            : std::string{});
    for (const doctor::SettingsRun& run : replay.runs)
        text += fmt::format(
            "{:>12}  {}{}\n", run.failedAt ? std::string{} : bytesText(run.reserved), run.option,
            run.failedAt ? fmt::format(", fails at event {}", device.recordedIndex(*run.failedAt))
                         : std::string{});
    return text;
}

const char* enoughText(doctor::Enough enough)
{
    switch (enough) {
    case doctor::Enough::Allocation: return ", enough for this allocation";
    case doctor::Enough::Step: return ", enough for the whole step";
    case doctor::Enough::NotKnown: break;
    }
    return "";
}

ordered_json enoughJson(doctor::Enough enough)
{
    const char* const name = doctor::enoughName(enough);
    return name != nullptr ? ordered_json(name) : ordered_json{};
}

std::string gainText(const doctor::Remedy& remedy, const std::string& bytes)
{
    return remedy.givesMore ? bytes + " more" : "saves " + bytes;
}

std::string remediesText(const Diagnosis& diagnosis)
{
    if (diagnosis.remedies.empty())
        return "Nothing is known that would help.\n";
    std::string text = "What would help:\n";
    if (diagnosis.isStepUnknown())
        text += fmt::format("  {}\n", doctor::kFailsInForward);
    std::size_t number = 1;
    for (const doctor::Remedy& remedy : diagnosis.remedies) {
        std::string figure = "no figure";
        if (remedy.saves)
            figure = fmt::format(
                "{} ({}){}",
                gainText(remedy, bytesText(*remedy.saves, savingRounding(diagnosis, remedy))),
                doctor::howKnownName(remedy.known), enoughText(remedy.enough));
        else if (remedy.atMost)
            figure = gainText(remedy, bytesText(*remedy.atMost)) + " at most";
        text += fmt::format("{:>3}. {}: {}\n", number++, figure, base::printable(remedy.text, 900));
    }
    return text;
}

} // namespace

ordered_json diagnosisJson(const Diagnosis& diagnosis, const memtrace::MemoryTrace* trace,
                           const memtrace::DeviceTrace* device)
{
    const auto& idle = diagnosis.idleBlocks;
    ordered_json json{{"kind", device == nullptr ? "message" : "recording"},
                      {"device", orNull(diagnosis.device)},
                      {"failed", diagnosis.isFailure}};
    if (trace != nullptr && device != nullptr) {
        const std::size_t step = diagnosis.moment->shownStep();
        json["event"] = recordedEvent(*device, step);
        json["ns"] = nsAt(*trace, *device, step);
    }
    json["asked_bytes"] = bytesJson(diagnosis.asked);
    json["free_bytes"] = bytesJson(diagnosis.free);
    json["capacity_bytes"] = bytesJson(diagnosis.capacity);
    json["missing_bytes"] = bytesJson(diagnosis.missing);
    json["reserved_bytes"] = bytesJson(diagnosis.reserved);
    json["live_bytes"] = bytesJson(diagnosis.live);
    json["idle_bytes"] = bytesJson(diagnosis.idle);
    json["rounding_bytes"] = bytesJson(diagnosis.beyond);
    json["foreign_bytes"] = bytesJson(diagnosis.foreign);
    json["other_processes_bytes"] = bytesJson(diagnosis.otherProcesses);
    json["outside_bytes"] = bytesJson(diagnosis.outside);
    json["largest_idle_bytes"] = idle ? ordered_json(idle->largest.count()) : ordered_json{};
    json["idle"] = idleJson(idle);
    json["uncertain_by"] = errorsJson(diagnosis);
    json["by_class"] = liveJson(diagnosis.byClass);
    json["by_frame"] = liveJson(diagnosis.byFrame);
    json["replay"] = diagnosis.replay && device != nullptr ? replayJson(*diagnosis.replay, *device)
                                                           : ordered_json{};
    json["message"] = diagnosis.message ? messageJson(*diagnosis.message) : ordered_json{};
    json["notes"] = diagnosis.notes;
    json["remedies"] = ordered_json::array();
    for (const doctor::Remedy& remedy : diagnosis.remedies)
        json["remedies"].push_back({{"id", remedy.id},
                                    {"text", remedy.text},
                                    {"saves_bytes", bytesJson(remedy.saves)},
                                    {"at_most_bytes", bytesJson(remedy.atMost)},
                                    {"how_known", doctor::howKnownName(remedy.known)},
                                    {"suffices", remedy.enough != doctor::Enough::NotKnown},
                                    {"suffices_for", enoughJson(remedy.enough)}});
    return json;
}

std::string diagnosisText(const Diagnosis& diagnosis, const memtrace::DeviceTrace* device,
                          std::size_t frames)
{
    std::string text = headText(diagnosis, device) + figuresText(diagnosis)
                       + groupsText("live by class", diagnosis.byClass, frames)
                       + groupsText("live by frame", diagnosis.byFrame, frames);
    if (device != nullptr && diagnosis.replay)
        text += replayText(*diagnosis.replay, *device);
    return text + remediesText(diagnosis);
}

} // namespace plimsoll::cli
