// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/capture/launch.h"

#include <string>
#include <vector>

namespace plimsoll::cli {

/// How a program ended.
struct ProgramEnd
{
    int exit = 0;        ///< what a shell would show: 128 and the signal's number if one ended it
    int signal = 0;      ///< 0: it ended by itself
    std::string failure; ///< why it could not be started; empty: it was
};

/// Runs a program with our standard input and output, our process group and these variables besides
/// our own, and waits for its end. Meanwhile Ctrl-C and Ctrl-\ are the program's alone; SIGTERM and
/// SIGHUP are passed on to it. `exit` is 127 or 126 if it isn't there or can't be executed.
[[nodiscard]] base::Result<ProgramEnd> runProgram(const std::vector<std::string>& command,
                                                  const std::vector<capture::Variable>& variables);

} // namespace plimsoll::cli
