// SPDX-License-Identifier: Apache-2.0
#include "app/inject/cupti_table.h"

#include "app/inject/cupti_library.h"

#include <dlfcn.h>

namespace plimsoll::inject {

namespace {

using capture::wire::Severity;
using capture::wire::StatusCode;

constexpr std::uint32_t kCuda12 = 18;         ///< also of CUDA 11.8
constexpr std::uint32_t kBeyond13 = 140'000;  ///< CUDA 14.0
constexpr std::uint32_t kByRelease = 100'000; ///< larger numbers tell the release: 130202 is 13.2

template <typename Function>
bool find(void* library, const char* name, Function& function)
{
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

/// The name of the first needed function that is missing; empty if none is.
std::string fill(CuptiTable& table, void* library)
{
    std::string missing;
#define PLIMSOLL_CUPTI_FIND(name)                                                                  \
    if (!find(library, "cupti" #name, table.name) && missing.empty())                              \
        missing = "cupti" #name;
    PLIMSOLL_CUPTI_NEEDED(PLIMSOLL_CUPTI_FIND)
#undef PLIMSOLL_CUPTI_FIND
#define PLIMSOLL_CUPTI_FIND(name) (void)find(library, "cupti" #name, table.name);
    PLIMSOLL_CUPTI_OPTIONAL(PLIMSOLL_CUPTI_FIND)
#undef PLIMSOLL_CUPTI_FIND
    return missing;
}

std::string pathOf(const void* function)
{
    Dl_info info{};
    return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "CUPTI";
}

/// "CUPTI 13.2" or "CUPTI of API version 26".
std::string nameOf(std::uint32_t version)
{
    return version >= kByRelease ? "CUPTI " + std::to_string(version / 10'000) + "."
                                       + std::to_string(version / 100 % 100)
                                 : "CUPTI of API version " + std::to_string(version);
}

} // namespace

Fault noDriver(CUptiResult result)
{
    return {StatusCode::NoDriver, Severity::Failure, result,
            "CUPTI finds no NVIDIA driver that it can use (its error "
                + std::to_string(static_cast<int>(result))
                + "), so nothing was recorded: check with nvidia-smi that the driver works and is "
                  "as new as CUPTI."};
}

bool loadCupti(const std::string& named, CuptiTable& table, Fault& fault)
{
    std::string why;
    void* const library = openCupti(named, why);
    if (library == nullptr) {
        fault = {StatusCode::CuptiNotFound, Severity::Failure, 0,
                 "NVIDIA's library CUPTI can't be loaded (" + why
                     + "), so nothing was recorded: install the Python package nvidia-cuda-cupti "
                       "or the CUDA toolkit, or name the library in PLIMSOLL_CUPTI."};
        return false;
    }
    if (const std::string missing = fill(table, library); !missing.empty()) {
        fault = {StatusCode::CuptiIncomplete, Severity::Failure, 0,
                 "The library CUPTI that was found has no function " + missing
                     + ", so nothing was recorded: use the one of CUDA 12 or 13."};
        return false;
    }
    if (!hasDriver(false)) { // before any call
        fault = noDriver(CUPTI_ERROR_NOT_INITIALIZED);
        return false;
    }
    table.path = pathOf(reinterpret_cast<const void*>(table.GetVersion));
    if (table.GetVersion(&table.version) != CUPTI_SUCCESS)
        table.version = 0;
    if (table.version < kCuda12) {
        fault = {StatusCode::CuptiTooOld, Severity::Failure,
                 static_cast<std::int32_t>(table.version),
                 nameOf(table.version) + " (" + table.path
                     + ") is older than CUDA 12, so nothing was recorded: use the one of CUDA 12 "
                       "or 13."};
        return false;
    }
    if (table.version >= kBeyond13)
        fault = {StatusCode::CuptiNewer, Severity::Warning,
                 static_cast<std::int32_t>(table.version),
                 nameOf(table.version)
                     + " is newer than this Plimsoll knows: compare what was recorded with what "
                       "you expect, or update Plimsoll."};
    return true;
}

} // namespace plimsoll::inject
