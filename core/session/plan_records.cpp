// SPDX-License-Identifier: Apache-2.0
#include "core/session/plan_records.h"

#include "core/base/format.h"
#include "core/base/try.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace plimsoll::session {

namespace {

using base::Result;

constexpr std::string_view kMeasurementBlob = "measurement";
constexpr std::string_view kFrontierBlob = "frontier";
constexpr std::string_view kTimesBlob = "times";

std::string textOf(const nlohmann::json& json)
{
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string textOf(const SavedOptions& options)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, value] : options)
        std::visit([&json, key = name](const auto& plain) { json[key] = plain; }, value);
    return textOf(json);
}

std::map<std::string, std::int64_t> integersOf(const std::string& text)
{
    std::map<std::string, std::int64_t> integers;
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_object())
        for (const auto& [name, value] : json.items())
            if (value.is_number_integer())
                integers.emplace(name, value.get<std::int64_t>());
    return integers;
}

SavedOptions optionsOf(const std::string& text)
{
    SavedOptions options;
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object())
        return options;
    for (const auto& [name, value] : json.items()) {
        if (value.is_number_integer())
            options.emplace(name, value.get<std::int64_t>());
        else if (value.is_string())
            options.emplace(name, value.get<std::string>());
    }
    return options;
}

std::vector<std::string> textsOf(const std::string& text)
{
    std::vector<std::string> texts;
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_array())
        for (const nlohmann::json& item : json)
            if (item.is_string())
                texts.push_back(item.get<std::string>());
    return texts;
}

SavedRun runOf(const Statement& row)
{
    SavedRun run;
    run.id = row.integer(0);
    run.name = row.text(1);
    run.budgetBytes = row.integer(2);
    run.planner = row.text(3);
    run.status = row.text(4);
    run.peakBytes = row.optionalInteger(5);
    run.stepTimeNs = row.optionalInteger(6);
    if (!row.isNull(7))
        run.plan = row.text(7);
    run.sizes = integersOf(row.text(8));
    return run;
}

Result<void> loadMeasurement(const SessionStore& store, DocumentId document,
                             std::optional<SavedMeasurement>& measurement)
{
    RETURN_IF_ERROR(store.database().first(
        "SELECT name, sizes FROM measurement WHERE document = ?",
        [&](const Statement& row) {
            measurement = SavedMeasurement{row.text(0), {}, integersOf(row.text(1))};
        },
        document));
    if (!measurement)
        return {};
    return store.blob(document, kMeasurementBlob).map([&](std::string content) {
        measurement->content = std::move(content);
    });
}

/// A blob that may be missing.
Result<std::optional<std::string>> blobOf(const SessionStore& store, DocumentId document,
                                          std::string_view name)
{
    std::optional<std::string> content;
    ASSIGN_OR_RETURN([[maybe_unused]] const bool isThere,
                     store.database().first(
                         "SELECT bytes FROM blob WHERE document = ? AND name = ?",
                         [&](const Statement& row) { content = row.text(0); }, document, name));
    return content;
}

/// A line with the sizes, then what compare::writeStepTimes() wrote.
std::optional<SavedTimes> timesOf(const std::optional<std::string>& blob)
{
    if (!blob)
        return std::nullopt;
    const std::size_t line = std::min(blob->find('\n'), blob->size());
    return SavedTimes{blob->substr(std::min(line + 1, blob->size())),
                      integersOf(blob->substr(0, line))};
}

} // namespace

Result<SavedPlan> loadPlan(const SessionStore& store, DocumentId document)
{
    SavedPlan plan;
    const auto take = [&](const Statement& row) {
        plan.problem = {row.text(0),
                        row.integer(1),
                        static_cast<int>(row.integer(2)),
                        row.text(3),
                        optionsOf(row.text(4)),
                        row.integer(5),
                        integersOf(row.text(6)),
                        textsOf(row.text(7)),
                        row.text(8)};
    };
    ASSIGN_OR_RETURN(
        const bool there,
        store.database().first(
            "SELECT device, reserve_bytes, rounding, planner, options, budget_bytes, sizes, pins, "
            "data_parallel FROM problem WHERE document = ?",
            take, document));
    if (!there)
        return base::failure(base::ErrorKind::File,
                             fmt::format("{}: the session is damaged, the settings of a graph are "
                                         "missing; open the graph file instead.",
                                         base::printable(store.path().string())));
    RETURN_IF_ERROR(store.database().each(
        "SELECT id, name, budget_bytes, planner, status, peak_bytes, step_time_ns, plan, sizes "
        "FROM run WHERE document = ? ORDER BY id",
        [&](const Statement& row) { plan.runs.push_back(runOf(row)); }, document));
    RETURN_IF_ERROR(loadMeasurement(store, document, plan.measurement));
    ASSIGN_OR_RETURN(const std::optional<std::string> frontier,
                     blobOf(store, document, kFrontierBlob));
    plan.frontier = frontier.value_or(std::string{});
    ASSIGN_OR_RETURN(const std::optional<std::string> times, blobOf(store, document, kTimesBlob));
    plan.times = timesOf(times);
    return plan;
}

Result<void> savePlan(SessionStore& store, DocumentId document, const SavedPlan& plan)
{
    return store.transaction([&](SessionStore& open) -> Result<void> {
        RETURN_IF_ERROR(saveProblem(open, document, plan.problem));
        for (const SavedRun& run : plan.runs)
            RETURN_IF_ERROR(saveRun(open, document, run));
        if (!plan.frontier.empty())
            RETURN_IF_ERROR(saveFrontier(open, document, plan.frontier));
        RETURN_IF_ERROR(saveTimes(open, document, plan.times));
        return saveMeasurement(open, document, plan.measurement);
    });
}

Result<void> saveFrontier(SessionStore& store, DocumentId document, const std::string& frontier)
{
    return store.saveBlob(document, kFrontierBlob, frontier);
}

Result<void> saveProblem(SessionStore& store, DocumentId document, const SavedProblem& problem)
{
    return store.execute("INSERT OR REPLACE INTO problem VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                         document, problem.device, problem.reserveBytes,
                         std::int64_t{problem.rounding}, problem.planner, textOf(problem.options),
                         problem.budgetBytes, textOf(problem.sizes), textOf(problem.pins),
                         problem.dataParallel);
}

Result<void> saveRun(SessionStore& store, DocumentId document, const SavedRun& run)
{
    return store.execute("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                         document, run.id, run.name, run.budgetBytes, run.planner, run.status,
                         run.peakBytes, run.stepTimeNs, run.plan, textOf(run.sizes));
}

Result<void> removeRun(SessionStore& store, DocumentId document, std::int64_t id)
{
    return store.execute("DELETE FROM run WHERE document = ? AND id = ?", document, id);
}

Result<void> saveMeasurement(SessionStore& store, DocumentId document,
                             const std::optional<SavedMeasurement>& measurement)
{
    return store.transaction([&](SessionStore& open) -> Result<void> {
        if (!measurement) {
            RETURN_IF_ERROR(open.removeBlob(document, kMeasurementBlob));
            return open.execute("DELETE FROM measurement WHERE document = ?", document);
        }
        RETURN_IF_ERROR(open.saveBlob(document, kMeasurementBlob, measurement->content));
        return open.execute("INSERT OR REPLACE INTO measurement VALUES (?, ?, ?)", document,
                            measurement->name, textOf(measurement->sizes));
    });
}

Result<void> saveTimes(SessionStore& store, DocumentId document,
                       const std::optional<SavedTimes>& times)
{
    if (!times)
        return store.removeBlob(document, kTimesBlob);
    return store.saveBlob(document, kTimesBlob, textOf(times->sizes) + '\n' + times->content);
}

} // namespace plimsoll::session
