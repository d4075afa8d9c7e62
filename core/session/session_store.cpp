// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_store.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/io/atomic_file.h"
#include "core/io/byte_source.h"
#include "core/session/migrations.h"

#include <fmt/format.h>

#include <cstdio>
#include <fcntl.h>
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

/// A new database, ready to be filled.
Result<Database> newDatabase(const std::filesystem::path& file, const std::filesystem::path& name)
{
    ASSIGN_OR_RETURN(Database database, Database::open(file, Database::Mode::Create, name));
    RETURN_IF_ERROR(database.run("PRAGMA synchronous = FULL"));
    RETURN_IF_ERROR(migrate(database));
    return database;
}

tl::unexpected<base::Error> isNoSession(const std::filesystem::path& path)
{
    return base::failure(
        base::ErrorKind::File,
        fmt::format("{}: a file that is not a session already exists there; choose another name.",
                    base::printable(path.string())));
}

/// Merges the old session's log into its file, which works only while no one has it open.
Result<void> makeWay(const std::filesystem::path& path)
{
    if (!looksLikeSession(path))
        return isNoSession(path);
    ASSIGN_OR_RETURN(Database old, Database::open(path, Database::Mode::OpenExisting));
    const auto inUse = [&] {
        return base::failure(
            base::ErrorKind::File,
            fmt::format("{}: this session is open in another tab or program; close it there, or "
                        "choose another name.",
                        base::printable(path.string())));
    };
    const Result<std::int64_t> application = old.value("PRAGMA application_id");
    if (!application)
        return old.isBusy() ? Result<void>{inUse()} : isNoSession(path);
    if (*application != kApplicationId)
        return isNoSession(path);
    if (const Result<void> folded = old.run("PRAGMA journal_mode = DELETE"); !folded)
        return old.isBusy() ? inUse() : folded;
    return {};
}

/// SQLite would take a log of that name for the new session's and apply its pages.
Result<void> refuseStrayLog(const std::filesystem::path& path)
{
    std::error_code error;
    for (const char* ending : {"-wal", "-shm", "-journal"}) {
        std::filesystem::path log = path;
        log += ending;
        if (std::filesystem::exists(log, error))
            return base::failure(
                base::ErrorKind::File,
                fmt::format("{} belongs to a session that was moved or deleted, and may hold its "
                            "latest changes; move that session back, delete {}, or choose another "
                            "name.",
                            base::printable(log.string()),
                            base::printable(log.filename().string())));
    }
    return {};
}

/// A new session file under a temporary name: it is filled beside the target and then replaces it
/// as a whole. Until then, and on any failure, the old file stays unchanged.
class Replacement
{
public:
    /// `target`: with all links resolved. `isThere`: an existing file is to be replaced.
    Replacement(std::filesystem::path target, bool isThere)
        : m_target{std::move(target)}, m_path{io::temporaryName(m_target)}, m_isThere{isThere}
    {
    }
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;
    Replacement(Replacement&&) = delete;
    Replacement& operator=(Replacement&&) = delete;
    /// Removes the new file unless it has replaced the target.
    ~Replacement()
    {
        std::error_code error;
        for (const char* ending : {"", "-journal"}) {
            std::filesystem::path file = m_path;
            file += ending;
            std::filesystem::remove(file, error);
        }
    }

    /// The path at which to write the new file; nothing exists there yet.
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Requires the new file to be closed.
    [[nodiscard]] Result<void> takePlace() const
    {
        std::error_code error;
        if (const auto old = std::filesystem::status(m_target, error); std::filesystem::exists(old))
            std::filesystem::permissions(m_path, old.permissions(), error);
        if (!m_isThere && giveName())
            return {};
        // A dangling link may be replaced.
        if (!m_isThere && std::filesystem::exists(m_target, error))
            return base::failure(base::ErrorKind::File,
                                 fmt::format("{} was made by another program just now; try again.",
                                             base::printable(m_target.string())));
        std::filesystem::rename(m_path, m_target, error);
        if (error)
            return base::failure(base::ErrorKind::File,
                                 fmt::format("{} can't be written ({}); what was there before is "
                                             "unchanged.",
                                             base::printable(m_target.string()), error.message()));
        return {};
    }

private:
    /// Renames without replacing a file created in the meantime; some file systems can't.
    [[nodiscard]] bool giveName() const
    {
        return ::renameat2(AT_FDCWD, m_path.c_str(), AT_FDCWD, m_target.c_str(), RENAME_NOREPLACE)
               == 0;
    }

    std::filesystem::path m_target;
    std::filesystem::path m_path;
    bool m_isThere;
};

} // namespace

SessionStore::SessionStore(Database database) : m_database{std::move(database)} {}

Result<SessionStore> SessionStore::create(const std::filesystem::path& path, const Work& fill)
{
    std::error_code error;
    const bool exists = std::filesystem::exists(path, error);
    RETURN_IF_ERROR(exists ? makeWay(path) : refuseStrayLog(path));
    // A link is never replaced, only its target.
    const std::filesystem::path real =
        exists ? std::filesystem::canonical(path, error) : std::filesystem::path{};
    const Replacement replacement{exists && !error ? real : path, exists};
    {
        ASSIGN_OR_RETURN(Database database, newDatabase(replacement.path(), path));
        SessionStore fresh{std::move(database)};
        RETURN_IF_ERROR(fresh.transaction(fill));
    }
    RETURN_IF_ERROR(replacement.takePlace());
    return open(path);
}

Result<SessionStore> SessionStore::open(const std::filesystem::path& path)
{
    // Don't open a session just to look at it: closing it would drop the locks of an open one.
    if (!looksLikeSession(path))
        RETURN_IF_ERROR(io::checkReadable(path));
    ASSIGN_OR_RETURN(Database database, Database::open(path, Database::Mode::OpenExisting));
    ASSIGN_OR_RETURN(const auto tables, database.value("SELECT count(*) FROM sqlite_master"));
    if (tables == 0)
        return base::failure(base::ErrorKind::File,
                             fmt::format("{}: an empty database, not a Plimsoll session.",
                                         base::printable(path.string())));
    for (const auto step : {&migrate, &prepareConnection})
        RETURN_IF_ERROR(step(database));
    // The first read in WAL mode takes the lock that shows others that the session is open.
    RETURN_IF_ERROR(database.value("PRAGMA user_version"));
    database.watchLog();
    return SessionStore{std::move(database)};
}

Result<void> SessionStore::transaction(const Work& work)
{
    return m_database.transaction([&]() -> Result<void> {
        if (m_database.isGone())
            return base::failure(
                base::ErrorKind::File,
                fmt::format("{}: the session file was deleted, moved or replaced since it was "
                            "opened; save the session under a new name.",
                            base::printable(path().string())));
        return work(*this);
    });
}

Result<std::vector<SavedDocument>> SessionStore::documents() const
{
    std::vector<SavedDocument> documents;
    RETURN_IF_ERROR(m_database.each(
        "SELECT id, kind, name, source_path, content_hash, state, view FROM document ORDER BY id",
        [&](const Statement& row) {
            documents.push_back({DocumentId{row.integer(0)}, row.text(1), row.text(2), row.text(3),
                                 row.text(4), row.text(5), row.text(6)});
        }));
    return documents;
}

Result<std::string> SessionStore::contentHash(DocumentId document) const
{
    std::string hash;
    const auto take = [&](const Statement& row) { hash = row.text(0); };
    RETURN_IF_ERROR(
        m_database.first("SELECT content_hash FROM document WHERE id = ?", take, document));
    return hash;
}

Result<DocumentId> SessionStore::addDocument(const SavedDocument& document)
{
    DocumentId id{};
    RETURN_IF_ERROR(transaction([&](SessionStore&) -> Result<void> {
        RETURN_IF_ERROR(m_database.execute(
            "INSERT INTO document (kind, name, source_path, content_hash, state, view) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            document.kind, document.name, document.sourcePath, document.contentHash, document.state,
            document.view));
        return m_database.value("SELECT last_insert_rowid()").map([&](std::int64_t row) {
            id = DocumentId{row};
        });
    }));
    return id;
}

Result<void> SessionStore::saveState(DocumentId document, const std::string& state)
{
    return execute("UPDATE document SET state = ? WHERE id = ?", state, document);
}

Result<void> SessionStore::saveView(DocumentId document, const std::string& view)
{
    return execute("UPDATE document SET view = ? WHERE id = ?", view, document);
}

Result<std::string> SessionStore::blob(DocumentId document, std::string_view name) const
{
    std::int64_t id = 0;
    const auto take = [&](const Statement& row) { id = row.integer(0); };
    ASSIGN_OR_RETURN(const bool there,
                     m_database.first("SELECT rowid FROM blob WHERE document = ? AND name = ?",
                                      take, document, name));
    if (!there)
        return base::failure(base::ErrorKind::File,
                             fmt::format("{}: the session is damaged, the {} of a document is "
                                         "missing; open the file it was made of instead.",
                                         base::printable(path().string()), name));
    return m_database.blob("blob", "bytes", id);
}

Result<std::int64_t> SessionStore::blobBytes(DocumentId document) const
{
    std::int64_t bytes = 0;
    const auto take = [&](const Statement& row) { bytes = row.integer(0); };
    ASSIGN_OR_RETURN(
        [[maybe_unused]] const bool there,
        m_database.first("SELECT coalesce(sum(length(bytes)), 0) FROM blob WHERE document = ?",
                         take, document));
    return bytes;
}

Result<void> SessionStore::saveBlob(DocumentId document, std::string_view name,
                                    std::string_view bytes)
{
    return execute("INSERT OR REPLACE INTO blob VALUES (?, ?, ?)", document, name, Blob{bytes});
}

Result<void> SessionStore::removeBlob(DocumentId document, std::string_view name)
{
    return execute("DELETE FROM blob WHERE document = ? AND name = ?", document, name);
}

Result<void> SessionStore::compact()
{
    return m_database.run("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
}

} // namespace plimsoll::session
