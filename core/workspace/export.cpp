// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/export.h"

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/io/byte_source.h"
#include "core/io/gzip.h"
#include "core/session/database.h"
#include "core/writers/formats.h"
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

base::Result<void> exportGraph(const graph::Program& program, const std::filesystem::path& path,
                               const std::vector<std::filesystem::path>& graphs)
{
    const std::string name = base::lowered(path.filename().string());
    const bool isPacked = name.ends_with(".plimsoll.json.gz");
    if (!isPacked && !name.ends_with(".plimsoll.json"))
        return base::failure(base::ErrorKind::Usage,
                             fmt::format("{}: a graph's name ends with .plimsoll.json or "
                                         ".plimsoll.json.gz.",
                                         io::pathText(path)));
    if (program.callTexts.ends.size() != 2 * program.ops.size())
        return base::failure(base::ErrorKind::Usage,
                             "A step can be written out only at the size at which it was traced: "
                             "the arguments of its ops are known there only.");
    const std::string text = writers::graphText(program);
    if (!isPacked)
        return exportContent(text, path, graphs);
    ASSIGN_OR_RETURN(const std::string packed, io::gzipped(text));
    return exportContent(packed, path, graphs);
}

} // namespace plimsoll::workspace
