// SPDX-License-Identifier: Apache-2.0
#include "app/cli/graph_input.h"

#include "app/cli/watch.h"
#include "core/readers/registry.h"

namespace plimsoll::cli {

base::Result<readers::ReadProgram> readGraph(const std::filesystem::path& path, const AtOption& at,
                                             const Common& common)
{
    const base::Result<std::vector<graph::AxisSize>> sizes = at.sizes();
    if (!sizes)
        return tl::unexpected{sizes.error()};
    Watch watch{common.quiet ? std::string{} : "Reading " + io::pathText(path)};
    base::Result<readers::ReadProgram> read = readers::readProgram(path, watch.context());
    if (!read)
        return read;
    base::Result<graph::ProgramPtr> program = graph::resized(read->program, *sizes);
    if (!program)
        return tl::unexpected{program.error()};
    read->program = *std::move(program);
    return read;
}

base::Result<PlanInput> readPlan(const std::string& planPath, const std::string& graphPath,
                                 const AtOption& at, const Common& common)
{
    const base::Result<readers::ReadProgram> read = readGraph(graphPath, at, common);
    if (!read)
        return tl::unexpected{read.error()};
    const base::Result<io::FileContent> content = io::readFile(planPath, {}, kSmallFile);
    if (!content)
        return tl::unexpected{content.error()};
    base::Result<plan::PlanFile> file = plan::readPlan(content->bytes, *read->program);
    if (!file)
        return tl::unexpected{inFile(planPath, file.error())};
    base::Result<plan::Problem> problem = plan::problemOf(*file, read->program);
    if (!problem)
        return base::failure(base::ErrorKind::File, planPath + ": " + problem.error().message);
    return PlanInput{*std::move(file), *std::move(problem)};
}

} // namespace plimsoll::cli
