// SPDX-License-Identifier: Apache-2.0
#include "core/session/migrations.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "schema.h"

namespace plimsoll::session {

namespace {

base::Result<void> backUp(const Database& database, std::int64_t version)
{
    std::filesystem::path copy = database.path();
    copy += fmt::format(".v{}.bak", version);
    std::error_code error;
    std::filesystem::copy_file(database.path(), copy,
                               std::filesystem::copy_options::overwrite_existing, error);
    if (error)
        return base::failure(base::ErrorKind::File,
                             fmt::format("{}: an older session is copied before it is brought up "
                                         "to date, which failed ({}).",
                                         base::printable(copy.string()), error.message()));
    return {};
}

} // namespace

int schemaVersion()
{
    return static_cast<int>(kMigrations.size());
}

base::Result<void> migrate(Database& database)
{
    const base::Result<std::int64_t> version = database.value("PRAGMA user_version");
    if (!version)
        return tl::unexpected{version.error()};
    const base::Result<std::int64_t> application = database.value("PRAGMA application_id");
    if (!application)
        return tl::unexpected{application.error()};
    const base::Result<std::int64_t> tables = database.value("SELECT count(*) FROM sqlite_master");
    if (!tables)
        return tl::unexpected{tables.error()};
    // A session has neither; a view could hand out rows without end.
    const base::Result<std::int64_t> programs =
        database.value("SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')");
    if (!programs)
        return tl::unexpected{programs.error()};
    const std::string name = base::printable(database.path().string());
    const bool foreign = *application != kApplicationId || *version < 1 || *programs > 0;
    if (*version < 0 || (*tables > 0 && foreign))
        return base::failure(
            base::ErrorKind::File,
            fmt::format("{}: a database of another program, not a Plimsoll session.", name));
    if (*version > schemaVersion())
        return base::failure(
            base::ErrorKind::File,
            fmt::format(
                "{}: written by a newer Plimsoll (session version {}, this one reads up to {}); "
                "update Plimsoll to open it.",
                name, *version, schemaVersion()));
    if (*version > 0 && *version < schemaVersion())
        if (const base::Result<void> copied = backUp(database, *version); !copied)
            return copied;
    for (std::int64_t at = *version; at < schemaVersion(); ++at) {
        base::Result<Transaction> transaction = Transaction::begin(database);
        if (!transaction)
            return tl::unexpected{transaction.error()};
        const std::string sql =
            fmt::format("{}\nPRAGMA application_id = {}; PRAGMA user_version = {};",
                        kMigrations.at(static_cast<std::size_t>(at)), kApplicationId, at + 1);
        if (const base::Result<void> applied = database.run(sql); !applied)
            return applied;
        if (const base::Result<void> committed = transaction->commit(); !committed)
            return committed;
    }
    return {};
}

} // namespace plimsoll::session
