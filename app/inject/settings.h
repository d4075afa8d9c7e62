// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace plimsoll::inject {

/// What the environment asks for; `plimsoll-cli record` sets it.
struct Settings
{
    std::string file;      ///< PLIMSOLL_CAPTURE_FILE: where the process `mainPid` writes
    int mainPid = 0;       ///< PLIMSOLL_CAPTURE_PID; other processes write beside `file`
    std::uint64_t run = 0; ///< PLIMSOLL_CAPTURE_RUN, hexadecimal
    std::string cupti;     ///< PLIMSOLL_CUPTI: path of the library to use, before any other
    /// PLIMSOLL_CAPTURE_PERIOD, in milliseconds: what a killed program loses at most.
    std::chrono::milliseconds period{500};
    /// PLIMSOLL_CAPTURE_BUFFERS: the most buffers that CUPTI has or that wait to be written.
    std::size_t buffers = 256; ///< of 256 KiB each
};

[[nodiscard]] Settings readSettings();

/// The file of this process: `file` itself for the main one, else with the process id before its
/// ending; `attempt` counts the names that are taken already.
[[nodiscard]] std::string fileName(const Settings& settings, int pid, int attempt);

} // namespace plimsoll::inject
