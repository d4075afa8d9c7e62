// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace plimsoll::session {

class Database;

/// Identifies a document in its session file; assigned by the store, rising.
enum class DocumentId : std::int64_t {};

/// Bytes for a column of type BLOB.
struct Blob
{
    std::string_view bytes;
};

/// A prepared statement with its values filled in; columns count from 0.
class Statement
{
public:
    /// True: there is a row; false: the statement is done.
    [[nodiscard]] base::Result<bool> step();
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::optional<std::int64_t> optionalInteger(int column) const;
    [[nodiscard]] std::string text(int column) const; ///< including blobs
    [[nodiscard]] bool isNull(int column) const;

private:
    friend class Database;
    struct Finalizer
    {
        void operator()(sqlite3_stmt* statement) const;
    };
    Statement(const Database& database, sqlite3_stmt* statement);
    // Values are bound in order.
    void bind(std::int64_t value);
    void bind(DocumentId document) { bind(static_cast<std::int64_t>(document)); }
    void bind(std::string_view text);
    void bind(Blob blob);
    template <typename Value>
    void bind(const std::optional<Value>& value)
    {
        if (value)
            bind(*value);
        else
            ++m_bound; // parameters without a bound value are NULL
    }

    const Database* m_database;
    std::unique_ptr<sqlite3_stmt, Finalizer> m_statement;
    int m_bound = 0;
};

/// One connection. Not shared between threads at the same time.
class Database
{
public:
    enum class Mode { OpenExisting, Create };

    /// `name`: what error messages call the file, if not its path.
    [[nodiscard]] static base::Result<Database> open(const std::filesystem::path& path, Mode mode,
                                                     const std::filesystem::path& name = {});

    [[nodiscard]] base::Result<void> run(const std::string& sql);
    /// A statement in which `values` stand for its question marks.
    template <typename... Values>
    [[nodiscard]] base::Result<Statement> prepare(std::string_view sql,
                                                  const Values&... values) const
    {
        return compile(sql).map([&](Statement statement) {
            (statement.bind(values), ...);
            return statement;
        });
    }
    /// Runs one statement that returns no rows.
    template <typename... Values>
    [[nodiscard]] base::Result<void> execute(std::string_view sql, const Values&... values)
    {
        return prepare(sql, values...)
            .and_then([](Statement statement) { return statement.step(); })
            .map([](bool /*no row*/) {});
    }
    /// Passes the first row to `take(const Statement&)`; false: there is none.
    template <typename Take, typename... Values>
    [[nodiscard]] base::Result<bool> first(std::string_view sql, Take take,
                                           const Values&... values) const
    {
        return prepare(sql, values...).and_then([&](Statement row) {
            base::Result<bool> there = row.step();
            if (there && *there)
                take(row);
            return there;
        });
    }
    /// Passes every row to `take(const Statement&)`.
    template <typename Take, typename... Values>
    [[nodiscard]] base::Result<void> each(std::string_view sql, Take take,
                                          const Values&... values) const
    {
        return prepare(sql, values...).and_then([&](Statement row) -> base::Result<void> {
            base::Result<bool> there = row.step();
            for (; there && *there; there = row.step())
                take(row);
            return there.map([](bool /*no row*/) {});
        });
    }
    /// Runs `work` as one transaction, or as part of the open one; an error rolls all of it back.
    [[nodiscard]] base::Result<void> transaction(const std::function<base::Result<void>()>& work);
    /// A column of type BLOB of the row of a table, without a second copy of it.
    [[nodiscard]] base::Result<std::string> blob(const char* table, const char* column,
                                                 std::int64_t row) const;
    /// The first column of the first row.
    [[nodiscard]] base::Result<std::int64_t> value(std::string_view sql) const;
    /// A sentence about the last failure, naming the file.
    [[nodiscard]] tl::unexpected<base::Error> lastFailure() const;
    /// The last failure was that another connection holds the file.
    [[nodiscard]] bool isBusy() const;
    /// The path no longer refers to the opened file: writes would be lost.
    [[nodiscard]] bool isGone() const;
    /// Remembers which file the write-ahead log is. Call it after the connection has read with it.
    void watchLog();
    /// The log was removed or replaced, because other processes took the session for closed: this
    /// process lost its locks when some code in it closed another descriptor of the file (as file
    /// dialogs do). Writes would then be lost, or damage the file.
    [[nodiscard]] bool isLogGone() const;
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    struct Closer
    {
        Closer();
        void operator()(sqlite3* connection) const;
        [[nodiscard]] bool isLogGone() const;

        std::string log;     ///< its path; empty: it isn't watched
        std::uint64_t inode; ///< of the log; 0: there was none
    };
    Database() = default;
    [[nodiscard]] base::Result<Statement> compile(std::string_view sql) const;
    [[nodiscard]] bool isInTransaction() const;

    std::filesystem::path m_path; ///< as named in error messages
    std::unique_ptr<sqlite3, Closer> m_connection;
};

/// Marks a database as a Plimsoll session: "PLMS".
inline constexpr std::int64_t kApplicationId = 0x504c4d53;

/// Whether a regular file begins like a SQLite database that has our application id or none:
/// distinguishes sessions from other files. Never blocks on a pipe, and reads through SQLite:
/// closing a descriptor of our own would drop all locks that this process holds on an open session.
[[nodiscard]] bool looksLikeSession(const std::filesystem::path& path);

} // namespace plimsoll::session
