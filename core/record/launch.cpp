// SPDX-License-Identifier: Apache-2.0
#include "core/record/launch.h"

#include "core/base/try.h"
#include "core/io/atomic_file.h"
#include "core/record/recording.h"
#include "core/record/snapshot_module.h"

#include <utility>

namespace plimsoll::record {

base::Result<Launch> prepareLaunch(const LaunchOptions& options,
                                   const capture::Environment& current)
{
    Launch launch;
    launch.run = newRun();
    ASSIGN_OR_RETURN(launch.target, prepareFile(options.output, options.folder, options.existing,
                                                options.snapshot, options.outputOption));
    ASSIGN_OR_RETURN(capture::LaunchRequest request, launchRequest(launch.target.file, launch.run));
    request.tensors = options.tensors;
    if (options.snapshot) {
        ASSIGN_OR_RETURN(ScratchFolder module, ScratchFolder::make());
        RETURN_IF_ERROR(io::writeAtomically(module.path() / "sitecustomize.py", kSnapshotModule));
        request.snapshotModule = module.path();
        launch.module.emplace(std::move(module));
    }
    ASSIGN_OR_RETURN(launch.variables, capture::launchEnvironment(request, current));
    return launch;
}

} // namespace plimsoll::record
