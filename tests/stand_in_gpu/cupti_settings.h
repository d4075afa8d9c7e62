// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace plimsoll::stand_in {

/// How the stand-in CUPTI behaves, from environment variables (README.md).
struct CuptiSettings
{
    std::uint32_t version = 130202; ///< what cuptiGetVersion() answers; sizes of records follow it
    bool late = false;              ///< buffers come back when flushed only, the newest first
    bool perThread = false;         ///< each thread fills buffers of its own, whatever was asked
    bool cut = false;               ///< the first buffer ends in the middle of a record
    bool noDriver = false;          ///< every call that needs a driver fails with 999
    std::size_t dropEach = 0;       ///< each such record is lost; 0: none
    std::string wrong;              ///< what records of memory say wrongly; empty: nothing
    std::string subscriber;         ///< a tool that is attached already; empty: none
};

[[nodiscard]] const CuptiSettings& cuptiSettings();

} // namespace plimsoll::stand_in
