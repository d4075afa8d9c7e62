// SPDX-License-Identifier: Apache-2.0
// What NVTX loads in a process with NVTX_INJECTION64_PATH, at its first marker. NVTX wants CUPTI
// itself there, but only the process knows which CUPTI it uses: this library finds the one that
// libplimsoll_inject.so finds and hands on to it.
#include "app/inject/cupti_library.h"
#include "app/inject/settings.h"

#include <dlfcn.h>
#include <exception>

/// NVTX's table of functions is CUPTI's business; 0: markers do nothing, as without a profiler.
extern "C" [[gnu::visibility("default")]] int
// The name is NVIDIA's. NOLINTNEXTLINE(readability-identifier-naming)
InitializeInjectionNvtx2(const void* (*exportTable)(unsigned int))
try {
    std::string why;
    void* const library = plimsoll::inject::openCupti(plimsoll::inject::readSettings().cupti, why);
    if (library == nullptr || !plimsoll::inject::hasDriver(true))
        return 0;
    const auto initialize = reinterpret_cast<decltype(&InitializeInjectionNvtx2)>(
        dlsym(library, "InitializeInjectionNvtx2"));
    return initialize != nullptr ? initialize(exportTable) : 0;
} catch (const std::exception&) {
    return 0;
}
