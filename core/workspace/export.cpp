// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/export.h"

#include "core/base/format.h"
#include "core/session/database.h"
#include "core/writers/registry.h"

#include <fmt/format.h>

namespace plimsoll::workspace {

base::Result<void> exportPlan(const plan::FrontierPoint& plan, const std::filesystem::path& path,
                              const std::vector<std::filesystem::path>& graphs)
{
    if (session::looksLikeSession(path))
        return base::failure(
            base::ErrorKind::File,
            fmt::format("{} is a session: a plan is not written over it, choose another name.",
                        base::printable(path.string())));
    return writers::writePlanFile(plan, path, graphs);
}

} // namespace plimsoll::workspace
