// SPDX-License-Identifier: Apache-2.0
#include "core/session/migrations.h"

#include "core/base/format.h"
#include "core/base/try.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <system_error>

#include "schema.h"

namespace plimsoll::session {

namespace {

/// The version to which migrate() upgrades a file.
std::int64_t newestVersion()
{
    return static_cast<std::int64_t>(kMigrations.size());
}

base::Result<void> backUp(const Database& database, std::int64_t version)
{
    std::filesystem::path copy = database.path();
    copy += fmt::format(".v{}.bak", version);
    std::error_code error;
    std::filesystem::copy_file(database.path(), copy,
                               std::filesystem::copy_options::overwrite_existing, error);
    if (error)
        return base::failure(
            base::ErrorKind::File,
            fmt::format(
                "{}: an older session is copied before it is upgraded, and the copy failed ({}).",
                base::printable(copy.string()), error.message()));
    return {};
}

/// The schema version of a database that is a session or empty; an error for any other.
base::Result<std::int64_t> versionOf(const Database& database)
{
    constexpr std::array kQuestions{
        "PRAGMA user_version", "PRAGMA application_id", "SELECT count(*) FROM sqlite_master",
        // A session has neither; a view could return endless rows.
        "SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')"};
    std::array<std::int64_t, kQuestions.size()> answers{};
    for (std::size_t i = 0; i < kQuestions.size(); ++i) {
        ASSIGN_OR_RETURN(answers.at(i), database.value(kQuestions.at(i)));
    }
    const auto [version, application, tables, programs] = answers;
    const std::string name = base::printable(database.path().string());
    const bool foreign = application != kApplicationId || version < 1 || programs > 0;
    if (version < 0 || (tables > 0 && foreign))
        return base::failure(
            base::ErrorKind::File,
            fmt::format("{}: a database of another program, not a Plimsoll session.", name));
    if (version > newestVersion())
        return base::failure(
            base::ErrorKind::File,
            fmt::format(
                "{}: written by a newer Plimsoll (session version {}, this one reads up to {}); "
                "update Plimsoll to open it.",
                name, version, newestVersion()));
    return version;
}

/// Upgrades a database from version `from` to the next one.
base::Result<void> apply(Database& database, std::int64_t from)
{
    const std::string sql =
        fmt::format("{}\nPRAGMA application_id = {}; PRAGMA user_version = {};",
                    kMigrations.at(static_cast<std::size_t>(from)), kApplicationId, from + 1);
    return database.transaction([&] { return database.run(sql); });
}

} // namespace

base::Result<void> migrate(Database& database)
{
    ASSIGN_OR_RETURN(const std::int64_t version, versionOf(database));
    if (version > 0 && version < newestVersion())
        RETURN_IF_ERROR(backUp(database, version));
    for (std::int64_t at = version; at < newestVersion(); ++at)
        RETURN_IF_ERROR(apply(database, at));
    return {};
}

} // namespace plimsoll::session
