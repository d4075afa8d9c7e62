// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/inject/faults.h"

#include <cupti.h>

#include <cstdint>
#include <string>

namespace plimsoll::inject {

/// CUPTI's functions that recording takes, and those it can do without (null where the library
/// hasn't them). Found at run time: one recorder serves CUDA 12 and 13, and a program without
/// CUPTI starts as ever.
#define PLIMSOLL_CUPTI_NEEDED(f)                                                                   \
    f(GetVersion) f(GetTimestamp) f(Subscribe) f(EnableCallback) f(ActivityEnable)                 \
        f(ActivityDisable) f(ActivityRegisterCallbacks) f(ActivityGetNextRecord)                   \
            f(ActivityGetNumDroppedRecords) f(ActivityFlushAll)
#define PLIMSOLL_CUPTI_OPTIONAL(f)                                                                 \
    f(Subscribe_v2) f(SetThreadIdType) f(ActivitySetAttribute) f(ActivityEnableRuntimeApi)         \
        f(ActivityEnableDriverApi)

struct CuptiTable
{
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name can't have them
#define PLIMSOLL_CUPTI_MEMBER(name) decltype(&::cupti##name) name = nullptr;
    PLIMSOLL_CUPTI_NEEDED(PLIMSOLL_CUPTI_MEMBER)
    PLIMSOLL_CUPTI_OPTIONAL(PLIMSOLL_CUPTI_MEMBER)
#undef PLIMSOLL_CUPTI_MEMBER
    std::uint32_t version = 0; ///< what the library says of itself; 0: not loaded
    std::string path;          ///< of the library
};

/// From here on a client may refuse to give a buffer (CUDA 12.9); older versions crashed.
inline constexpr std::uint32_t kMayRefuseBuffers = 27;

/// Of a call of CUPTI that failed with this result.
[[nodiscard]] Fault noDriver(CUptiResult result);

/// False, and the fault, if there is no CUPTI that can be used. A fault beside true is a warning.
[[nodiscard]] bool loadCupti(const std::string& named, CuptiTable& table, Fault& fault);

} // namespace plimsoll::inject
