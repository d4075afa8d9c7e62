// SPDX-License-Identifier: Apache-2.0
#include "app/inject/cupti_library.h"

#include <array>
#include <dlfcn.h>

namespace plimsoll::inject {

namespace {

constexpr std::array kNames{"libcupti.so.13", "libcupti.so.12"};
constexpr auto kDriver = "libcuda.so.1";

} // namespace

void* openCupti(const std::string& named, std::string& why)
{
    void* library = nullptr;
    if (!named.empty()) {
        library = dlopen(named.c_str(), RTLD_NOW | RTLD_LOCAL);
    } else {
        for (const int mode : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL})
            for (const char* name : kNames)
                if (library == nullptr)
                    library = dlopen(name, mode);
    }
    if (library == nullptr) {
        const char* const told = dlerror(); // NOLINT(concurrency-mt-unsafe): each thread's own
        why = told != nullptr ? told : "no reason given";
    }
    return library;
}

bool hasDriver(bool load)
{
    return dlopen(kDriver, RTLD_LAZY | (load ? 0 : RTLD_NOLOAD)) != nullptr;
}

} // namespace plimsoll::inject
