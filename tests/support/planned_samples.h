// SPDX-License-Identifier: Apache-2.0
// The shipped samples as problems, read once, planned once.
#pragma once

#include "core/device/device.h"
#include "core/device/known_devices.h"
#include "core/readers/registry.h"
#include "core/solve/chain/rotor_planner.h"

#include <QString>

#include <map>

namespace plimsoll::tests {

inline plan::Problem problemOf(const QString& sample, std::int64_t budget)
{
    static std::map<QString, graph::ProgramPtr> read;
    graph::ProgramPtr& program = read[sample];
    if (!program) {
        const QString path =
            QStringLiteral(PLIMSOLL_SOURCE_DIR "/resources/samples/%1.plimsoll.json.gz")
                .arg(sample);
        const base::Result<readers::ReadProgram> file = readers::readProgram(path.toStdString());
        if (!file)
            qFatal("%s", file.error().message.c_str());
        program = file->program;
    }
    return {program, plan::findDevice(plan::kDefaultDevice).value(), base::Bytes{budget},
            base::Bytes{}, graph::Rounding::Cuda512};
}

/// What the planner rotor finds with default options.
inline const plan::FrontierPtr& frontierOf(const QString& sample)
{
    static std::map<QString, plan::FrontierPtr> planned;
    plan::FrontierPtr& frontier = planned[sample];
    if (!frontier)
        frontier = solve::makeRotorPlanner()->frontier(problemOf(sample, 0), {}, {}).value();
    return frontier;
}

} // namespace plimsoll::tests
