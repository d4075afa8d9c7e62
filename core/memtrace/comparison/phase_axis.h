// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/comparison/phase_spans.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::memtrace {

/// A phase of a common axis.
struct AxisPhase
{
    std::string name;
    std::int64_t begin = 0; ///< on the common axis
    std::int64_t end = 0;
    /// By recording: which of its spans it is; none: the recording doesn't have the phase.
    std::vector<std::optional<std::size_t>> spans;

    bool operator==(const AxisPhase&) const = default;
};

/// An axis that several recordings share. Phases that they have in common begin and end at the same
/// positions; a phase that only some have is as long as in the first of these, and nothing happens
/// there in the others. Within a phase, positions of a recording are scaled linearly.
class PhaseAxis
{
public:
    /// `sides`: the spans of each recording, as phaseSpans() returns them; at least one.
    explicit PhaseAxis(std::vector<std::vector<PhaseSpan>> sides);

    /// False: some recording has no named phase in common with those before it. Then all of them
    /// begin at 0, none is scaled, and there are no phases.
    [[nodiscard]] bool isAligned() const { return m_isAligned; }
    /// In order, without gaps.
    [[nodiscard]] const std::vector<AxisPhase>& phases() const { return m_phases; }
    [[nodiscard]] const std::vector<PhaseSpan>& spansOf(std::size_t side) const
    {
        return m_sides[side];
    }
    [[nodiscard]] std::int64_t length() const { return m_length; }
    /// The position of one in a recording; never falls. One where two spans meet belongs to the
    /// second.
    [[nodiscard]] std::int64_t positionOf(std::size_t side, std::int64_t at) const;
    /// The other way round: where a recording is at a position of the common axis. Where it has no
    /// such phase it waits at the end of the one before.
    [[nodiscard]] std::int64_t ownPositionOf(std::size_t side, std::int64_t position) const;
    /// The phase at a position of the common axis; null: there is none.
    [[nodiscard]] const AxisPhase* phaseAt(std::int64_t position) const;

private:
    [[nodiscard]] bool shareNames() const;
    void placePhases();

    std::vector<std::vector<PhaseSpan>> m_sides;
    std::vector<AxisPhase> m_phases;
    std::vector<std::vector<std::size_t>> m_phaseOf; ///< by side and span
    std::int64_t m_length = 0;
    bool m_isAligned = false;
};

} // namespace plimsoll::memtrace
