// SPDX-License-Identifier: Apache-2.0
#include "tests/stand_in_gpu/injection.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace plimsoll::stand_in {

void loadInjection()
{
    static std::once_flag once;
    std::call_once(once, [] {
        const char* path = std::getenv("CUDA_INJECTION64_PATH");
        if (path == nullptr || *path == '\0')
            return;
        void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        void* entry = library != nullptr ? dlsym(library, "InitializeInjection") : nullptr;
        if (entry == nullptr)
            std::fprintf(stderr, "stand-in GPU: CUDA_INJECTION64_PATH: %s\n", dlerror());
        else
            reinterpret_cast<int (*)()>(entry)();
    });
}

} // namespace plimsoll::stand_in
