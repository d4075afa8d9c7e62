// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/wire.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::inject {

/// What the user should know, as one sentence; it becomes a Status record.
struct Fault
{
    capture::wire::StatusCode code{};
    capture::wire::Severity severity = capture::wire::Severity::Failure;
    std::int32_t detail = 0; ///< CUPTI's result or errno
    std::string text;
};

/// Faults that are not written yet. Thread-safe.
class Faults
{
public:
    void note(Fault fault)
    {
        const std::lock_guard lock{m_mutex};
        if (m_noted.size() < kMost)
            m_noted.push_back(std::move(fault));
    }
    [[nodiscard]] std::vector<Fault> take()
    {
        const std::lock_guard lock{m_mutex};
        return std::exchange(m_noted, {});
    }

private:
    static constexpr std::size_t kMost = 16; ///< a library that fails may fail at each call

    std::mutex m_mutex;
    std::vector<Fault> m_noted;
};

} // namespace plimsoll::inject
