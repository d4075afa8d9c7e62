// SPDX-License-Identifier: Apache-2.0
// cudaGetDriverEntryPointByVersion(): functions of the driver by their names. One that the stand-in
// has not is given as a function that says its name and fails.
#include "tests/stand_in_gpu/settings.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <array>
#include <dlfcn.h>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::stand_in {

namespace {

constexpr std::size_t kMostMissing = 128;

std::mutex missingMutex;
std::vector<std::string> missingNames; ///< reserved once: the texts never move

template <std::size_t at>
CUresult missing()
{
    reportMissing(missingNames[at].c_str());
    return CUDA_ERROR_NOT_SUPPORTED;
}

template <std::size_t... at>
constexpr auto missingFunctions(std::index_sequence<at...> /*all*/)
{
    return std::array<CUresult (*)(), sizeof...(at)>{&missing<at>...};
}

void* missingFunction(const std::string& name)
{
    static constexpr auto kFunctions = missingFunctions(std::make_index_sequence<kMostMissing>{});
    const std::lock_guard lock{missingMutex};
    missingNames.reserve(kMostMissing);
    for (std::size_t i = 0; i < missingNames.size(); ++i)
        if (missingNames[i] == name)
            return reinterpret_cast<void*>(kFunctions[i]);
    if (missingNames.size() == kMostMissing)
        return nullptr;
    missingNames.push_back(name);
    return reinterpret_cast<void*>(kFunctions[missingNames.size() - 1]);
}

} // namespace

} // namespace plimsoll::stand_in

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                                        unsigned int /*version*/,
                                                        unsigned long long /*flags*/,
                                                        cudaDriverEntryPointQueryResult* status)
{
    const std::string name{symbol};
    *function = dlsym(RTLD_DEFAULT, (name + "_v2").c_str());
    if (*function == nullptr)
        *function = dlsym(RTLD_DEFAULT, name.c_str());
    if (*function == nullptr)
        *function = plimsoll::stand_in::missingFunction(name);
    if (status != nullptr)
        *status =
            *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
