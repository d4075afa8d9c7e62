// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/inject/cupti_table.h"
#include "core/capture/wire_activity.h"

#include <cstdint>
#include <mutex>
#include <vector>

namespace plimsoll::inject {

/// Calls of the driver on virtual memory, which expandable segments are made of and of which CUPTI
/// has no activity records: noted by the threads that call, from CUPTI's callbacks. Thread-safe.
class Mappings
{
public:
    /// A callback at the end of a driver's function.
    void note(CUpti_CallbackId function, const CUpti_CallbackData& data, std::uint64_t time);
    /// All that were noted, in order.
    [[nodiscard]] std::vector<capture::wire::Mapping> take();
    /// How many found no room since the start.
    [[nodiscard]] std::uint64_t dropped();

private:
    std::mutex m_mutex;
    std::vector<capture::wire::Mapping> m_noted;
    std::uint64_t m_dropped = 0;
};

/// The functions to be called back for.
[[nodiscard]] const std::vector<CUpti_CallbackId>& mappingFunctions();

} // namespace plimsoll::inject
