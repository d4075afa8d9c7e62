// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::capture {

/// What to record of a program that is to be started.
struct LaunchRequest
{
    std::filesystem::path file;      ///< of the program; its child processes write beside it
    std::filesystem::path injection; ///< libplimsoll_inject.so
    std::filesystem::path nvtx;      ///< libplimsoll_nvtx.so; empty: no markers
    std::uint64_t run = 0;           ///< the same in the files of all its processes
    bool tensors = false;            ///< one allocation of the driver for each tensor
    /// Holds the sitecustomize module that has PyTorch write its snapshots; empty: no snapshots.
    std::filesystem::path snapshotModule;
};

struct Variable
{
    std::string name;
    std::string value;

    bool operator==(const Variable&) const = default;
};

/// The value of an environment variable, if it is set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The variables to set for the program, absolute paths in them; the process sets
/// PLIMSOLL_CAPTURE_PID itself. An error of kind Usage if another profiler is to be loaded already.
[[nodiscard]] base::Result<std::vector<Variable>> launchEnvironment(const LaunchRequest& request,
                                                                    const Environment& current);

/// A library of ours: `variable` names it, or it is in the folder "lib" beside that of the program,
/// or in the program's. An error of kind File if it is nowhere.
[[nodiscard]] base::Result<std::filesystem::path>
findLibrary(const std::string& name, const char* variable,
            const std::filesystem::path& programFolder, const Environment& current);

/// The files of one run: `file`, if it is there, and those of child processes beside it, by name.
/// Files of other runs are left out; ones that can't be read are, too.
[[nodiscard]] std::vector<std::filesystem::path> filesOfRun(const std::filesystem::path& file,
                                                            std::uint64_t run);

/// Where PyTorch's snapshot of the process with that capture file is.
[[nodiscard]] std::filesystem::path snapshotOf(const std::filesystem::path& file);

} // namespace plimsoll::capture
