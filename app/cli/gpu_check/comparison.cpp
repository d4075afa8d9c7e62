// SPDX-License-Identifier: Apache-2.0
#include "app/cli/gpu_check/comparison.h"

#include "app/cli/gpu_check/record_finder.h"
#include "core/base/format.h"
#include "core/capture/device_bytes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

namespace plimsoll::cli {

namespace {

namespace wire = capture::wire;

constexpr std::size_t kMostDifferences = 3; ///< told of one row

std::string joined(const std::vector<std::string>& differences)
{
    const std::size_t shown = std::min(differences.size(), kMostDifferences);
    std::string text = fmt::format("{}", fmt::join(std::span{differences}.first(shown), "; "));
    if (shown < differences.size())
        text += fmt::format("; and {} more", differences.size() - shown);
    return text;
}

CheckRow rowOf(std::string_view check, std::optional<int> device,
               const std::vector<std::string>& differences, std::string whenOk)
{
    const bool isOk = differences.empty();
    return {.check = std::string{check},
            .device = device,
            .verdict = isOk ? Verdict::Ok : Verdict::Differs,
            .detail = isOk ? std::move(whenOk) : joined(differences)};
}

std::string callText(const Step& step)
{
    const auto sized = [&](const char* what) {
        return fmt::format("the {} of {} bytes", what, step.bytes);
    };
    switch (step.action) {
    case CallKind::Allocate: return sized("allocation");
    case CallKind::Free: return sized("free");
    case CallKind::Reserve: return sized("reservation");
    case CallKind::FreeRange: return sized("free of the range");
    case CallKind::Create: return sized("creation");
    case CallKind::Release: return "the release of a handle";
    case CallKind::Map: return sized("mapping");
    case CallKind::Unmap: return sized("unmapping");
    case CallKind::Copy:
        return fmt::format("the copy of {} bytes (kind {})", step.bytes, step.handle);
    case CallKind::Fill: return sized("fill");
    case CallKind::Launch:
        return fmt::format("the kernel of {}", base::counted(step.bytes, "block"));
    }
    return "a call";
}

bool isWork(CallKind action)
{
    return action == CallKind::Copy || action == CallKind::Fill || action == CallKind::Launch;
}

/// Bytes of the GPU that the calls held, as capture::deviceBytes() finds them from records.
class HeldBytes
{
public:
    void add(const Step& step)
    {
        switch (step.action) {
        case CallKind::Allocate:
            if (step.check != check::kPinned)
                take(step.bytes);
            break;
        case CallKind::Free:
            if (step.check != check::kPinned)
                m_last -= step.bytes;
            break;
        case CallKind::Create:
            m_physical[step.handle] = {step.bytes, 1};
            take(step.bytes);
            break;
        case CallKind::Map:
            ++m_physical[step.handle].uses;
            m_mapped[step.address] = step.handle;
            break;
        case CallKind::Release: drop(step.handle); break;
        case CallKind::Unmap: drop(m_mapped[step.address]); break;
        default: break;
        }
    }
    [[nodiscard]] std::uint64_t peak() const { return m_peak; }
    [[nodiscard]] std::uint64_t last() const { return m_last; }

private:
    struct Physical
    {
        std::uint64_t bytes = 0;
        int uses = 0; ///< mappings, and one for the handle until it is released
    };

    void take(std::uint64_t bytes)
    {
        m_last += bytes;
        m_peak = std::max(m_peak, m_last);
    }
    void drop(std::uint64_t handle)
    {
        Physical& physical = m_physical[handle];
        if (--physical.uses == 0)
            m_last -= physical.bytes;
    }

    std::uint64_t m_last = 0;
    std::uint64_t m_peak = 0;
    std::map<std::uint64_t, Physical> m_physical;
    std::map<std::uint64_t, std::uint64_t> m_mapped;
};

/// The rows of one GPU.
class DeviceComparison
{
public:
    DeviceComparison(const DeviceWork& work, const capture::Capture& capture, RecordFinder& finder)
        : m_work{work}, m_capture{capture}, m_finder{finder}
    {
        for (const Step& step : work.steps)
            match(step);
    }

    [[nodiscard]] std::vector<CheckRow> rows() const
    {
        std::vector<CheckRow> rows;
        for (const std::string_view check : check::kAll)
            if (check != check::kRecording)
                rows.push_back(row(check));
        return rows;
    }

private:
    [[nodiscard]] std::uint32_t ordinal() const
    {
        return static_cast<std::uint32_t>(m_work.device);
    }

    void match(const Step& step)
    {
        ++m_calls[step.check];
        m_held.add(step);
        const Found found = m_finder.find(step, ordinal());
        std::vector<std::string>& differences = m_differences[step.check];
        if (!found.isThere) {
            differences.push_back(callText(step) + " is not recorded");
            return;
        }
        if (!found.difference.empty())
            differences.push_back(fmt::format("{}: {}", callText(step), found.difference));
        // Calls on memory have the times of the host, work has those of the GPU.
        std::uint64_t& before = isWork(step.action) ? m_lastWork : m_lastCall;
        if (found.begin < before)
            m_disorder.push_back(fmt::format("{} is {} ns earlier than what was called before it",
                                             callText(step), before - found.begin));
        before = std::max(before, found.begin);
        ++m_timed;
    }

    [[nodiscard]] CheckRow row(std::string_view check) const
    {
        const std::string name{check};
        if (const auto obstacle = m_work.obstacles.find(name); obstacle != m_work.obstacles.end())
            return {name, m_work.device,
                    obstacle->second.isUnsupported ? Verdict::NotPossible : Verdict::Differs,
                    obstacle->second.why};
        if (m_work.steps.empty() && check != check::kDevice)
            return {name, m_work.device, Verdict::NotPossible, "nothing was done on this GPU"};
        if (check == check::kDevice)
            return deviceRow();
        if (check == check::kHeld)
            return heldRow();
        if (check == check::kOrder)
            return orderRow();
        if (check == check::kNothingElse)
            return rowOf(check, m_work.device, m_finder.leftOver(ordinal()),
                         "no record that no call has made");
        const auto calls = m_calls.find(name);
        if (calls == m_calls.end())
            return {name, m_work.device, Verdict::NotPossible,
                    "no call was made, since another one has failed before"};
        return rowOf(check, m_work.device, m_differences.at(name),
                     base::counted(calls->second, "call"));
    }

    [[nodiscard]] CheckRow deviceRow() const
    {
        std::vector<std::string> differences;
        const auto record = std::ranges::find(m_capture.devices, ordinal(), &wire::Device::device);
        if (record == m_capture.devices.end()) {
            differences.emplace_back("it is not recorded");
        } else {
            if (const std::string_view name = m_capture.text(record->name); name != m_work.name)
                differences.push_back(
                    fmt::format("its recorded name is \"{}\"", base::printable(name)));
            if (record->major != m_work.major || record->minor != m_work.minor)
                differences.push_back(fmt::format("compute capability {}.{} is recorded for {}.{}",
                                                  record->major, record->minor, m_work.major,
                                                  m_work.minor));
        }
        return rowOf(check::kDevice, m_work.device, differences,
                     fmt::format("{}, compute capability {}.{}", base::printable(m_work.name),
                                 m_work.major, m_work.minor));
    }

    [[nodiscard]] CheckRow heldRow() const
    {
        const std::vector<capture::DeviceBytes> all = capture::deviceBytes(m_capture);
        const auto held = std::ranges::find(all, ordinal(), &capture::DeviceBytes::device);
        const capture::DeviceBytes bytes = held != all.end() ? *held : capture::DeviceBytes{};
        std::vector<std::string> differences;
        if (bytes.peak != m_held.peak())
            differences.push_back(fmt::format("at most {} bytes are recorded, {} were held",
                                              bytes.peak, m_held.peak()));
        if (bytes.last != m_held.last())
            differences.push_back(fmt::format("{} bytes are recorded at the end, {} were held",
                                              bytes.last, m_held.last()));
        if (bytes.unmatched > 0)
            differences.push_back(fmt::format("{} of what was never allocated",
                                              base::counted(bytes.unmatched, "free")));
        return rowOf(check::kHeld, m_work.device, differences,
                     fmt::format("at most {} bytes, {} at the end", m_held.peak(), m_held.last()));
    }

    [[nodiscard]] CheckRow orderRow() const
    {
        if (m_timed < m_work.steps.size() && m_disorder.empty())
            return {std::string{check::kOrder}, m_work.device, Verdict::NotPossible,
                    fmt::format("{} missing", m_work.steps.size() - m_timed == 1
                                                  ? std::string{"a record is"}
                                                  : fmt::format("{} records are",
                                                                m_work.steps.size() - m_timed))};
        return rowOf(check::kOrder, m_work.device, m_disorder,
                     fmt::format("{} in the order of the calls", base::counted(m_timed, "record")));
    }

    const DeviceWork& m_work;
    const capture::Capture& m_capture;
    RecordFinder& m_finder;
    std::map<std::string, std::vector<std::string>> m_differences;
    std::map<std::string, std::size_t> m_calls;
    std::vector<std::string> m_disorder;
    HeldBytes m_held;
    std::uint64_t m_lastCall = 0;
    std::uint64_t m_lastWork = 0;
    std::size_t m_timed = 0;
};

CheckRow recordingRow(const capture::Capture& capture, std::size_t leftOverMappings)
{
    std::vector<std::string> differences;
    const auto count = [&](std::uint64_t number, const char* what, const char* sentence) {
        if (number > 0)
            differences.push_back(fmt::format("{} {}", base::counted(number, what), sentence));
    };
    count(capture.drops.byCupti, "record", "lost by CUPTI");
    count(capture.drops.byRecorder, "record", "lost by the recorder");
    count(capture.drops.mappings, "record", "of virtual memory lost by the recorder");
    count(capture.drops.cutBuffers, "buffer", "of CUPTI's that ended within a record");
    count(capture.leftOver, "byte", "behind the last complete part of the file");
    count(capture.damage.bytes, "byte", "in damaged parts of the file");
    count(capture.unknownRecords, "record", "of an unknown kind");
    count(leftOverMappings, "call", "on virtual memory that the program has not made");
    if (!capture.ended)
        differences.emplace_back("the recording has no end");
    for (const capture::Status& status : capture.statuses)
        if (status.severity != wire::Severity::Note)
            differences.push_back(status.text);
    return rowOf(check::kRecording, std::nullopt, differences,
                 fmt::format("nothing was lost; CUPTI {}", capture.process.cuptiVersion));
}

} // namespace

std::vector<CheckRow> compareWork(const Journal& journal, const capture::Capture& capture)
{
    RecordFinder finder{capture};
    std::vector<DeviceComparison> devices;
    devices.reserve(journal.devices.size());
    for (const DeviceWork& work : journal.devices)
        devices.emplace_back(work, capture, finder);
    std::vector<CheckRow> rows{recordingRow(capture, finder.leftOverMappings())};
    for (const DeviceComparison& device : devices)
        std::ranges::move(device.rows(), std::back_inserter(rows));
    return rows;
}

} // namespace plimsoll::cli
