// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/remat_moves.h"

#include <algorithm>

namespace plimsoll::solve {

/// A growing set of ops.
struct RematMoves::Gathering
{
    const RematProfile& profile;
    std::uint32_t at;
    std::uint32_t gap;
    DeadOperands operands;
    std::size_t most;
    std::vector<std::uint32_t> ops = {};    ///< in order of their coming
    std::vector<std::uint32_t> values = {}; ///< that they recompute
};

RematMoves::RematMoves(const RematProblem& problem)
    : m_problem{problem}, m_writers(problem.values.size())
{
    for (std::uint32_t op = 0; op < problem.ops.size(); ++op) {
        for (const std::uint32_t value : problem.ops[op].makes)
            m_writers[value].push_back(op);
        for (const std::uint32_t value : problem.ops[op].overwrites) {
            m_overwrites = true;
            if (m_writers[value].empty() || m_writers[value].back() != op)
                m_writers[value].push_back(op);
        }
    }
}

bool RematMoves::isWrittenBy(std::uint32_t op, std::uint32_t value) const
{
    return std::ranges::binary_search(m_writers[value], op);
}

bool RematMoves::isOverwrittenBetween(std::uint32_t value, std::uint32_t op, std::uint32_t at) const
{
    const auto next = std::ranges::upper_bound(m_writers[value], op);
    return next != m_writers[value].end() && *next < at;
}

bool RematMoves::gather(Gathering& gathering, std::uint32_t value) const
{
    if (std::ranges::find(gathering.values, value) != gathering.values.end())
        return true;
    gathering.values.push_back(value);
    for (const std::uint32_t writer : m_writers[value]) {
        if (writer >= gathering.at)
            break;
        if (gathering.profile.isInRow(writer, gathering.at)
            || std::ranges::find(gathering.ops, writer) != gathering.ops.end())
            continue;
        if (!m_problem.ops[writer].mayRepeat || gathering.ops.size() >= gathering.most)
            return false;
        gathering.ops.push_back(writer);
    }
    return true;
}

/// Gathers what an op needs if it is recomputed there.
bool RematMoves::gatherUsed(Gathering& gathering, std::uint32_t op) const
{
    for (const std::uint32_t value : gathering.profile.usedBy(op)) {
        if (isWrittenBy(op, value) || isOverwrittenBetween(value, op, gathering.at)) {
            if (!gather(gathering, value))
                return false;
            continue;
        }
        const RematPosition moment{gathering.at, op};
        if (gathering.operands == DeadOperands::Stay || gathering.profile.isHeld(value, moment))
            continue;
        const std::vector<RematTouch>& touches = gathering.profile.touches(value);
        const std::size_t next = gathering.profile.touchFrom(value, moment);
        const bool isNear = touches[next - 1].moment.at >= gathering.gap;
        const bool isRepeatable = std::ranges::all_of(m_writers[value], [&](std::uint32_t writer) {
            return writer >= gathering.at || m_problem.ops[writer].mayRepeat;
        });
        if (!isRepeatable || (isNear && gathering.operands == DeadOperands::Nearest))
            continue;
        if (!gather(gathering, value))
            return false;
    }
    return true;
}

std::optional<std::vector<std::uint32_t>> RematMoves::anew(const RematProfile& profile,
                                                           std::uint32_t value, std::uint32_t at,
                                                           std::uint32_t gap, DeadOperands operands,
                                                           std::size_t most) const
{
    Gathering gathering{profile, at, gap, operands, most};
    if (!gather(gathering, value))
        return std::nullopt;
    for (std::size_t index = 0; index < gathering.ops.size(); ++index)
        if (!gatherUsed(gathering, gathering.ops[index]))
            return std::nullopt;
    std::ranges::sort(gathering.ops);
    return std::move(gathering.ops);
}

std::vector<std::uint32_t> RematMoves::without(const RematProfile& profile, std::uint32_t op,
                                               std::uint32_t at) const
{
    std::vector<std::uint32_t> gone{op};
    if (!m_overwrites)
        return gone;
    const auto isGone = [&](std::uint32_t other) {
        return std::ranges::find(gone, other) != gone.end();
    };
    const auto needsGone = [&](std::uint32_t other) {
        return std::ranges::any_of(profile.usedBy(other), [&](std::uint32_t value) {
            if (!isWrittenBy(other, value) && !isOverwrittenBetween(value, other, at))
                return false;
            return std::ranges::any_of(m_writers[value], [&](std::uint32_t writer) {
                return writer < at && isGone(writer);
            });
        });
    };
    for (bool hasGrown = true; hasGrown;) {
        hasGrown = false;
        for (const std::uint32_t other : profile.row(at))
            if (!isGone(other) && needsGone(other)) {
                gone.push_back(other);
                hasGrown = true;
            }
    }
    std::ranges::sort(gone);
    return gone;
}

} // namespace plimsoll::solve
