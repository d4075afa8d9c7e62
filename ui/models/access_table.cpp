// SPDX-License-Identifier: Apache-2.0
#include "ui/models/access_table.h"

#include "core/base/try.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/program_texts.h"

namespace plimsoll::ui {

base::Result<AccessTablePtr> accessTable(const plan::Problem& problem, const base::JobContext& job)
{
    auto table = std::make_shared<AccessTable>();
    ASSIGN_OR_RETURN(table->profile, solve::profileAccesses(problem, job.piece(0, 2)));
    table->program = problem.step();
    table->budget = problem.budget;
    table->device = fileText(problem.device.name);
    const std::vector<solve::ValueAccess>& values = table->profile.values;
    const base::JobContext naming = job.piece(1, 2);
    table->names.reserve(values.size());
    for (std::size_t row = 0; row < values.size(); ++row) {
        if (naming.stopRequested())
            return base::cancelled();
        naming.report(row, values.size());
        table->names.push_back(storageTitle(*problem.step(), values[row].value));
    }
    return table;
}

QString swapFreeText(std::optional<base::Nanoseconds> time)
{
    if (!time)
        return unknownText();
    return time->count() < 0
               ? QObject::tr("%1 too short").arg(timeText(base::Nanoseconds{-time->count()}))
               : timeText(*time);
}

} // namespace plimsoll::ui
