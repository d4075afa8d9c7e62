// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"

#include <mutex>
#include <utility>

namespace plimsoll::ui {

/// Where a planning job stores its partial results. Thread-safe.
class PlannedSoFar
{
public:
    void put(workspace::PlannedPtr planned)
    {
        const std::scoped_lock lock{m_mutex};
        m_latest = std::move(planned);
        m_isNew = true;
    }

    /// Null if there are none yet.
    [[nodiscard]] workspace::PlannedPtr latest() const
    {
        const std::scoped_lock lock{m_mutex};
        return m_latest;
    }

    /// Null if there is nothing new since the last call.
    [[nodiscard]] workspace::PlannedPtr takeNew()
    {
        const std::scoped_lock lock{m_mutex};
        return std::exchange(m_isNew, false) ? m_latest : nullptr;
    }

private:
    mutable std::mutex m_mutex;
    workspace::PlannedPtr m_latest;
    bool m_isNew = false;
};

} // namespace plimsoll::ui
