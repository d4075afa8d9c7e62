// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verbs.h"
#include "core/base/format.h"
#include "core/io/byte_source.h"
#include "core/session/plan_records.h"
#include "core/workspace/comparison/comparison_document.h"
#include "core/workspace/plan_document.h"
#include "core/workspace/profile/profile_document.h"
#include "core/workspace/waterfall/waterfall_document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>

namespace plimsoll::cli {

namespace {

/// For example ", batch 16": sizes that differ from the recording.
std::string sizesText(const std::map<std::string, std::int64_t>& sizes)
{
    std::string text;
    for (const auto& [axis, size] : sizes)
        text += fmt::format(", {} {}", base::printable(axis, 20), size);
    return text;
}

ordered_json optionsJson(const session::SavedOptions& options)
{
    ordered_json json = ordered_json::object();
    for (const auto& [name, value] : options)
        std::visit([&json, key = name](const auto& plain) { json[key] = plain; }, value);
    return json;
}

/// A document of the session; `plan` is set if it is one.
struct Shown
{
    session::SavedDocument document;
    std::int64_t contentBytes = 0; ///< of what it was made of
    std::optional<session::SavedPlan> plan;
};

std::vector<Shown> load(const session::SessionStore& store)
{
    const std::vector<session::SavedDocument> documents = orThrow(store.documents());
    std::vector<Shown> all;
    for (const session::SavedDocument& document : documents) {
        Shown& shown =
            all.emplace_back(Shown{document, orThrow(store.blobBytes(document.id)), std::nullopt});
        if (document.kind != workspace::kPlanDocument)
            continue;
        const std::string graph = orThrow(store.blob(document.id, session::kContent));
        shown.contentBytes = static_cast<std::int64_t>(graph.size());
        shown.plan = orThrow(session::loadPlan(store, document.id));
    }
    if (all.empty())
        throw VerbError(
            base::ErrorKind::File,
            io::pathText(store.path())
                + ": the session holds no document; open the graph or profile instead.");
    return all;
}

void addRuns(const Shown& shown, ordered_json& rows)
{
    for (const session::SavedRun& run : shown.plan->runs)
        rows.push_back({{"document", static_cast<std::int64_t>(shown.document.id)},
                        {"id", run.id},
                        {"name", run.name},
                        {"budget_bytes", run.budgetBytes},
                        {"planner", run.planner},
                        {"status", run.status},
                        {"peak_bytes", orNull(run.peakBytes)},
                        {"step_time_ns", orNull(run.stepTimeNs)},
                        {"has_plan", run.plan.has_value()},
                        {"sizes", run.sizes}});
}

std::string runsText(const session::SavedPlan& saved)
{
    std::string text;
    for (const session::SavedRun& run : saved.runs)
        text += fmt::format(
            "{:>4}  {:<12} {:<10} peak {:<12} step {:<10} {}  {}{}\n", run.id,
            base::budgetText(base::Bytes{run.budgetBytes}, base::Bytes{run.peakBytes.value_or(0)}),
            base::printable(run.status, 20),
            run.peakBytes ? base::bytesText(base::Bytes{*run.peakBytes}, base::Rounding::Up) : "–",
            run.stepTimeNs ? base::timeText(base::Nanoseconds{*run.stepTimeNs}) : "–",
            base::printable(run.planner, 20), base::printable(run.name, 80), sizesText(run.sizes));
    return text;
}

std::uintmax_t sizeOf(const std::string& path)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
}

enum class Action { List, Show, Compact };

class SessionVerb : public Verb
{
public:
    SessionVerb(CLI::App& session, Action action, const char* name, const char* sentence)
        : Verb{session, name, sentence}, m_action{action}
    {
        command().add_option("FILE", m_file, "Session (.plimsoll)")->required();
        close(fmt::format("Example: plimsoll-cli session {} work.plimsoll", name));
    }

    [[nodiscard]] Answer run() override
    {
        session::SessionStore store = orThrow(session::SessionStore::open(m_file));
        if (m_action == Action::Compact)
            return compact(store);
        const std::vector<Shown> documents = load(store);
        Answer answer;
        answer.json = {{"file", m_file}};
        answer.json["documents"] = ordered_json::array();
        ordered_json runs = ordered_json::array();
        for (const Shown& shown : documents) {
            answer.json["documents"].push_back(documentJson(shown));
            if (m_action == Action::Show || documents.size() > 1 || !shown.plan)
                answer.text += headOf(shown);
            if (!shown.plan)
                continue;
            if (m_action == Action::Show)
                describe(shown, answer);
            addRuns(shown, runs);
            answer.text += runsText(*shown.plan);
        }
        answer.json["runs"] = std::move(runs);
        return answer;
    }

private:
    /// "resnet18 (read from resnet18.json.gz)", "run (memory profile, read from run.pickle)".
    static std::string headOf(const Shown& shown)
    {
        std::vector<std::string> about;
        const std::string& kind = shown.document.kind;
        if (kind == workspace::kProfileDocument)
            about.emplace_back("memory profile");
        else if (kind == workspace::kComparisonDocument)
            about.emplace_back("comparison of profiles");
        else if (kind == workspace::kWaterfallDocument)
            about.emplace_back("predicted and measured");
        else if (kind != workspace::kPlanDocument)
            about.push_back("unknown kind " + base::printable(kind, 40));
        if (!shown.document.sourcePath.empty())
            about.push_back("read from " + base::printable(shown.document.sourcePath));
        return about.empty() ? base::printable(shown.document.name) + "\n"
                             : fmt::format("{} ({})\n", base::printable(shown.document.name),
                                           fmt::join(about, ", "));
    }
    static ordered_json documentJson(const Shown& shown)
    {
        return {{"id", static_cast<std::int64_t>(shown.document.id)},
                {"kind", shown.document.kind},
                {"name", shown.document.name},
                {"source", shown.document.sourcePath},
                {"content_hash", shown.document.contentHash},
                {"size_bytes", shown.contentBytes}};
    }

    /// Describes each graph in its row of "documents", and the first one at the top level.
    static void describe(const Shown& shown, Answer& answer)
    {
        const session::SavedProblem& problem = shown.plan->problem;
        const std::optional<session::SavedMeasurement>& measurement = shown.plan->measurement;
        const ordered_json asked = {{"device", problem.device},
                                    {"budget_bytes", problem.budgetBytes},
                                    {"reserve_bytes", problem.reserveBytes},
                                    {"rounding", problem.rounding},
                                    {"planner", problem.planner},
                                    {"options", optionsJson(problem.options)},
                                    {"sizes", problem.sizes},
                                    {"data_parallel", problem.dataParallel.empty()
                                                          ? ordered_json{}
                                                          : ordered_json(problem.dataParallel)}};
        const ordered_json measured =
            measurement ? ordered_json{{"name", measurement->name}, {"sizes", measurement->sizes}}
                        : ordered_json{};
        if (!answer.json.contains("graph")) {
            answer.json["graph"] = {{"name", shown.document.name},
                                    {"source", shown.document.sourcePath},
                                    {"content_hash", shown.document.contentHash},
                                    {"size_bytes", shown.contentBytes}};
            answer.json["problem"] = asked;
            answer.json["measurement"] = measured;
        }
        ordered_json& row = answer.json["documents"].back();
        row["problem"] = asked;
        row["measurement"] = measured;
        const base::Bytes budget{problem.budgetBytes};
        answer.text += fmt::format(
            "  {}, {}, reserve {}, planner {}{}\n", base::printable(problem.device),
            budget > base::Bytes{} ? "budget " + base::bytesText(budget, base::Rounding::Down)
                                   : "no budget",
            base::bytesText(base::Bytes{problem.reserveBytes}), base::printable(problem.planner),
            sizesText(problem.sizes));
        if (measurement)
            answer.text += fmt::format("  measured: {}\n", base::printable(measurement->name));
    }

    Answer compact(session::SessionStore& store) const
    {
        const std::uintmax_t before = sizeOf(m_file);
        orThrow(store.compact());
        const std::uintmax_t after = sizeOf(m_file);
        Answer answer;
        answer.json = {{"file", m_file}, {"before_bytes", before}, {"after_bytes", after}};
        answer.text = fmt::format("{}: {} → {}\n", io::pathText(m_file),
                                  base::bytesText(base::Bytes{static_cast<std::int64_t>(before)}),
                                  base::bytesText(base::Bytes{static_cast<std::int64_t>(after)}));
        return answer;
    }

    Action m_action;
    std::string m_file;
};

} // namespace

std::vector<std::unique_ptr<Verb>> sessionVerbs(CLI::App& session)
{
    std::vector<std::unique_ptr<Verb>> verbs;
    verbs.push_back(std::make_unique<SessionVerb>(session, Action::List, "list",
                                                  "List the budgets that were tried"));
    verbs.push_back(
        std::make_unique<SessionVerb>(session, Action::Show, "show", "Show what a session holds"));
    verbs.push_back(std::make_unique<SessionVerb>(session, Action::Compact, "compact",
                                                  "Release unused space in the file"));
    return verbs;
}

} // namespace plimsoll::cli
