// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/export.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/session/database.h"
#include "core/writers/registry.h"

#include <fmt/format.h>

namespace plimsoll::workspace {

namespace {

base::Result<void> checkIsNoSession(const std::filesystem::path& path)
{
    if (!session::looksLikeSession(path))
        return {};
    return base::failure(
        base::ErrorKind::File,
        fmt::format("{} is a session: a plan is not written over it, choose another name.",
                    base::printable(path.string())));
}

} // namespace

base::Result<void> exportPlan(const plan::FrontierPoint& plan, const std::filesystem::path& path,
                              const std::vector<std::filesystem::path>& graphs)
{
    RETURN_IF_ERROR(checkIsNoSession(path));
    return writers::writePlanFile(plan, path, graphs);
}

base::Result<void> exportContent(std::string_view content, const std::filesystem::path& path,
                                 const std::vector<std::filesystem::path>& graphs)
{
    RETURN_IF_ERROR(checkIsNoSession(path));
    return writers::writeContent(content, path, graphs);
}

} // namespace plimsoll::workspace
