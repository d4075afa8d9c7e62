// SPDX-License-Identifier: Apache-2.0
#include "app/cli/graph_input.h"

#include "app/cli/solve/small_file.h"
#include "app/cli/watch.h"
#include "core/readers/registry.h"
#include "core/workspace/file_formats.h"

namespace plimsoll::cli {

base::Result<readers::ReadProgram> readGraph(const std::filesystem::path& path, const AtOption& at,
                                             const Common& common)
{
    const base::Result<std::vector<graph::AxisSize>> sizes = at.sizes();
    if (!sizes)
        return tl::unexpected{sizes.error()};
    Watch watch{common.quiet ? std::string{} : "Reading " + io::pathText(path)};
    io::Source source{path};
    base::Result<readers::FileValue> value =
        workspace::fileFormats().read(source, readers::FileKind::Graph, watch.context());
    if (!value)
        return tl::unexpected{value.error()};
    auto read = std::get<readers::ReadProgram>(*std::move(value));
    base::Result<graph::ProgramPtr> program = graph::resized(read.program, *sizes, watch.context());
    if (!program)
        return tl::unexpected{program.error()};
    read.program = *std::move(program);
    return read;
}

base::Result<compare::Measurement> readMeasurement(const std::string& path)
{
    return readSmall<compare::Measurement>(path, readers::FileKind::Measurement,
                                           compare::readMeasurement);
}

base::Result<plan::PlanOutline> readOutline(const std::string& path)
{
    return readSmall<plan::PlanOutline>(path, readers::FileKind::Plan, plan::readPlanOutline);
}

base::Result<PlanInput> readPlan(const std::string& planPath, const std::string& graphPath,
                                 const AtOption& at, const Common& common)
{
    const base::Result<readers::ReadProgram> read = readGraph(graphPath, at, common);
    if (!read)
        return tl::unexpected{read.error()};
    base::Result<plan::PlanFile> file =
        readSmall<plan::PlanFile>(planPath, readers::FileKind::Plan, [&](const std::string& text) {
            return plan::readPlan(text, *read->program);
        });
    if (!file)
        return tl::unexpected{file.error()};
    base::Result<plan::Problem> problem = plan::problemOf(*file, read->program);
    if (!problem)
        return base::failure(base::ErrorKind::File,
                             io::pathText(planPath) + ": " + problem.error().message);
    return PlanInput{*std::move(file), *std::move(problem)};
}

} // namespace plimsoll::cli
