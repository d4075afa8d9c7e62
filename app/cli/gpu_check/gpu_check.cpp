// SPDX-License-Identifier: Apache-2.0
#include "app/cli/gpu_check/comparison.h"
#include "app/cli/gpu_check/driver.h"
#include "app/cli/gpu_check/journal.h"
#include "app/cli/gpu_check/work.h"
#include "app/cli/record/program.h"
#include "app/cli/verbs.h"
#include "core/base/format.h"
#include "core/capture/launch.h"
#include "core/io/atomic_file.h"
#include "core/io/byte_source.h"
#include "core/record/recording.h"
#include "core/record/scratch_folder.h"
#include "core/record/target_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace plimsoll::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostJournal = std::size_t{16} << 20U;
constexpr auto kStandInNote = "This is the stand-in GPU of Plimsoll's tests: it says nothing of a "
                              "real GPU.";

const char* verdictText(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Ok: return "ok";
    case Verdict::Differs: return "differs";
    case Verdict::NotPossible: return "not possible";
    }
    return "";
}

Answer withoutGpu(std::string why)
{
    Answer answer;
    answer.exit = Exit::NoGpu;
    answer.json = {{"status", "no_gpu"}, {"reason", why}, {"checks", ordered_json::array()}};
    answer.error = std::move(why);
    return answer;
}

/// Why nothing was recorded, if that is for want of CUPTI or of a driver.
std::optional<std::string> missingPart(const capture::Capture& capture)
{
    for (const capture::Status& status : capture.statuses)
        if (status.code == capture::wire::StatusCode::CuptiNotFound
            || status.code == capture::wire::StatusCode::NoDriver)
            return status.text;
    return std::nullopt;
}

class GpuCheck : public Verb
{
public:
    explicit GpuCheck(CLI::App& app)
        : Verb{app, "gpu-check", "Check on each GPU that recordings hold what a program did"}
    {
        command()
            .add_option("--only", m_only, "Print one check: " + checkNames())
            ->type_name("NAME");
        command().add_option(
            "-o,--output", m_output,
            "Keep the recording (.plmcap) and, beside it, the account of the calls "
            "(.json)");
        command().add_option("--work", m_work)->group(""); // how the verb runs itself
        close("The program records itself while it allocates, maps, copies and launches on each "
              "GPU, up to 16 MiB at a time, and compares the recording with its calls. Exit "
              "status: 0 if all agree, 5 if something differs, 77 where there is no GPU, driver "
              "or CUPTI.\nExample: plimsoll-cli gpu-check");
    }

    [[nodiscard]] Answer run() override
    {
        if (!m_work.empty())
            return doRecordedWork();
        if (!m_only.empty() && std::ranges::find(check::kAll, m_only) == check::kAll.end())
            throw VerbError{base::ErrorKind::Usage,
                            fmt::format("There is no check \"{}\": use one of {}.",
                                        base::printable(m_only, 40), checkNames())};
        const Stopwatch watch;
        if (const auto driver = Driver::open(); !driver)
            return withoutGpu(driver.error().message);
        const record::ScratchFolder scratch = orThrow(record::ScratchFolder::make());
        const record::Target target = orThrow(
            m_output.empty()
                ? record::Target{.file = scratch.path() / "gpu-check.plmcap", .earlier = {}}
                : record::prepareFile(m_output, {}, record::Existing::Replace, false, "-o"));
        const fs::path& file = target.file;
        fs::path account = file;
        account.replace_extension(".json");
        const std::uint64_t run = record::newRun();
        const auto environment = orThrow(capture::launchEnvironment(
            orThrow(record::launchRequest(file, run)), record::variable));
        const ProgramEnd end = orThrow(
            runProgram({"/proc/self/exe", "gpu-check", "--work", account.native()}, environment));
        if (end.exit != 0)
            return crashed(end);
        const Journal journal =
            orThrow(io::readHead(account, kMostJournal).and_then([](const std::string& text) {
                return readJournal(text);
            }));
        if (!journal.noGpu.empty())
            return withoutGpu(journal.noGpu);
        return compared(journal, file, run, watch);
    }

private:
    [[nodiscard]] static std::string checkNames()
    {
        return fmt::format("{}", fmt::join(check::kAll, ", "));
    }

    /// In the program that is recorded.
    [[nodiscard]] Answer doRecordedWork() const
    {
        const Driver driver = orThrow(Driver::open());
        orThrow(io::writeAtomically(m_work, journalText(doWork(driver))));
        return {};
    }

    [[nodiscard]] static Answer crashed(const ProgramEnd& end)
    {
        Answer answer;
        answer.exit = Exit::GateFailed;
        answer.error =
            !end.failure.empty() ? end.failure
            : end.signal > 0
                ? fmt::format("The recorded program was ended by signal {} before it was done.",
                              end.signal)
                : fmt::format("The recorded program ended with exit status {} before it was done.",
                              end.exit);
        answer.json = {
            {"status", "differs"}, {"reason", answer.error}, {"checks", ordered_json::array()}};
        return answer;
    }

    [[nodiscard]] Answer compared(const Journal& journal, const fs::path& file, std::uint64_t run,
                                  const Stopwatch& watch) const
    {
        if (capture::filesOfRun(file, run).empty()) {
            Answer answer = crashed({});
            answer.error = "The driver did not load the recorder, so nothing was recorded: check "
                           "that nothing clears the program's environment.";
            answer.json["reason"] = answer.error;
            return answer;
        }
        const capture::Capture capture = orThrow(record::readCapture(file));
        if (auto missing = missingPart(capture))
            return withoutGpu(*std::move(missing));
        std::vector<CheckRow> rows = compareWork(journal, capture);
        std::erase_if(rows,
                      [&](const CheckRow& row) { return !m_only.empty() && row.check != m_only; });
        const bool agrees = std::ranges::none_of(
            rows, [](const CheckRow& row) { return row.verdict == Verdict::Differs; });
        Answer answer;
        answer.exit = agrees ? Exit::Done : Exit::GateFailed;
        answer.text = tableText(rows, journal);
        answer.json = {{"status", agrees ? "ok" : "differs"},
                       {"stand_in", journal.isOfStandIn()},
                       {"driver_version", journal.driverVersion},
                       {"cupti_version", capture.process.cuptiVersion},
                       {"checks", checksJson(rows)},
                       {"seconds", watch.seconds()}};
        return answer;
    }

    [[nodiscard]] static ordered_json checksJson(const std::vector<CheckRow>& rows)
    {
        ordered_json checks = ordered_json::array();
        for (const CheckRow& row : rows)
            checks.push_back({{"gpu", orNull(row.device)},
                              {"check", row.check},
                              {"result", verdictText(row.verdict)},
                              {"detail", row.detail}});
        return checks;
    }

    [[nodiscard]] static std::string tableText(const std::vector<CheckRow>& rows,
                                               const Journal& journal)
    {
        std::string text;
        for (const CheckRow& row : rows)
            text += fmt::format("{:<6} {:<14}  {}: {}\n",
                                row.device ? fmt::format("GPU {}", *row.device) : "", row.check,
                                verdictText(row.verdict), row.detail);
        if (journal.isOfStandIn())
            text += fmt::format("{}\n", kStandInNote);
        return text;
    }

    std::string m_only;
    std::string m_output;
    std::string m_work; ///< where to write the journal
};

} // namespace

std::unique_ptr<Verb> gpuCheckVerb(CLI::App& app)
{
    return std::make_unique<GpuCheck>(app);
}

} // namespace plimsoll::cli
