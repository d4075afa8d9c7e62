// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace plimsoll::readers::nsys {

/// A row of a query, while it is visited; columns count from 0.
class Row
{
public:
    explicit Row(sqlite3_stmt* statement) : m_statement{statement} {}

    /// Nothing if it is null, a text or a fraction.
    [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
    /// Of a text; empty if it is null. Valid until the next row.
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] bool isText(int column) const;

private:
    sqlite3_stmt* m_statement;
};

/// A SQLite database in memory that is only read: no other file is needed or made for it.
class Database
{
public:
    /// `bytes` outlive the database. Fails with the end of a sentence ("is no …").
    [[nodiscard]] static base::Result<Database> open(std::string_view bytes,
                                                     const base::JobContext& context);

    /// Whether it has this table, and not a view or something else of that name.
    [[nodiscard]] bool hasTable(std::string_view table) const;
    [[nodiscard]] bool hasColumn(std::string_view table, std::string_view column) const;
    /// "c0, c1, …" of the table `t`, with NULL for columns that it lacks.
    [[nodiscard]] std::string columns(std::string_view table,
                                      std::initializer_list<std::string_view> names) const;

    /// Visits all rows. Fails with the end of a sentence; Cancelled if the job was stopped.
    [[nodiscard]] base::Result<void>
    each(const std::string& sql, const std::function<base::Result<void>(const Row&)>& take);

private:
    struct Closer
    {
        void operator()(sqlite3* connection) const;
    };
    /// What the progress handler looks at: keeps its address.
    struct Stop
    {
        base::JobContext context;
    };
    Database() = default;
    [[nodiscard]] tl::unexpected<base::Error> failure() const;
    /// Whether a query with two texts as its values has a row.
    [[nodiscard]] bool exists(const char* sql, std::string_view first,
                              std::string_view second) const;

    std::unique_ptr<Stop> m_stop;
    std::unique_ptr<sqlite3, Closer> m_connection;
    std::size_t m_mostRows = 0; ///< a damaged database might have no end of them
};

/// The first 100 bytes of a file, read through SQLite: closing a descriptor of our own would drop
/// all locks that this process holds on it if it is an open session. Empty if it has fewer, or
/// isn't a regular file.
[[nodiscard]] std::string databaseHead(const std::filesystem::path& path);

/// Whether the head of a file is that of a SQLite database that isn't marked as one of a certain
/// program, as Plimsoll's sessions are.
[[nodiscard]] bool isUnmarkedDatabase(std::string_view head);

} // namespace plimsoll::readers::nsys
