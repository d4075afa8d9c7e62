// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace plimsoll::stand_in {

/// What the stand-in GPU is, from environment variables (README.md). All devices are the same.
struct Settings
{
    int devices = 1;
    std::size_t memory = std::size_t{80} << 30; ///< bytes of each device
    int major = 8;                              ///< compute capability
    int minor = 0;
    int processors = 108;    ///< streaming multiprocessors: some kernels size their scratch by them
    bool lateEvents = false; ///< an event is done at the third query only
    bool values = false;     ///< device memory keeps what is copied into it
};

/// Read once. A value that can't be read ends the process with a sentence.
[[nodiscard]] const Settings& settings();

/// Tells on standard error that the stand-in has no such function.
void reportMissing(const char* function);

} // namespace plimsoll::stand_in
