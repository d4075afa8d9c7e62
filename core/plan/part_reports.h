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

class Frontier;

enum class PartState : std::uint8_t {
    NotRun,  ///< nobody asked
    Unfit,   ///< can't do what was asked: the reason says what
    Waiting, ///< its turn is yet to come
    Running,
    Over,    ///< has found what it finds
    Stopped, ///< before it was over
    Refused, ///< can't plan this step: the reason says why
};

/// Peak and step time of a verified plan, as evaluate() has them.
struct PartPoint
{
    base::Bytes peak;
    base::Nanoseconds stepTime;

    bool operator==(const PartPoint&) const = default;
};

/// Where one of several planners stands, and what it found by itself: also what others beat.
struct PartReport
{
    std::string planner; ///< its id
    PartState state = PartState::NotRun;
    int perMille = 0;                  ///< of one that runs
    base::Nanoseconds took = {};       ///< wall time, once it is over
    std::string reason = {};           ///< a sentence
    std::vector<PartPoint> found = {}; ///< by rising peak, falling step time
    /// What to ask for the same: "rotor --ways on". Several parts may be of one planner.
    std::string call = {};

    bool operator==(const PartReport&) const = default;
};

[[nodiscard]] std::vector<PartPoint> partPoints(const Frontier& frontier);

/// The reports of planners that work side by side. Written while they do, read by anybody at any
/// time.
class PartReports
{
public:
    explicit PartReports(std::vector<PartReport> parts) : m_parts{std::move(parts)} {}

    [[nodiscard]] std::vector<PartReport> read() const;
    void change(std::size_t part, const std::function<void(PartReport&)>& how);

private:
    mutable std::mutex m_mutex;
    std::vector<PartReport> m_parts;
};

} // namespace plimsoll::plan
