// SPDX-License-Identifier: Apache-2.0
#include "ui/models/pin_globs.h"

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr qsizetype kMost = 12; ///< of one row: a longer menu is no help

void add(QStringList& globs, const QString& glob)
{
    if (globs.size() < kMost && !globs.contains(glob))
        globs << glob;
}

QStringList regionGlobs(const graph::Program& program, const plan::Region& region)
{
    QStringList globs;
    for (const graph::CallId call : region.members)
        if (const std::string& path = program.module(program.call(call).module).path; !path.empty())
            add(globs, QString::fromStdString(path));
    if (region.members.empty())
        for (graph::OpIndex op = region.first; op <= region.last && globs.size() < kMost; ++op)
            add(globs, opGlob(program, graph::opAt(op)));
    return globs;
}

} // namespace

QString opGlob(const graph::Program& program, graph::OpId op)
{
    const graph::Op& row = program.op(op);
    return QString::fromStdString(program.modulePath(row)) + QChar{u':'}
           + QString::fromStdString(program.targetOf(row));
}

QStringList rowGlobs(const plan::VerifiedPlan& plan, graph::OpIndex first, graph::OpIndex last)
{
    const graph::Program& program = *plan.problem().step();
    for (const plan::Region& region : plan.plan().regions())
        if (region.first == first && region.last == last)
            return regionGlobs(program, region);
    QStringList globs;
    for (const plan::RecomputeStep& again : plan.plan().recomputeSteps())
        if (again.before == last)
            for (const graph::OpId op : again.ops)
                add(globs, opGlob(program, op));
    return globs;
}

} // namespace plimsoll::ui
