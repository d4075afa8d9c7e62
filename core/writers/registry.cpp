// SPDX-License-Identifier: Apache-2.0
#include "core/writers/registry.h"

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/io/atomic_file.h"
#include "core/io/byte_source.h"
#include "core/io/gzip.h"
#include "core/plan_file/plan_json.h"
#include "core/writers/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <system_error>

namespace plimsoll::writers {

namespace {

using base::ErrorKind;
using base::failure;
using base::Result;

bool sameFile(const std::filesystem::path& a, const std::filesystem::path& b)
{
    std::error_code error;
    return !a.empty() && !b.empty() && std::filesystem::equivalent(a, b, error) && !error;
}

Result<void> checkIsNone(const std::vector<std::filesystem::path>& graphs,
                         const std::filesystem::path& path)
{
    if (std::ranges::none_of(
            graphs, [&](const std::filesystem::path& graph) { return sameFile(path, graph); }))
        return {};
    return failure(ErrorKind::File,
                   fmt::format("{} is the graph that was read, so it is not overwritten.",
                               io::pathText(path)));
}

/// Adapts a writer that supports every plan.
template <std::string (*Write)(const plan::FrontierPoint&)>
Result<std::string> contentOf(const plan::FrontierPoint& plan)
{
    return Write(plan);
}

Result<std::string> packedGraph(const plan::FrontierPoint& plan)
{
    return rewrittenGraph(plan).and_then([](const std::string& text) { return io::gzipped(text); });
}

} // namespace

const std::vector<PlanWriter>& planWriters()
{
    static const std::vector<PlanWriter> kWriters{
        {.id = "json",
         .name = "Plan file",
         .extension = ".json",
         .content = contentOf<plan::writePlan>},
        {.id = "python",
         .name = "Python module",
         .extension = ".py",
         .content = contentOf<pythonModule>},
        {.id = "csv",
         .name = "Table of recomputed values",
         .extension = ".csv",
         .content = contentOf<recomputedTable>},
        {.id = "svg",
         .name = "Picture of the timeline",
         .extension = ".svg",
         .content = contentOf<timelinePicture>},
        {.id = "graph",
         .name = "Graph of the planned step",
         .extension = ".plimsoll.json",
         .content = rewrittenGraph},
        {.id = "graph-gz",
         .name = "Graph of the planned step, compressed",
         .extension = ".plimsoll.json.gz",
         .content = packedGraph},
    };
    return kWriters;
}

std::string planEndings()
{
    std::vector<std::string_view> endings;
    for (const PlanWriter& writer : planWriters())
        endings.emplace_back(writer.extension);
    return fmt::format("{}", fmt::join(endings, " "));
}

Result<const PlanWriter*> writerFor(const std::filesystem::path& path)
{
    const std::string name = base::lowered(path.filename().string());
    const PlanWriter* found = nullptr;
    for (const PlanWriter& writer : planWriters())
        if (name.size() > writer.extension.size() && name.ends_with(writer.extension)
            && (found == nullptr || writer.extension.size() > found->extension.size()))
            found = &writer;
    if (found != nullptr)
        return found;
    return failure(ErrorKind::Usage,
                   fmt::format("{}: the extension selects the format, and must be one of {}.",
                               io::pathText(path), planEndings()));
}

Result<void> writePlanFile(const plan::FrontierPoint& plan, const std::filesystem::path& path,
                           const std::vector<std::filesystem::path>& graphs)
{
    ASSIGN_OR_RETURN(const PlanWriter* writer, writerFor(path));
    RETURN_IF_ERROR(checkIsNone(graphs, path));
    ASSIGN_OR_RETURN(const std::string content, writer->content(plan));
    return io::writeAtomically(path, content);
}

Result<void> writeContent(std::string_view content, const std::filesystem::path& path,
                          const std::vector<std::filesystem::path>& graphs)
{
    RETURN_IF_ERROR(checkIsNone(graphs, path));
    return io::writeAtomically(path, content);
}

} // namespace plimsoll::writers
