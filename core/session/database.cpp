// SPDX-License-Identifier: Apache-2.0
#include "core/session/database.h"

#include "core/base/format.h"
#include "core/base/prefault.h"
#include "core/base/try.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <sys/stat.h>
#include <system_error>

namespace plimsoll::session {

namespace {

/// The inode of the file at a path; 0 if there is none.
std::uint64_t inodeOf(const std::string& path)
{
    struct stat found = {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}

} // namespace

Statement::Statement(const Database& database, sqlite3_stmt* statement)
    : m_database{&database}, m_statement{statement}
{
}

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const
{
    sqlite3_finalize(statement);
}

void Statement::bind(std::int64_t value)
{
    sqlite3_bind_int64(m_statement.get(), ++m_bound, value);
}

void Statement::bind(std::string_view text)
{
    sqlite3_bind_text64(m_statement.get(), ++m_bound, text.data(), text.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
}

void Statement::bind(Blob blob)
{
    sqlite3_bind_blob64(m_statement.get(), ++m_bound, blob.bytes.data(), blob.bytes.size(),
                        SQLITE_TRANSIENT);
}

base::Result<bool> Statement::step()
{
    switch (sqlite3_step(m_statement.get())) {
    case SQLITE_ROW: return true;
    case SQLITE_DONE: return false;
    default: return m_database->lastFailure();
    }
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement.get(), column);
}

std::optional<std::int64_t> Statement::optionalInteger(int column) const
{
    return isNull(column) ? std::nullopt : std::optional{integer(column)};
}

std::string Statement::text(int column) const
{
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(m_statement.get(), column));
    const int count = sqlite3_column_bytes(m_statement.get(), column);
    return bytes == nullptr ? std::string{} : std::string(bytes, static_cast<std::size_t>(count));
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL;
}

Database::Closer::Closer() : inode{0} {}

bool Database::Closer::isLogGone() const
{
    return !log.empty() && inodeOf(log) != inode;
}

void Database::Closer::operator()(sqlite3* connection) const
{
    // If the log was removed, whoever removed it has already written its content to the file.
    if (isLogGone())
        sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_close_v2(connection);
}

base::Result<Database> Database::open(const std::filesystem::path& path, Mode mode,
                                      const std::filesystem::path& name)
{
    constexpr int kBusyMilliseconds = 3000;
    sqlite3* connection = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | (mode == Mode::Create ? SQLITE_OPEN_CREATE : 0);
    const int code = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
    Database database;
    database.m_path = name.empty() ? path : name;
    database.m_connection.reset(connection);
    if (code != SQLITE_OK)
        return database.lastFailure();
    sqlite3_busy_timeout(connection, kBusyMilliseconds);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    return database;
}

base::Result<void> Database::run(const std::string& sql)
{
    if (sqlite3_exec(m_connection.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return lastFailure();
    return {};
}

base::Result<Statement> Database::compile(std::string_view sql) const
{
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(m_connection.get(), sql.data(), static_cast<int>(sql.size()), &statement,
                           nullptr)
        != SQLITE_OK)
        return lastFailure();
    return Statement{*this, statement};
}

base::Result<std::string> Database::blob(const char* table, const char* column,
                                         std::int64_t row) const
{
    sqlite3_blob* opened = nullptr;
    const int code = sqlite3_blob_open(m_connection.get(), "main", table, column, row, 0, &opened);
    const std::unique_ptr<sqlite3_blob, int (*)(sqlite3_blob*)> blob{opened, &sqlite3_blob_close};
    if (code != SQLITE_OK)
        return lastFailure();
    const auto size = static_cast<std::size_t>(sqlite3_blob_bytes(opened));
    std::string bytes;
    bytes.reserve(size);
    while (bytes.size() < size) {
        const std::size_t at = bytes.size();
        const std::size_t piece = std::min(base::kPrefaultedPiece, size - at);
        base::prefault(bytes.data() + at, piece);
        bytes.resize(at + piece);
        if (sqlite3_blob_read(opened, bytes.data() + at, static_cast<int>(piece),
                              static_cast<int>(at))
            != SQLITE_OK)
            return lastFailure();
    }
    return bytes;
}

base::Result<std::int64_t> Database::value(std::string_view sql) const
{
    std::int64_t found = 0;
    return first(sql, [&](const Statement& row) { found = row.integer(0); }).map([&](bool /*is*/) {
        return found;
    });
}

base::Result<void> Database::transaction(const std::function<base::Result<void>()>& work)
{
    if (isInTransaction())
        return work();
    RETURN_IF_ERROR(run("BEGIN IMMEDIATE"));
    struct Rollback // rolls back unless committed, also if `work` throws
    {
        ~Rollback()
        {
            // A failure can be ignored: SQLite rolls back when the file is next opened.
            if (database.isInTransaction())
                (void)database.run("ROLLBACK");
        }
        Database& database;
    } const rollback{*this};
    RETURN_IF_ERROR(work());
    return run("COMMIT");
}

bool Database::isInTransaction() const
{
    return sqlite3_get_autocommit(m_connection.get()) == 0;
}

bool Database::isBusy() const
{
    const int code = m_connection ? sqlite3_errcode(m_connection.get()) : SQLITE_NOMEM;
    return code == SQLITE_BUSY || code == SQLITE_LOCKED;
}

bool Database::isGone() const
{
    int moved = 0;
    return sqlite3_file_control(m_connection.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved)
               == SQLITE_OK
           && moved != 0;
}

void Database::watchLog()
{
    Closer& closer = m_connection.get_deleter();
    closer.log = std::string{sqlite3_db_filename(m_connection.get(), "main")} + "-wal";
    closer.inode = inodeOf(closer.log);
}

bool Database::isLogGone() const
{
    return m_connection.get_deleter().isLogGone();
}

tl::unexpected<base::Error> Database::lastFailure() const
{
    const int code = m_connection ? sqlite3_errcode(m_connection.get()) : SQLITE_NOMEM;
    const std::string name = base::printable(m_path.string());
    switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return base::failure(
            base::ErrorKind::File,
            fmt::format(
                "{}: another program is writing this session; close it there and try again.",
                name));
    case SQLITE_FULL:
        return base::failure(
            base::ErrorKind::File,
            fmt::format("{}: the disk is full; free some space and save again.", name));
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_ERROR: // a table or column is missing
        return base::failure(
            base::ErrorKind::File,
            fmt::format("{}: not a Plimsoll session, or damaged; open the graph file instead.",
                        name));
    default:
        return base::failure(
            base::ErrorKind::File,
            fmt::format(
                "{}: the session can't be read or written ({}); check the folder's permissions.",
                name, m_connection ? sqlite3_errmsg(m_connection.get()) : "out of memory"));
    }
}

bool looksLikeSession(const std::filesystem::path& path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        return false;
    constexpr std::string_view kMagic{"SQLite format 3\0", 16};
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> connection{opened, &sqlite3_close_v2};
    sqlite3_file* file = nullptr;
    if (code != SQLITE_OK
        || sqlite3_file_control(opened, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK
        || file == nullptr || file->pMethods == nullptr)
        return false;
    constexpr std::size_t kMarkAt = 68; // the application id, big-endian
    std::array<char, kMarkAt + 4> head{};
    const int read = file->pMethods->xRead(file, head.data(), static_cast<int>(head.size()), 0);
    if (read != SQLITE_OK && read != SQLITE_IOERR_SHORT_READ)
        return false;
    std::int64_t application = 0;
    for (std::size_t i = kMarkAt; i < head.size(); ++i)
        application = application << 8 | static_cast<unsigned char>(head.at(i));
    return std::string_view{head.data(), head.size()}.starts_with(kMagic)
           && (application == kApplicationId || application == 0);
}

} // namespace plimsoll::session
