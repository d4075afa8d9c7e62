// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::plan {

enum class PlannerState : std::uint8_t {
    NotRun,  ///< not requested
    Unfit,   ///< doesn't support the request: see the reason
    Waiting, ///< waiting for its turn
    Running,
    Over,    ///< finished
    Stopped, ///< before it finished
    Refused, ///< can't plan this step: see the reason
};

/// Peak and step time of a verified plan, as evaluate() has them.
struct ProgressPoint
{
    base::Bytes peak;
    base::Nanoseconds stepTime;

    bool operator==(const ProgressPoint&) const = default;
};

/// The progress of one of several planners, and the plans that it found itself, beaten or not.
struct PlannerProgress
{
    std::string planner; ///< its id
    PlannerState state = PlannerState::NotRun;
    int perMille = 0;                      ///< of a running planner
    base::Nanoseconds took = {};           ///< wall time, once finished
    std::string reason = {};               ///< a sentence
    std::vector<ProgressPoint> found = {}; ///< by rising peak, falling step time
    /// What to ask for the same: "rotor --ways on". Several parts may be of one planner.
    std::string call = {};

    bool operator==(const PlannerProgress&) const = default;
};

/// The progress of planners that run side by side. Written by them, read from any thread at any
/// time.
class PlannerProgressList
{
public:
    explicit PlannerProgressList(std::vector<PlannerProgress> parts) : m_parts{std::move(parts)} {}

    [[nodiscard]] std::vector<PlannerProgress> read() const
    {
        const std::scoped_lock lock{m_mutex};
        return m_parts;
    }
    void change(std::size_t part, const std::function<void(PlannerProgress&)>& how)
    {
        const std::scoped_lock lock{m_mutex};
        how(m_parts.at(part));
    }

private:
    mutable std::mutex m_mutex;
    std::vector<PlannerProgress> m_parts;
};

} // namespace plimsoll::plan
