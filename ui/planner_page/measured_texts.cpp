// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/measured_texts.h"

#include "ui/base/texts.h"
#include "ui/models/program_texts.h"

#include <QObject>

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

/// Row names of core/compare in words.
QString nameText(const std::string& name)
{
    constexpr std::array<std::pair<const char*, const char*>, 7> kNames{{
        {"allocator_peak", "Allocator peak"},
        {"live_peak", "Peak of live bytes"},
        {"resident", "There before the step"},
        {"saved", "Saved by autograd"},
        {"reserved_peak", "Reserved by the allocator"},
        {"step_time", "Step time"},
        {"time_of_ops", "Sum of the ops' times"},
    }};
    for (const auto& [key, text] : kNames)
        if (name == key)
            return QObject::tr(text);
    return fileText(name);
}

QString runText(const workspace::MeasuredRun& run)
{
    return run.run.plan ? QObject::tr("With the plan") : QObject::tr("Without a plan");
}

/// A measured step knows no reserve, and its allocator rounds in its own way.
QString basisText(const plan::Problem& shown, graph::Rounding rounding)
{
    if (shown.parallel)
        return QObject::tr("of a single process");
    if (shown.reserve.count() > 0)
        return shown.rounding == rounding ? QObject::tr("without the reserve")
                                          : QObject::tr("without reserve and rounding");
    if (shown.rounding == rounding)
        return {};
    return rounding == graph::Rounding::Exact ? QObject::tr("without rounding")
                                              : QObject::tr("with rounding");
}

MeasuredRow rowOf(const compare::Gap& gap, const workspace::MeasuredRun& run,
                  const graph::Program& program)
{
    const plan::Step& step = run.predicted->schedule->steps[gap.step];
    MeasuredRow row;
    row.run = runText(run);
    const QString op = opTitle(program, step.op);
    const QString path = fileText(program.modulePath(program.op(step.op)));
    row.what = (run.run.allocatorPeak ? QObject::tr("Allocator at %1") : QObject::tr("Live at %1"))
                   .arg(step.region >= 0 ? QObject::tr("%1, recomputed").arg(op) : op);
    if (!path.isEmpty())
        row.what += QStringLiteral(" · ") + path;
    row.predicted = gap.predicted.count();
    row.measured = gap.measured.count();
    row.op = step.op;
    row.isRecomputed = step.region >= 0;
    return row;
}

} // namespace

MeasuredSet measuredSetOf(const workspace::MeasuredRun& run, const plan::Problem& shown,
                          std::shared_ptr<const std::vector<std::uint32_t>> stepAt)
{
    MeasuredSet set;
    const bool isOther = stepAt != nullptr;
    set.basis = basisText(shown, run.rounding);
    if (run.live) {
        set.live = run.live;
        set.predicted = run.predicted->timeline;
        set.stepAt = std::move(stepAt);
    }
    if (run.run.allocatorPeak)
        set.levels.push_back({*run.run.allocatorPeak,
                              isOther ? QObject::tr("allocator peak measured without the plan")
                                      : QObject::tr("allocator peak measured")});
    if (run.run.reservedPeak)
        set.levels.push_back(
            {*run.run.reservedPeak, isOther ? QObject::tr("reserved, measured without the plan")
                                            : QObject::tr("reserved, measured")});
    return set;
}

QString measurementText(const workspace::Overlay& overlay)
{
    const compare::Measurement& measurement = overlay.measurement;
    return QObject::tr("%1, measured on %2 with torch %3 · %4")
        .arg(fileText(measurement.model), fileText(measurement.device), fileText(measurement.torch),
             fileText(overlay.name));
}

void addRows(std::vector<MeasuredRow>& rows, const workspace::MeasuredRun& run,
             const graph::Program& program)
{
    for (const compare::Row& row : run.comparison.rows)
        if (row.measured)
            rows.push_back({runText(run), nameText(row.name), row.unit, row.predicted, row.measured,
                            std::nullopt, false});
    for (const compare::Gap& gap : run.comparison.gaps)
        rows.push_back(rowOf(gap, run, program));
}

} // namespace plimsoll::ui
