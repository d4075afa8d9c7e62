// SPDX-License-Identifier: Apache-2.0
// What the NVIDIA driver calls in a process with CUDA_INJECTION64_PATH, once, when it starts.
#include "app/inject/recorder.h"

#include <cstdlib>
#include <exception>

/// 1: loaded. Must not call CUDA.
// The name is NVIDIA's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] int InitializeInjection()
{
    static plimsoll::inject::Recorder* recorder = nullptr;
    try {
        if (recorder != nullptr)
            return 1;
        recorder = plimsoll::inject::Recorder::start();
        if (recorder != nullptr) {
            std::atexit([] { recorder->finish(); });
            std::at_quick_exit([] { recorder->finish(); });
        }
    } catch (const std::exception&) {
        // No memory or no threads: the program runs without a recording.
    }
    return 1;
}
