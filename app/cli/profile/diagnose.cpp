// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/diagnose.h"

#include "app/cli/numbers.h"
#include "app/cli/profile/diagnosis_text.h"
#include "app/cli/profile/planned_remedy.h"
#include "app/cli/profile/profile_input.h"
#include "app/cli/verbs.h"
#include "app/cli/watch.h"
#include "core/base/format.h"
#include "core/device/known_devices.h"
#include "core/doctor/remedies.h"
#include "core/io/byte_source.h"
#include "core/workspace/file_formats.h"
#include "core/workspace/profile/planned_remedy.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <optional>
#include <string>

namespace plimsoll::cli {

namespace {

constexpr std::size_t kFrames = 10; ///< that the text shows

/// Everything on standard input, up to a byte more than a message may have.
std::string standardInput()
{
    std::string text;
    std::array<char, 4096> part{};
    while (text.size() <= doctor::kMostMessageBytes) {
        const std::size_t count = std::fread(part.data(), 1, part.size(), stdin);
        text.append(part.data(), count);
        if (count == 0)
            break;
    }
    return text;
}

/// The device on which an allocation failed last; none: the one with the highest peak.
const memtrace::DeviceTrace& diagnosedDevice(const memtrace::MemoryTrace& trace,
                                             std::optional<int> ordinal)
{
    const memtrace::DeviceTrace* failed = nullptr;
    const auto failedAt = [](const memtrace::DeviceTrace& device) {
        return device.timeOf(device.outOfMemory().back().event);
    };
    if (!ordinal)
        for (const memtrace::DeviceTrace& device : trace.devices())
            if (!device.outOfMemory().empty()
                && (failed == nullptr || failedAt(device) >= failedAt(*failed)))
                failed = &device;
    return failed != nullptr ? *failed : deviceOf(trace, ordinal);
}

class Diagnose : public Verb
{
public:
    explicit Diagnose(CLI::App& app)
        : Verb{app, "diagnose",
               "Tell why memory ran out, or what a peak consists of, and what "
               "would help"}
    {
        command()
            .add_option("FILE", m_file,
                        "Memory profile, session that holds one, or a text with PyTorch's "
                        "out-of-memory message; - reads such a text from standard input")
            ->required();
        command().add_option("--device", m_device,
                             "Device; by default the one on which an allocation failed last, else "
                             "the one with the highest peak");
        command().add_option("--top", m_top, "Groups to print")->check(wholeNumber(1, kMostGroups));
        command().add_option(
            "--graph", m_step.graph,
            "Traced step of the program: a plan for it becomes a remedy, too. By default "
            "the one that a session keeps with the profile");
        command()
            .add_option("--gpu", m_step.gpu, "GPU for the times of that plan")
            ->capture_default_str()
            ->needs("--graph");
        close("Example: plimsoll-cli diagnose snapshot.pickle --json");
    }

    [[nodiscard]] Answer run() override
    {
        const Stopwatch clock;
        Answer answer = m_file == "-" ? ofText(standardInput(), "standard input") : ofFile();
        answer.json["seconds"] = clock.seconds();
        return answer;
    }

private:
    /// `kept`: the graph that a session keeps; may be null.
    void addPlan(doctor::Diagnosis& diagnosis, const workspace::ComparedStep* kept) const
    {
        if (!m_step.graph.empty()) {
            doctor::addPlanned(diagnosis.remedies, plannedRemedy(m_step, diagnosis, common()));
        } else if (kept != nullptr) {
            Watch watch{common().quiet ? std::string{} : "Planning " + io::pathText(m_file)};
            doctor::addPlanned(diagnosis.remedies, orThrow(workspace::plannedRemedy(
                                                       *kept, diagnosis, watch.context())));
        }
    }
    [[nodiscard]] Answer ofFile() const
    {
        if (workspace::fileFormats().kindOf(m_file))
            return ofProfile();
        io::ReadLimits limits;
        limits.bytes = std::uint64_t{4} << 20U; // what is longer is named with its size
        return ofText(orThrow(io::readFile(m_file, {}, limits)).bytes, io::pathText(m_file));
    }
    [[nodiscard]] Answer ofText(const std::string& text, const std::string& name) const
    {
        base::Result<doctor::ErrorMessage> message = doctor::parseErrorMessage(text);
        if (!message)
            throw VerbError(message.error().kind, fmt::format("{} is no memory profile, and {}",
                                                              name, message.error().message));
        if (m_device)
            throw VerbError(base::ErrorKind::Usage,
                            "--device is for memory profiles: a message is about one device.");
        doctor::Diagnosis diagnosis = doctor::diagnose(*message);
        addPlan(diagnosis, nullptr);
        Answer answer;
        answer.json = {{"file", m_file}};
        answer.json.update(diagnosisJson(diagnosis, nullptr, nullptr));
        answer.text = diagnosisText(diagnosis, nullptr, m_top.value_or(kFrames));
        return answer;
    }
    [[nodiscard]] Answer ofProfile() const
    {
        const auto [trace, kept] = readNamedProfile(m_file, common());
        const memtrace::DeviceTrace& device = diagnosedDevice(*trace, m_device);
        Watch watch{common().quiet ? std::string{} : "Replaying " + io::pathText(m_file)};
        doctor::Diagnosis diagnosis = orThrow(doctor::diagnose(*trace, device, watch.context()));
        addPlan(diagnosis, kept.get());
        Answer answer;
        answer.text =
            diagnosisText(diagnosis, &device, m_top.value_or(kFrames)) + notesText(*trace);
        if (m_top && diagnosis.byFrame && diagnosis.byFrame->groups.size() > *m_top)
            diagnosis.byFrame->groups.resize(*m_top);
        answer.json = {{"file", m_file}};
        answer.json.update(diagnosisJson(diagnosis, trace.get(), &device));
        answer.json["gaps"] = trace->gaps();
        answer.json["statistics"] = trace->statistics();
        return answer;
    }

    std::string m_file;
    std::optional<int> m_device;
    std::optional<std::size_t> m_top;
    PlannedStep m_step{{}, std::string{plan::kDefaultDevice}};
};

} // namespace

std::unique_ptr<Verb> diagnoseVerb(CLI::App& app)
{
    return std::make_unique<Diagnose>(app);
}

} // namespace plimsoll::cli
