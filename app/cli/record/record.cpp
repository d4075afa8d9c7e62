// SPDX-License-Identifier: Apache-2.0
#include "app/cli/record/program.h"
#include "app/cli/record/summary.h"
#include "app/cli/verbs.h"
#include "core/io/input.h"
#include "core/record/launch.h"
#include "core/record/recording.h"
#include "core/record/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace plimsoll::cli {

namespace {

namespace fs = std::filesystem;

class Record : public Verb
{
public:
    Record(CLI::App& app, std::vector<std::string> program)
        : Verb{app, "record", "Run a program and record what it does with the GPU's memory"}
        , m_command{std::move(program)}
    {
        command().add_option("-o,--output", m_output,
                             "Recording to write (.plmcap); child processes write beside it");
        command().add_flag("--tensors", m_tensors,
                           "Make each tensor an allocation of its own, which is much slower "
                           "(PyTorch)");
        command().add_flag("--snapshot", m_snapshot,
                           "Also have PyTorch write its memory snapshot at the end and on running "
                           "out of memory");
        close("The program and its arguments follow behind --. Its output stays as it is, and its "
              "exit code is that of this command.\n"
              "Example: plimsoll-cli record -o step.plmcap --snapshot -- python train.py");
    }

    [[nodiscard]] Answer run() override
    {
        if (m_command.empty())
            throw VerbError{base::ErrorKind::Usage,
                            "There is no program to record: put it behind --, as in plimsoll-cli "
                            "record -- python train.py."};
        if (m_tensors && m_snapshot)
            throw VerbError{base::ErrorKind::Usage,
                            "--tensors and --snapshot exclude each other, since PyTorch records "
                            "nothing without its caching allocator: use one of them."};
        const record::Launch launch =
            orThrow(record::prepareLaunch({.output = m_output,
                                           .folder = {},
                                           .existing = record::Existing::Replace,
                                           .tensors = m_tensors,
                                           .snapshot = m_snapshot,
                                           .outputOption = "-o"},
                                          record::variable));
        const ProgramEnd end = orThrow(runProgram(m_command, launch.variables));
        return answer(launch, record::collectFiles(launch.target.file, launch.run), end);
    }

private:
    [[nodiscard]] Answer answer(const record::Launch& launch, const std::vector<fs::path>& files,
                                const ProgramEnd& end) const
    {
        std::vector<std::string> lines;
        std::vector<std::string> warnings;
        ordered_json processes = ordered_json::array();
        for (const fs::path& one : files) {
            const base::Result<capture::Capture> capture = record::readCapture(one);
            if (!capture) {
                warnings.push_back(capture.error().message);
                continue;
            }
            lines.push_back(summaryLine(one, *capture));
            processes.push_back(summaryJson(one, *capture));
            for (std::string& warning : record::warningsOf(one, *capture))
                warnings.push_back(std::move(warning));
        }
        if (!end.failure.empty())
            warnings.push_back(end.failure);
        else if (files.empty() && end.signal > 0)
            warnings.push_back(fmt::format("The program was ended by signal {} before anything was "
                                           "recorded.",
                                           end.signal));
        else if (files.empty())
            warnings.emplace_back(record::kNothingRecorded);
        const bool isKept = launch.target.earlier.isKept();
        if (isKept)
            warnings.push_back(fmt::format("{} still holds the earlier recording.",
                                           io::pathText(launch.target.file)));
        if (m_snapshot && end.failure.empty())
            addSnapshot(launch.target.file, lines, warnings);
        Answer answer;
        answer.exit = static_cast<Exit>(end.exit);
        answer.json = {
            {"file", files.empty() || isKept ? ordered_json{} : ordered_json(files.front())},
            {"exit", end.exit},
            {"signal", end.signal > 0 ? ordered_json(end.signal) : ordered_json{}},
            {"processes", std::move(processes)},
            {"warnings", warnings}};
        if (common().quiet)
            lines.clear();
        lines.insert(lines.end(), warnings.begin(), warnings.end());
        answer.error =
            fmt::format("{}", fmt::join(lines, "\n")); // standard output is the program's
        return answer;
    }

    static void addSnapshot(const fs::path& file, std::vector<std::string>& lines,
                            std::vector<std::string>& warnings)
    {
        const base::Result<fs::path> snapshot = record::snapshotBeside(file);
        if (snapshot)
            lines.push_back(fmt::format("{}: PyTorch's memory snapshot.", io::pathText(*snapshot)));
        else
            warnings.push_back(snapshot.error().message);
    }

    std::string m_output;
    bool m_tensors = false;
    bool m_snapshot = false;
    std::vector<std::string> m_command;
};

} // namespace

std::unique_ptr<Verb> recordVerb(CLI::App& app, std::vector<std::string> program)
{
    return std::make_unique<Record>(app, std::move(program));
}

} // namespace plimsoll::cli
