// SPDX-License-Identifier: Apache-2.0
#include "app/cli/graph_input.h"

#include "app/cli/solve/small_file.h"
#include "app/cli/watch.h"
#include "core/compare/belongs.h"
#include "core/readers/registry.h"
#include "core/workspace/file_formats.h"

#include <fmt/format.h>

namespace plimsoll::cli {

readers::ReadProgram readGraph(const std::filesystem::path& path, const AtOption& at,
                               const Common& common)
{
    const std::vector<graph::AxisSize> sizes = at.sizes();
    Watch watch{common.quiet ? std::string{} : "Reading " + io::pathText(path)};
    io::Source source{path};
    readers::FileValue value =
        orThrow(workspace::fileFormats().read(source, readers::FileKind::Graph, watch.context()));
    auto read = std::get<readers::ReadProgram>(std::move(value));
    read.program = orThrow(graph::resized(read.program, sizes, watch.context()));
    return read;
}

compare::Measurement readMeasurement(const std::string& path)
{
    return readSmall<compare::Measurement>(path, readers::FileKind::Measurement,
                                           compare::readMeasurement);
}

plan::PlanOutline readOutline(const std::string& path)
{
    return readSmall<plan::PlanOutline>(path, readers::FileKind::Plan, plan::readPlanOutline);
}

PlanInput readPlan(const std::string& planPath, const std::string& graphPath, const AtOption& at,
                   const Common& common, TimesOption* times)
{
    graph::ProgramPtr program = readGraph(graphPath, at, common).program;
    if (times != nullptr)
        program = times->applied(program, common);
    plan::PlanFile file =
        readSmall<plan::PlanFile>(planPath, readers::FileKind::Plan, [&](const std::string& text) {
            return plan::readPlan(text, *program);
        });
    base::Result<plan::Problem> problem = plan::problemOf(file, program);
    if (!problem)
        throw VerbError(base::ErrorKind::File,
                        io::pathText(planPath) + ": " + problem.error().message);
    return {std::move(file), *std::move(problem)};
}

std::string otherSizeText(const plan::PlanFile& file, const graph::Program& program)
{
    return fmt::format("{}; {}.", compare::otherSize(file, program),
                       program.vary ? "--at evaluates it at another size, such as --at batch=8"
                                    : "use the graph that the plan was made for, or trace with "
                                      "vary= and select that size with --at");
}

} // namespace plimsoll::cli
