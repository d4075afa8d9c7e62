// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/capture/launch.h"
#include "core/record/scratch_folder.h"
#include "core/record/target_file.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::record {

/// How a program is to be recorded.
struct LaunchOptions
{
    std::string output;           ///< the recording; empty: a new name
    std::filesystem::path folder; ///< of a relative output; empty: the current one
    Existing existing = Existing::Replace;
    bool tensors = false;
    bool snapshot = false;
    std::string_view outputOption; ///< how a user gives another output, for errors: "-o"
};

/// What a program that is to be recorded needs. Must be kept while it runs, and until
/// collectFiles() has given its recordings their names.
struct Launch
{
    Target target;
    std::uint64_t run = 0;
    std::vector<capture::Variable> variables; ///< besides those that it has
    std::optional<ScratchFolder> module;      ///< of Python, for snapshots
};

/// Makes room for the recording and finds the libraries that record; `current` is the environment
/// that the program will have.
[[nodiscard]] base::Result<Launch> prepareLaunch(const LaunchOptions& options,
                                                 const capture::Environment& current);

} // namespace plimsoll::record
