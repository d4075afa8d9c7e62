// SPDX-License-Identifier: Apache-2.0
#include "core/session/plan_records.h"

#include "core/base/format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace plimsoll::session {

namespace {

using base::Result;

constexpr std::string_view kMeasurementBlob = "measurement";

std::string textOf(const SavedOptions& options)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, value] : options)
        std::visit([&json, key = name](const auto& plain) { json[key] = plain; }, value);
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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

/// The first row about a document goes to `take`; false: there is none.
template <typename Take>
Result<bool> firstRow(const SessionStore& store, DocumentId document, std::string_view sql,
                      Take take)
{
    Result<Statement> rows = store.database().prepare(sql);
    if (!rows)
        return tl::unexpected{rows.error()};
    rows->bind(0, document);
    const Result<bool> there = rows->step();
    if (there && *there)
        take(*rows);
    return there;
}

Result<void> loadRuns(const SessionStore& store, DocumentId document, std::vector<SavedRun>& runs)
{
    Result<Statement> rows =
        store.database().prepare("SELECT id, name, budget_bytes, planner, status, peak_bytes, "
                                 "step_time_ns, plan, sizes FROM run WHERE document = ? "
                                 "ORDER BY id");
    if (!rows)
        return tl::unexpected{rows.error()};
    rows->bind(0, document);
    while (true) {
        const Result<bool> row = rows->step();
        if (!row)
            return tl::unexpected{row.error()};
        if (!*row)
            return {};
        runs.push_back(runOf(*rows));
    }
}

Result<void> loadMeasurement(const SessionStore& store, DocumentId document,
                             std::optional<SavedMeasurement>& measurement)
{
    const Result<bool> there =
        firstRow(store, document, "SELECT name, sizes FROM measurement WHERE document = ?",
                 [&](const Statement& row) {
                     measurement = SavedMeasurement{row.text(0), {}, integersOf(row.text(1))};
                 });
    if (!there)
        return tl::unexpected{there.error()};
    if (!measurement)
        return {};
    Result<std::string> content = store.blob(document, kMeasurementBlob);
    if (!content)
        return tl::unexpected{content.error()};
    measurement->content = *std::move(content);
    return {};
}

} // namespace

Result<SavedPlan> loadPlan(const SessionStore& store, DocumentId document)
{
    SavedPlan plan;
    const Result<bool> there = firstRow(
        store, document,
        "SELECT device, reserve_bytes, rounding, planner, options, budget_bytes, sizes, pins, "
        "data_parallel FROM problem WHERE document = ?",
        [&](const Statement& row) {
            plan.problem = {row.text(0),
                            row.integer(1),
                            static_cast<int>(row.integer(2)),
                            row.text(3),
                            optionsOf(row.text(4)),
                            row.integer(5),
                            integersOf(row.text(6)),
                            textsOf(row.text(7)),
                            row.text(8)};
        });
    if (!there)
        return tl::unexpected{there.error()};
    if (!*there)
        return base::failure(base::ErrorKind::File,
                             fmt::format("{}: the session is damaged, the settings of a graph are "
                                         "missing; open the graph file instead.",
                                         base::printable(store.path().string())));
    if (Result<void> done = loadRuns(store, document, plan.runs); !done)
        return tl::unexpected{done.error()};
    if (Result<void> done = loadMeasurement(store, document, plan.measurement); !done)
        return tl::unexpected{done.error()};
    return plan;
}

Result<void> savePlan(SessionStore& store, DocumentId document, const SavedPlan& plan)
{
    return store.transaction([&](SessionStore& open) -> Result<void> {
        if (Result<void> done = saveProblem(open, document, plan.problem); !done)
            return done;
        for (const SavedRun& run : plan.runs)
            if (Result<void> done = saveRun(open, document, run); !done)
                return done;
        return saveMeasurement(open, document, plan.measurement);
    });
}

Result<void> saveProblem(SessionStore& store, DocumentId document, const SavedProblem& problem)
{
    return store.execute(
        "INSERT OR REPLACE INTO problem VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [&](Statement& insert) {
            insert.bind(0, document)
                .bind(1, problem.device)
                .bind(2, problem.reserveBytes)
                .bind(3, std::int64_t{problem.rounding})
                .bind(4, problem.planner)
                .bind(5, textOf(problem.options))
                .bind(6, problem.budgetBytes)
                .bind(7, nlohmann::json(problem.sizes).dump())
                .bind(8, nlohmann::json(problem.pins)
                             .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
                .bind(9, problem.dataParallel);
        });
}

Result<void> saveRun(SessionStore& store, DocumentId document, const SavedRun& run)
{
    return store.execute("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                         [&](Statement& insert) {
                             insert.bind(0, document)
                                 .bind(1, run.id)
                                 .bind(2, run.name)
                                 .bind(3, run.budgetBytes)
                                 .bind(4, run.planner)
                                 .bind(5, run.status)
                                 .bind(6, run.peakBytes)
                                 .bind(7, run.stepTimeNs)
                                 .bind(9, nlohmann::json(run.sizes).dump());
                             if (run.plan)
                                 insert.bind(8, *run.plan);
                             else
                                 insert.bindNull(8);
                         });
}

Result<void> removeRun(SessionStore& store, DocumentId document, std::int64_t id)
{
    return store.execute("DELETE FROM run WHERE document = ? AND id = ?",
                         [&](Statement& remove) { remove.bind(0, document).bind(1, id); });
}

Result<void> saveMeasurement(SessionStore& store, DocumentId document,
                             const std::optional<SavedMeasurement>& measurement)
{
    return store.transaction([&](SessionStore& open) -> Result<void> {
        if (!measurement) {
            if (Result<void> done = open.removeBlob(document, kMeasurementBlob); !done)
                return done;
            return open.execute("DELETE FROM measurement WHERE document = ?",
                                [&](Statement& remove) { remove.bind(0, document); });
        }
        if (Result<void> done = open.saveBlob(document, kMeasurementBlob, measurement->content);
            !done)
            return done;
        return open.execute("INSERT OR REPLACE INTO measurement VALUES (?, ?, ?)",
                            [&](Statement& insert) {
                                insert.bind(0, document)
                                    .bind(1, measurement->name)
                                    .bind(2, nlohmann::json(measurement->sizes).dump());
                            });
    });
}

} // namespace plimsoll::session
