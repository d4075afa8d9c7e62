// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_store.h"

#include "core/base/format.h"
#include "core/io/byte_source.h"
#include "core/session/migrations.h"
#include "core/session/replacement.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <system_error>
#include <utility>

namespace plimsoll::session {

namespace {

using base::Result;

/// Runs one statement that returns no rows, its parameters filled in by `bind(Statement&)`.
template <typename Bind>
Result<void> execute(Database& database, std::string_view sql, Bind bind)
{
    Result<Statement> statement = database.prepare(sql);
    if (!statement)
        return tl::unexpected{statement.error()};
    bind(*statement);
    return statement->step().map([](bool /*no row*/) {});
}

Result<void> putGraph(Database& database, const SavedGraph& graph)
{
    return execute(database, "INSERT OR REPLACE INTO graph VALUES (1, ?, ?, ?, ?)",
                   [&](Statement& insert) {
                       insert.bind(0, graph.name)
                           .bind(1, graph.sourcePath)
                           .bind(2, graph.contentHash)
                           .bindBlob(3, graph.content);
                   });
}

std::string textOf(const SavedOptions& options)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, value] : options)
        std::visit([&json, key = name](const auto& plain) { json[key] = plain; }, value);
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<void> putProblem(Database& database, const SavedProblem& problem)
{
    return execute(
        database, "INSERT OR REPLACE INTO problem VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [&](Statement& insert) {
            insert.bind(0, problem.device)
                .bind(1, problem.reserveBytes)
                .bind(2, std::int64_t{problem.rounding})
                .bind(3, problem.planner)
                .bind(4, textOf(problem.options))
                .bind(5, problem.budgetBytes)
                .bind(6, nlohmann::json(problem.sizes).dump())
                .bind(7, nlohmann::json(problem.pins)
                             .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
                .bind(8, problem.dataParallel);
        });
}

Result<std::int64_t> putRun(Database& database, const SavedRun& run)
{
    const Result<void> done =
        execute(database,
                "INSERT INTO run (name, budget_bytes, planner, status, peak_bytes, step_time_ns, "
                "plan, sizes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [&](Statement& insert) {
                    insert.bind(0, run.name)
                        .bind(1, run.budgetBytes)
                        .bind(2, run.planner)
                        .bind(3, run.status)
                        .bind(4, run.peakBytes)
                        .bind(5, run.stepTimeNs)
                        .bind(7, nlohmann::json(run.sizes).dump());
                    if (run.plan)
                        insert.bind(6, *run.plan);
                    else
                        insert.bindNull(6);
                });
    if (!done)
        return tl::unexpected{done.error()};
    return database.value("SELECT last_insert_rowid()");
}

Result<void> putMeasurement(Database& database, const std::optional<SavedMeasurement>& measurement)
{
    if (!measurement)
        return database.run("DELETE FROM measurement");
    return execute(database, "INSERT OR REPLACE INTO measurement VALUES (1, ?, ?, ?)",
                   [&](Statement& insert) {
                       insert.bind(0, measurement->name)
                           .bindBlob(1, measurement->content)
                           .bind(2, nlohmann::json(measurement->sizes).dump());
                   });
}

Result<void> putView(Database& database, const std::string& state)
{
    return execute(database, "INSERT OR REPLACE INTO view VALUES (1, ?)",
                   [&](Statement& insert) { insert.bind(0, state); });
}

/// Runs `work` in a transaction; its value is returned once it is on the disk.
template <typename Work>
auto inTransaction(Database& database, Work work) -> decltype(work())
{
    Result<Transaction> transaction = Transaction::begin(database);
    if (!transaction)
        return tl::unexpected{transaction.error()};
    if (database.isGone())
        return base::failure(
            base::ErrorKind::File,
            fmt::format("{}: the session file was deleted, moved or replaced since it was opened; "
                        "save the session under a new name.",
                        base::printable(database.path().string())));
    auto done = work();
    if (!done)
        return done;
    if (const Result<void> committed = transaction->commit(); !committed)
        return tl::unexpected{committed.error()};
    return done;
}

Result<void> prepareConnection(Database& database)
{
    return database.run(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
}

/// Writes the whole session into a file that isn't there yet.
Result<void> fill(const std::filesystem::path& file, const std::filesystem::path& name,
                  const SavedSession& session)
{
    Result<Database> database = Database::open(file, Database::Mode::Create, name);
    if (!database)
        return tl::unexpected{database.error()};
    if (Result<void> safe = database->run("PRAGMA synchronous = FULL"); !safe)
        return safe;
    if (Result<void> migrated = migrate(*database); !migrated)
        return migrated;
    return inTransaction(*database, [&]() -> Result<void> {
        if (Result<void> done = putGraph(*database, session.graph); !done)
            return done;
        if (Result<void> done = putProblem(*database, session.problem); !done)
            return done;
        for (const SavedRun& run : session.runs)
            if (const Result<std::int64_t> done = putRun(*database, run); !done)
                return tl::unexpected{done.error()};
        if (Result<void> done = putMeasurement(*database, session.measurement); !done)
            return done;
        return putView(*database, session.view);
    });
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

Result<std::optional<SavedMeasurement>> loadMeasurement(const Database& database)
{
    Result<Statement> one = database.prepare("SELECT name, content, sizes FROM measurement");
    if (!one)
        return tl::unexpected{one.error()};
    const Result<bool> there = one->step();
    if (!there)
        return tl::unexpected{there.error()};
    if (!*there)
        return std::nullopt;
    return SavedMeasurement{one->text(0), one->text(1), integersOf(one->text(2))};
}

} // namespace

SessionStore::SessionStore(Database database) : m_database{std::move(database)} {}

Result<SessionStore> SessionStore::create(const std::filesystem::path& path,
                                          const SavedSession& session)
{
    Result<Replacement> replacement = Replacement::begin(path);
    if (!replacement)
        return tl::unexpected{replacement.error()};
    if (const Result<void> filled = fill(replacement->path(), path, session); !filled)
        return tl::unexpected{filled.error()};
    if (const Result<void> placed = replacement->takePlace(); !placed)
        return tl::unexpected{placed.error()};
    return open(path);
}

Result<SessionStore> SessionStore::open(const std::filesystem::path& path)
{
    // A session is not opened just to look: closing it again would drop the locks on an open one.
    if (!looksLikeSession(path))
        if (const Result<void> there = io::checkReadable(path); !there)
            return tl::unexpected{there.error()};
    Result<Database> database = Database::open(path, Database::Mode::OpenExisting);
    if (!database)
        return tl::unexpected{database.error()};
    const Result<std::int64_t> tables = database->value("SELECT count(*) FROM sqlite_master");
    if (!tables)
        return tl::unexpected{tables.error()};
    if (*tables == 0)
        return base::failure(base::ErrorKind::File,
                             fmt::format("{}: an empty database, not a Plimsoll session.",
                                         base::printable(path.string())));
    for (const auto step : {&migrate, &prepareConnection})
        if (const Result<void> done = step(*database); !done)
            return tl::unexpected{done.error()};
    // The first reading under the log takes the lock by which others see that the session is open.
    if (const Result<std::int64_t> read = database->value("PRAGMA user_version"); !read)
        return tl::unexpected{read.error()};
    return SessionStore{*std::move(database)};
}

Result<SavedSession> SessionStore::load() const
{
    SavedSession session;
    Result<Statement> one =
        m_database.prepare("SELECT name, source_path, content_hash, content, device, "
                           "reserve_bytes, rounding, planner, options, budget_bytes, state, sizes, "
                           "pins, data_parallel "
                           "FROM graph, problem, view");
    if (!one)
        return tl::unexpected{one.error()};
    const Result<bool> there = one->step();
    if (!there)
        return tl::unexpected{there.error()};
    if (!*there)
        return base::failure(
            base::ErrorKind::File,
            fmt::format("{}: the session holds no graph; open the graph file instead.",
                        base::printable(path().string())));
    session.graph = {one->text(0), one->text(1), one->text(2), one->text(3)};
    session.problem = {one->text(4),
                       one->integer(5),
                       static_cast<int>(one->integer(6)),
                       one->text(7),
                       optionsOf(one->text(8)),
                       one->integer(9),
                       integersOf(one->text(11)),
                       textsOf(one->text(12)),
                       one->text(13)};
    session.view = one->text(10);
    Result<std::optional<SavedMeasurement>> measurement = loadMeasurement(m_database);
    if (!measurement)
        return tl::unexpected{measurement.error()};
    session.measurement = *std::move(measurement);
    Result<Statement> runs =
        m_database.prepare("SELECT id, name, budget_bytes, planner, status, peak_bytes, "
                           "step_time_ns, plan, sizes FROM run ORDER BY id");
    if (!runs)
        return tl::unexpected{runs.error()};
    while (true) {
        const Result<bool> row = runs->step();
        if (!row)
            return tl::unexpected{row.error()};
        if (!*row)
            return session;
        session.runs.push_back(runOf(*runs));
    }
}

Result<std::string> SessionStore::graphHash() const
{
    Result<Statement> one = m_database.prepare("SELECT content_hash FROM graph");
    if (!one)
        return tl::unexpected{one.error()};
    const Result<bool> there = one->step();
    if (!there)
        return tl::unexpected{there.error()};
    return *there ? one->text(0) : std::string{};
}

Result<void> SessionStore::saveProblem(const SavedProblem& problem)
{
    return inTransaction(m_database, [&] { return putProblem(m_database, problem); });
}

Result<std::int64_t> SessionStore::addRun(const SavedRun& run)
{
    return inTransaction(m_database, [&] { return putRun(m_database, run); });
}

Result<void> SessionStore::renameRun(std::int64_t id, const std::string& name)
{
    return inTransaction(m_database, [&] {
        return execute(m_database, "UPDATE run SET name = ? WHERE id = ?",
                       [&](Statement& update) { update.bind(0, name).bind(1, id); });
    });
}

Result<void> SessionStore::removeRun(std::int64_t id)
{
    return inTransaction(m_database, [&] {
        return execute(m_database, "DELETE FROM run WHERE id = ?",
                       [&](Statement& remove) { remove.bind(0, id); });
    });
}

Result<void> SessionStore::saveMeasurement(const std::optional<SavedMeasurement>& measurement)
{
    return inTransaction(m_database, [&] { return putMeasurement(m_database, measurement); });
}

Result<void> SessionStore::saveView(const std::string& state)
{
    return inTransaction(m_database, [&] { return putView(m_database, state); });
}

Result<void> SessionStore::compact()
{
    return m_database.run("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
}

} // namespace plimsoll::session
