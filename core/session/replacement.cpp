// SPDX-License-Identifier: Apache-2.0
#include "core/session/replacement.h"

#include "core/base/format.h"
#include "core/io/atomic_file.h"
#include "core/session/migrations.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace plimsoll::session {

namespace {

using base::ErrorKind;
using base::Result;

tl::unexpected<base::Error> isNoSession(const std::filesystem::path& path)
{
    return base::failure(
        ErrorKind::File,
        fmt::format("{}: a file that is no session is there already; choose another name.",
                    base::printable(path.string())));
}

/// Brings the log of the old session into its file, which only works while nobody has it open.
Result<void> makeWay(const std::filesystem::path& path)
{
    if (!looksLikeSession(path))
        return isNoSession(path);
    Result<Database> old = Database::open(path, Database::Mode::OpenExisting);
    if (!old)
        return tl::unexpected{old.error()};
    const auto inUse = [&] {
        return base::failure(
            ErrorKind::File,
            fmt::format("{}: this session is open in another tab or program; close it there, or "
                        "choose another name.",
                        base::printable(path.string())));
    };
    const Result<std::int64_t> application = old->value("PRAGMA application_id");
    if (!application)
        return old->isBusy() ? Result<void>{inUse()} : isNoSession(path);
    if (*application != kApplicationId)
        return isNoSession(path);
    if (const Result<void> folded = old->run("PRAGMA journal_mode = DELETE"); !folded)
        return old->isBusy() ? inUse() : folded;
    return {};
}

} // namespace

Replacement::Replacement(std::filesystem::path target)
    : m_target{std::move(target)}, m_path{io::temporaryName(m_target)}
{
}

Replacement::Replacement(Replacement&& other) noexcept
    : m_target{std::move(other.m_target)}, m_path{std::exchange(other.m_path, {})}
{
}

Replacement::~Replacement()
{
    if (m_path.empty())
        return;
    std::error_code error;
    for (const char* ending : {"", "-journal"}) {
        std::filesystem::path file = m_path;
        file += ending;
        std::filesystem::remove(file, error);
    }
}

Result<Replacement> Replacement::begin(const std::filesystem::path& target)
{
    std::error_code error;
    const bool exists = std::filesystem::exists(target, error);
    if (exists)
        if (const Result<void> free = makeWay(target); !free)
            return tl::unexpected{free.error()};
    // A link is never replaced: what it leads to is.
    std::filesystem::path real =
        exists ? std::filesystem::canonical(target, error) : std::filesystem::path{};
    return Replacement{exists && !error ? std::move(real) : target};
}

Result<void> Replacement::takePlace()
{
    std::error_code error;
    if (const auto old = std::filesystem::status(m_target, error); std::filesystem::exists(old))
        std::filesystem::permissions(m_path, old.permissions(), error);
    std::filesystem::rename(m_path, m_target, error);
    if (error)
        return base::failure(ErrorKind::File,
                             fmt::format("{} can't be written ({}); what was there before is "
                                         "unchanged.",
                                         base::printable(m_target.string()), error.message()));
    m_path.clear();
    return {};
}

} // namespace plimsoll::session
