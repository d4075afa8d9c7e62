// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/comparison/phase_axis.h"

#include <algorithm>
#include <utility>

namespace plimsoll::memtrace {

namespace {

/// Of a pair of phases with a name; pairs without one only count where names don't decide.
constexpr std::uint32_t kNamedWeight = 1U << 16U;

/// The pairs of equal keys, in the order of both lists, with the largest weight together, and the
/// earliest of those.
std::vector<std::pair<std::size_t, std::size_t>> commonOf(const std::vector<std::string>& first,
                                                          const std::vector<std::string>& second)
{
    const std::size_t columns = second.size() + 1;
    std::vector<std::uint32_t> best((first.size() + 1) * columns); // of the rest from there on
    const auto weightOf = [&](std::size_t i, std::size_t j) {
        if (first[i] != second[j])
            return std::uint32_t{0};
        return first[i].empty() ? 1U : kNamedWeight;
    };
    for (std::size_t i = first.size(); i-- > 0;)
        for (std::size_t j = second.size(); j-- > 0;) {
            const std::uint32_t weight = weightOf(i, j);
            const std::uint32_t paired = weight == 0 ? 0 : weight + best[(i + 1) * columns + j + 1];
            best[i * columns + j] =
                std::max({paired, best[(i + 1) * columns + j], best[i * columns + j + 1]});
        }
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
        const std::uint32_t weight = weightOf(i, j);
        if (weight > 0 && best[i * columns + j] == weight + best[(i + 1) * columns + j + 1])
            pairs.emplace_back(i++, j++);
        else if (best[i * columns + j] == best[(i + 1) * columns + j])
            ++i;
        else
            ++j;
    }
    return pairs;
}

std::vector<std::string> keysOf(const std::vector<PhaseSpan>& spans)
{
    std::vector<std::string> keys;
    keys.reserve(spans.size());
    for (const PhaseSpan& span : spans)
        keys.push_back(phaseKey(span.name));
    return keys;
}

/// Adds a recording's spans to phases: to those that it has, too, else behind those before.
std::vector<AxisPhase> merged(std::vector<AxisPhase> phases, const std::vector<PhaseSpan>& spans,
                              std::size_t side, std::size_t sideCount)
{
    std::vector<std::string> keys;
    keys.reserve(phases.size());
    for (const AxisPhase& phase : phases)
        keys.push_back(phaseKey(phase.name));
    std::vector<AxisPhase> all;
    std::size_t oldPhase = 0;
    std::size_t span = 0;
    const auto addUntil = [&](std::size_t phaseEnd, std::size_t spanEnd) {
        for (; oldPhase < phaseEnd; ++oldPhase)
            all.push_back(std::move(phases[oldPhase]));
        for (; span < spanEnd; ++span) {
            all.push_back({spans[span].name, 0, 0, {}});
            all.back().spans.resize(sideCount);
            all.back().spans[side] = span;
        }
    };
    for (const auto& [i, j] : commonOf(keys, keysOf(spans))) {
        addUntil(i, j);
        all.push_back(std::move(phases[oldPhase++]));
        all.back().spans[side] = span++;
    }
    addUntil(phases.size(), spans.size());
    return all;
}

struct Extent
{
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// A position of a span, scaled to where the span lies on another axis.
std::int64_t scaled(std::int64_t at, Extent from, Extent to)
{
    const std::int64_t length = from.end - from.begin;
    const std::int64_t into = std::clamp<std::int64_t>(at - from.begin, 0, length);
    if (length == to.end - to.begin)
        return to.begin + into;
    const double share = length == 0 ? 0 : static_cast<double>(into) / static_cast<double>(length);
    return std::min(
        to.end,
        to.begin + static_cast<std::int64_t>(share * static_cast<double>(to.end - to.begin)));
}

} // namespace

PhaseAxis::PhaseAxis(std::vector<std::vector<PhaseSpan>> sides) : m_sides{std::move(sides)}
{
    for (std::size_t side = 0; side < m_sides.size(); ++side)
        m_phases = merged(std::move(m_phases), m_sides[side], side, m_sides.size());
    m_isAligned = shareNames();
    if (m_isAligned) {
        placePhases();
        return;
    }
    m_phases.clear();
    for (const std::vector<PhaseSpan>& spans : m_sides)
        m_length = std::max(m_length, spans.empty() ? 0 : spans.back().end);
}

bool PhaseAxis::shareNames() const
{
    for (std::size_t side = 0; side < m_sides.size(); ++side) {
        const bool shares =
            std::any_of(m_phases.begin(), m_phases.end(), [&](const AxisPhase& phase) {
                const auto isOther = [&](std::size_t other) {
                    return other != side && phase.spans[other].has_value();
                };
                if (phase.name.empty() || !phase.spans[side])
                    return false;
                for (std::size_t other = 0; other < m_sides.size(); ++other)
                    if (isOther(other))
                        return true;
                return false;
            });
        if (!shares && m_sides.size() > 1)
            return false;
    }
    return true;
}

void PhaseAxis::placePhases()
{
    m_phaseOf.resize(m_sides.size());
    for (std::size_t number = 0; number < m_phases.size(); ++number) {
        AxisPhase& phase = m_phases[number];
        phase.begin = m_length;
        for (std::size_t side = 0; side < m_sides.size(); ++side) {
            if (!phase.spans[side])
                continue;
            if (phase.end == 0)
                phase.end = m_length + m_sides[side][*phase.spans[side]].length();
            m_phaseOf[side].push_back(number);
        }
        m_length = phase.end;
    }
}

std::int64_t PhaseAxis::positionOf(std::size_t side, std::int64_t at) const
{
    const std::vector<PhaseSpan>& spans = m_sides[side];
    if (!m_isAligned || spans.empty())
        return std::min(at, m_length);
    const auto behind = std::upper_bound(
        spans.begin(), spans.end(), at,
        [](std::int64_t position, const PhaseSpan& span) { return position < span.begin; });
    const auto span = static_cast<std::size_t>(behind - spans.begin()) - 1;
    const AxisPhase& phase = m_phases[m_phaseOf[side][span]];
    return scaled(at, {spans[span].begin, spans[span].end}, {phase.begin, phase.end});
}

std::int64_t PhaseAxis::ownPositionOf(std::size_t side, std::int64_t position) const
{
    const std::vector<PhaseSpan>& spans = m_sides[side];
    const AxisPhase* const phase = phaseAt(position);
    if (!m_isAligned || spans.empty() || phase == nullptr)
        return position;
    if (phase->spans[side]) {
        const PhaseSpan& span = spans[*phase->spans[side]];
        return scaled(position, {phase->begin, phase->end}, {span.begin, span.end});
    }
    for (const AxisPhase* before = phase; before != m_phases.data(); --before)
        if ((before - 1)->spans[side])
            return spans[*(before - 1)->spans[side]].end;
    return spans.front().begin;
}

const AxisPhase* PhaseAxis::phaseAt(std::int64_t position) const
{
    const auto behind =
        std::upper_bound(m_phases.begin(), m_phases.end(), position,
                         [](std::int64_t at, const AxisPhase& phase) { return at < phase.begin; });
    return behind == m_phases.begin() ? nullptr : &*std::prev(behind);
}

} // namespace plimsoll::memtrace
