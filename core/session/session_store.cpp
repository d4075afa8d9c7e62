// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_store.h"

#include "core/base/format.h"
#include "core/io/byte_source.h"
#include "core/session/migrations.h"
#include "core/session/replacement.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace plimsoll::session {

namespace {

using base::Result;

Result<void> prepareConnection(Database& database)
{
    return database.run(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
}

/// A database that isn't there yet, ready to be filled.
Result<Database> newDatabase(const std::filesystem::path& file, const std::filesystem::path& name)
{
    Result<Database> database = Database::open(file, Database::Mode::Create, name);
    if (!database)
        return database;
    if (const Result<void> safe = database->run("PRAGMA synchronous = FULL"); !safe)
        return tl::unexpected{safe.error()};
    if (const Result<void> migrated = migrate(*database); !migrated)
        return tl::unexpected{migrated.error()};
    return database;
}

/// The text in the first column of the only row; none: there is no row.
Result<std::optional<std::string>> textOf(Result<Statement> row)
{
    if (!row)
        return tl::unexpected{row.error()};
    return row->step().map(
        [&](bool there) { return there ? std::optional{row->text(0)} : std::nullopt; });
}

} // namespace

SessionStore::SessionStore(Database database) : m_database{std::move(database)} {}

Result<SessionStore> SessionStore::create(const std::filesystem::path& path, const Work& fill)
{
    Result<Replacement> replacement = Replacement::begin(path);
    if (!replacement)
        return tl::unexpected{replacement.error()};
    {
        Result<Database> database = newDatabase(replacement->path(), path);
        if (!database)
            return tl::unexpected{database.error()};
        SessionStore fresh{*std::move(database)};
        if (const Result<void> filled = fresh.transaction(fill); !filled)
            return tl::unexpected{filled.error()};
    }
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
    database->watchLog();
    return SessionStore{*std::move(database)};
}

Result<void> SessionStore::transaction(const Work& work)
{
    if (m_database.isInTransaction())
        return work(*this);
    Result<Transaction> transaction = Transaction::begin(m_database);
    if (!transaction)
        return tl::unexpected{transaction.error()};
    if (m_database.isGone())
        return base::failure(
            base::ErrorKind::File,
            fmt::format("{}: the session file was deleted, moved or replaced since it was opened; "
                        "save the session under a new name.",
                        base::printable(path().string())));
    if (Result<void> done = work(*this); !done)
        return done;
    return transaction->commit();
}

Result<std::vector<SavedDocument>> SessionStore::documents() const
{
    Result<Statement> rows = m_database.prepare(
        "SELECT id, kind, name, source_path, content_hash, state, view FROM document ORDER BY id");
    if (!rows)
        return tl::unexpected{rows.error()};
    std::vector<SavedDocument> documents;
    while (true) {
        const Result<bool> row = rows->step();
        if (!row)
            return tl::unexpected{row.error()};
        if (!*row)
            return documents;
        documents.push_back({DocumentId{rows->integer(0)}, rows->text(1), rows->text(2),
                             rows->text(3), rows->text(4), rows->text(5), rows->text(6)});
    }
}

Result<std::string> SessionStore::contentHash(DocumentId document) const
{
    Result<Statement> row = m_database.prepare("SELECT content_hash FROM document WHERE id = ?");
    if (row)
        row->bind(0, document);
    return textOf(std::move(row)).map([](const std::optional<std::string>& hash) {
        return hash.value_or(std::string{});
    });
}

Result<DocumentId> SessionStore::addDocument(const SavedDocument& document)
{
    DocumentId id{};
    const Result<void> done = transaction([&](SessionStore&) -> Result<void> {
        const Result<void> added = m_database.execute(
            "INSERT INTO document (kind, name, source_path, content_hash, state, view) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [&](Statement& insert) {
                insert.bind(0, document.kind)
                    .bind(1, document.name)
                    .bind(2, document.sourcePath)
                    .bind(3, document.contentHash)
                    .bind(4, document.state)
                    .bind(5, document.view);
            });
        if (!added)
            return added;
        return m_database.value("SELECT last_insert_rowid()").map([&](std::int64_t row) {
            id = DocumentId{row};
        });
    });
    if (!done)
        return tl::unexpected{done.error()};
    return id;
}

Result<void> SessionStore::removeDocument(DocumentId document)
{
    return execute("DELETE FROM document WHERE id = ?",
                   [&](Statement& remove) { remove.bind(0, document); });
}

Result<void> SessionStore::saveState(DocumentId document, const std::string& state)
{
    return execute("UPDATE document SET state = ? WHERE id = ?",
                   [&](Statement& update) { update.bind(0, state).bind(1, document); });
}

Result<void> SessionStore::saveView(DocumentId document, const std::string& view)
{
    return execute("UPDATE document SET view = ? WHERE id = ?",
                   [&](Statement& update) { update.bind(0, view).bind(1, document); });
}

Result<std::string> SessionStore::blob(DocumentId document, std::string_view name) const
{
    Result<Statement> row =
        m_database.prepare("SELECT bytes FROM blob WHERE document = ? AND name = ?");
    if (row)
        row->bind(0, document).bind(1, name);
    Result<std::optional<std::string>> bytes = textOf(std::move(row));
    if (!bytes)
        return tl::unexpected{bytes.error()};
    if (!*bytes)
        return base::failure(base::ErrorKind::File,
                             fmt::format("{}: the session is damaged, the {} of a document is "
                                         "missing; open the file it was made of instead.",
                                         base::printable(path().string()), name));
    return **std::move(bytes);
}

Result<void> SessionStore::saveBlob(DocumentId document, std::string_view name,
                                    std::string_view bytes)
{
    return execute("INSERT OR REPLACE INTO blob VALUES (?, ?, ?)", [&](Statement& insert) {
        insert.bind(0, document).bind(1, name).bindBlob(2, bytes);
    });
}

Result<void> SessionStore::removeBlob(DocumentId document, std::string_view name)
{
    return execute("DELETE FROM blob WHERE document = ? AND name = ?",
                   [&](Statement& remove) { remove.bind(0, document).bind(1, name); });
}

Result<void> SessionStore::compact()
{
    return m_database.run("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
}

} // namespace plimsoll::session
