// SPDX-License-Identifier: Apache-2.0
// Whether a plan rewritten as a program is the step that the plan runs.
#pragma once

#include "core/io/byte_source.h"
#include "core/lower/lower.h"
#include "core/readers/registry.h"
#include "core/writers/formats.h"

#include "tests/support/graph_dump.h"
#include "tests/support/rewritten.h"

#include <QString>

#include <memory>
#include <string>
#include <vector>

namespace plimsoll::tests {

/// The program of a graph file's text; null with a message in `why` if it is refused.
inline graph::ProgramPtr readText(const std::string& text, std::string& why)
{
    const base::Result<readers::ReadProgram> read =
        readers::readProgram(io::Source{"rewritten.plimsoll.json", text});
    if (read)
        return read->program;
    why = read.error().message;
    return nullptr;
}

/// What is wrong with `program` as the step of `plan`; empty if nothing is: without a plan it must
/// have the same bytes at every op, the same peak and the same time, in both runtimes, by
/// evaluate() and by verify().
inline QString differenceOf(const plan::VerifiedPlan& plan, const graph::ProgramPtr& program)
{
    plan::Problem problem = plan.problem();
    problem.program = program;
    problem.pins.clear();
    const plan::Evaluation& planned = plan.evaluation();
    for (const plan::Runtime runtime :
         {plan::Runtime::CheckpointedModule, plan::Runtime::CompiledStep}) {
        const plan::Plan nothing = plan::keepEverything(runtime);
        const plan::Verification seen = plan::verify(problem, nothing);
        if (!seen.faults.empty())
            return QString::fromStdString(seen.faults.front().sentence);
        const plan::EvaluationPtr found = plan::evaluate(problem, nothing);
        if (found->timeline->totals() != planned.timeline->totals())
            return QStringLiteral("other bytes at some op");
        for (std::size_t step = 0; step < seen.liveBytes.size(); ++step)
            if (seen.liveBytes[step].count() != found->timeline->totals()[step])
                return QStringLiteral("replayed other bytes at op %1").arg(step);
        if (found->peak != planned.peak || found->peakStep != planned.peakStep)
            return QStringLiteral("another peak");
        if (found->stepTime != planned.stepTime || found->recomputeTime.count() != 0)
            return QStringLiteral("another time");
    }
    return {};
}

/// The same for the plan's rewritten program, and for the graph file written from it, which must be
/// read back equal. The problem's program must have its ops' calls.
inline QString rewritingFault(const plan::VerifiedPlanPtr& plan)
{
    const base::Result<graph::Program> rewritten = tests::rewritten(*plan);
    if (!rewritten)
        return QString::fromStdString(rewritten.error().message);
    const auto program = std::make_shared<const graph::Program>(*rewritten);
    if (QString difference = differenceOf(*plan, program); !difference.isEmpty())
        return difference;
    const base::Result<std::string> text = writers::rewrittenGraph(plan);
    if (!text)
        return QString::fromStdString(text.error().message);
    std::string why;
    const graph::ProgramPtr read = readText(*text, why);
    if (!read)
        return QString::fromStdString(why);
    constexpr std::size_t kAllRows = SIZE_MAX;
    if (tests::dumpProgram(*read, kAllRows) != tests::dumpProgram(*program, kAllRows))
        return QStringLiteral("read back as another program");
    if (writers::graphText(*read) != *text)
        return QStringLiteral("written again as another file");
    return differenceOf(*plan, read);
}

} // namespace plimsoll::tests
