// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys/database.h"

#include "core/base/format.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <system_error>
#include <utility>

namespace plimsoll::readers::nsys {

namespace {

constexpr std::size_t kHeadBytes = 100;
constexpr int kLongestText = 16 << 20;
constexpr int kInstructionsBetweenLooks = 20'000;

struct Finalizer
{
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;

Statement prepared(sqlite3* connection, std::string_view sql)
{
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    return Statement{statement};
}

void bindText(sqlite3_stmt* statement, int index, std::string_view text)
{
    sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

std::uint64_t bigEndian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (const char byte : bytes)
        value = value << 8U | static_cast<unsigned char>(byte);
    return value;
}

/// Whether the head tells of more pages than there are. SQLite would notice only where it needs
/// one.
bool isCut(std::string_view bytes)
{
    if (bytes.size() < kHeadBytes)
        return true;
    const auto number = [bytes](std::size_t at, std::size_t size) {
        return bigEndian(bytes.substr(at, size));
    };
    constexpr std::size_t kPageSize = 16;
    constexpr std::size_t kChanges = 24;
    constexpr std::size_t kPages = 28;
    constexpr std::size_t kPagesAreOf = 92; ///< the number of changes when they were counted
    const std::uint64_t pageSize = number(kPageSize, 2) == 1 ? 65'536 : number(kPageSize, 2);
    return number(kChanges, 4) == number(kPagesAreOf, 4)
           && pageSize * number(kPages, 4) > bytes.size();
}

/// Nothing but what queries of tables need.
void harden(sqlite3* connection)
{
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kLongestText);
    sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_exec(connection, "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;", nullptr,
                 nullptr, nullptr);
}

} // namespace

std::optional<std::int64_t> Row::integer(int column) const
{
    if (sqlite3_column_type(m_statement, column) != SQLITE_INTEGER)
        return std::nullopt;
    return sqlite3_column_int64(m_statement, column);
}

bool Row::isText(int column) const
{
    return sqlite3_column_type(m_statement, column) == SQLITE_TEXT;
}

std::string_view Row::text(int column) const
{
    if (!isText(column))
        return {};
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    const int size = sqlite3_column_bytes(m_statement, column);
    return bytes == nullptr ? std::string_view{}
                            : std::string_view{bytes, static_cast<std::size_t>(size)};
}

void Database::Closer::operator()(sqlite3* connection) const
{
    sqlite3_close_v2(connection);
}

base::Result<Database> Database::open(std::string_view bytes, const base::JobContext& context)
{
    if (isCut(bytes))
        return base::failure(base::ErrorKind::File,
                             fmt::format("ends at byte {} before its last page: it was cut off; "
                                         "copy or export it again",
                                         bytes.size()));
    Database database;
    database.m_stop = std::make_unique<Stop>(Stop{context});
    database.m_mostRows = bytes.size() / 2; // a row takes more
    sqlite3* connection = nullptr;
    const int code = sqlite3_open_v2(":memory:", &connection,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    database.m_connection.reset(connection);
    if (code != SQLITE_OK)
        return database.failure();
    harden(connection);
    // SQLite doesn't write to a database of this kind.
    auto* content =
        reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data())); // NOLINT(*-const-cast)
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    if (sqlite3_deserialize(connection, "main", content, size, size, SQLITE_DESERIALIZE_READONLY)
        != SQLITE_OK)
        return database.failure();
    sqlite3_progress_handler(
        connection, kInstructionsBetweenLooks,
        [](void* stop) { return static_cast<Stop*>(stop)->context.stopRequested() ? 1 : 0; },
        database.m_stop.get());
    const Statement first = prepared(connection, "SELECT count(*) FROM sqlite_master");
    if (first == nullptr || sqlite3_step(first.get()) != SQLITE_ROW)
        return database.failure();
    return database;
}

tl::unexpected<base::Error> Database::failure() const
{
    const int code = m_connection ? sqlite3_errcode(m_connection.get()) : SQLITE_NOMEM;
    if (code == SQLITE_INTERRUPT || m_stop->context.stopRequested())
        return base::cancelled();
    return base::failure(base::ErrorKind::File,
                         fmt::format("is damaged ({}); export it again",
                                     m_connection
                                         ? base::printable(sqlite3_errmsg(m_connection.get()))
                                         : std::string{"out of memory"}));
}

bool Database::exists(const char* sql, std::string_view first, std::string_view second) const
{
    const Statement statement = prepared(m_connection.get(), sql);
    if (statement == nullptr)
        return false;
    bindText(statement.get(), 1, first);
    if (!second.empty())
        bindText(statement.get(), 2, second);
    return sqlite3_step(statement.get()) == SQLITE_ROW;
}

bool Database::hasTable(std::string_view table) const
{
    return exists("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? "
                  "AND sql NOT LIKE '%VIRTUAL%'",
                  table, {});
}

bool Database::hasColumn(std::string_view table, std::string_view column) const
{
    return exists("SELECT 1 FROM pragma_table_info(?) WHERE name = ?", table, column);
}

std::string Database::columns(std::string_view table,
                              std::initializer_list<std::string_view> names) const
{
    std::string list;
    for (const std::string_view name : names) {
        list += list.empty() ? "" : ", ";
        list += hasColumn(table, name) ? fmt::format("t.\"{}\"", name) : "NULL";
    }
    return list;
}

base::Result<void> Database::each(const std::string& sql,
                                  const std::function<base::Result<void>(const Row&)>& take)
{
    const Statement statement = prepared(m_connection.get(), sql);
    if (statement == nullptr)
        return failure();
    const Row row{statement.get()};
    for (std::size_t rows = 0;; ++rows) {
        const int code = sqlite3_step(statement.get());
        if (code == SQLITE_DONE)
            return {};
        if (code != SQLITE_ROW)
            return failure();
        if (rows > m_mostRows)
            return base::failure(base::ErrorKind::File,
                                 "has more rows than fit into it: it is damaged; export it again");
        if (auto taken = take(row); !taken)
            return taken;
    }
}

std::string databaseHead(const std::filesystem::path& path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        return {};
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> connection{opened, &sqlite3_close_v2};
    sqlite3_file* file = nullptr;
    if (code != SQLITE_OK
        || sqlite3_file_control(opened, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK
        || file == nullptr || file->pMethods == nullptr)
        return {};
    std::string head(kHeadBytes, '\0');
    return file->pMethods->xRead(file, head.data(), static_cast<int>(head.size()), 0) == SQLITE_OK
               ? head
               : std::string{};
}

bool isUnmarkedDatabase(std::string_view head)
{
    constexpr std::string_view kMagic{"SQLite format 3", 16};
    constexpr std::size_t kApplicationId = 68;
    return head.size() >= kHeadBytes && head.starts_with(kMagic)
           && head.substr(kApplicationId, 4) == std::string_view{"\0\0\0\0", 4};
}

} // namespace plimsoll::readers::nsys
