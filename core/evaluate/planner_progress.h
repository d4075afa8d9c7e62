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
    NotRun,  ///< nobody asked
    Unfit,   ///< can't do what was asked: the reason says what
    Waiting, ///< its turn is yet to come
    Running,
    Over,    ///< has found what it finds
    Stopped, ///< before it was over
    Refused, ///< can't plan this step: the reason says why
};

/// Peak and step time of a verified plan, as evaluate() has them.
struct ProgressPoint
{
    base::Bytes peak;
    base::Nanoseconds stepTime;

    bool operator==(const ProgressPoint&) const = default;
};

/// Where one of several planners stands, and what it found by itself: also what others beat.
struct PlannerProgress
{
    std::string planner; ///< its id
    PlannerState state = PlannerState::NotRun;
    int perMille = 0;                      ///< of one that runs
    base::Nanoseconds took = {};           ///< wall time, once it is over
    std::string reason = {};               ///< a sentence
    std::vector<ProgressPoint> found = {}; ///< by rising peak, falling step time
    /// What to ask for the same: "rotor --ways on". Several parts may be of one planner.
    std::string call = {};

    bool operator==(const PlannerProgress&) const = default;
};

/// The reports of planners that work side by side. Written while they do, read by anybody at any
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
