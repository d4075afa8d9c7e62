// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile/step_times.h"

#include "core/base/try.h"
#include "core/io/source.h"
#include "core/workspace/file_formats.h"

#include <utility>

namespace plimsoll::workspace {

bool hasStepTimes(const std::filesystem::path& profile)
{
    const readers::Registry formats = fileFormats();
    const auto reader = formats.find(io::Source{profile});
    return reader && *reader != nullptr && (*reader)->readOps != nullptr;
}

base::Result<compare::StepTimesPtr> readStepTimes(const std::filesystem::path& profile,
                                                  const graph::Program& program,
                                                  const base::JobContext& job)
{
    io::Source source{profile};
    ASSIGN_OR_RETURN(const memtrace::OpRecordingPtr recording,
                     fileFormats().readOps(source, job.piece(0, 2)));
    if (job.stopRequested())
        return base::cancelled();
    return compare::findStepTimes(program, *recording, source.path().filename().string(),
                                  job.piece(1, 2));
}

} // namespace plimsoll::workspace
