// SPDX-License-Identifier: Apache-2.0
#include "core/solve/bounds/remat_gaps.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace plimsoll::solve {

namespace {

class Finder
{
public:
    explicit Finder(const RematProblem& problem)
        : m_problem{problem}
        , m_uses(problem.values.size())
        , m_writers(problem.values.size())
        , m_tailOf(problem.values.size(), RematGaps::kNoTail)
    {
    }

    RematGaps find() &&
    {
        collectUses();
        m_found.fixed = m_problem.floor;
        m_found.fixed.resize(m_problem.ops.size(), 0);
        for (std::uint32_t value = 0; value < m_uses.size(); ++value)
            for (const std::uint32_t op : m_uses[value])
                if (op < m_problem.ops.size())
                    m_found.fixed[op] += m_problem.values[value].size;
        addGaps();
        for (std::uint32_t tail = 0; tail < m_tailValues.size(); ++tail)
            addTail(tail); // which may find further ones
        share();
        listGaps();
        m_found.tailOf = std::move(m_tailOf);
        return std::move(m_found);
    }

private:
    void collectUses();
    void addGaps();
    void addTail(std::uint32_t index);
    void share();
    void listGaps();
    void addNeeds(std::uint32_t op, std::uint32_t value, std::uint32_t until);

    [[nodiscard]] std::int64_t sizeOf(std::uint32_t value) const
    {
        return m_problem.values[value].size;
    }
    /// Ops that have written the value when `op` is done: these must run again to have it as it
    /// then was.
    [[nodiscard]] std::span<const std::uint32_t> writersUntil(std::uint32_t value,
                                                              std::uint32_t op) const
    {
        const std::vector<std::uint32_t>& all = m_writers[value];
        const auto end = std::upper_bound(all.begin(), all.end(), op);
        return {all.begin(), end};
    }

    const RematProblem& m_problem;
    std::vector<std::vector<std::uint32_t>> m_uses;    ///< by value, the end as an op, too
    std::vector<std::vector<std::uint32_t>> m_writers; ///< by value, its maker first
    std::vector<std::uint32_t> m_tailValues;           ///< by tail
    std::vector<std::uint32_t> m_tailOf;               ///< by value
    RematGaps m_found;
};

void Finder::collectUses()
{
    const auto add = [](std::vector<std::uint32_t>& list, std::uint32_t op) {
        if (list.empty() || list.back() != op)
            list.push_back(op);
    };
    const auto count = static_cast<std::uint32_t>(m_problem.ops.size());
    for (std::uint32_t index = 0; index < count; ++index) {
        const RematOp& op = m_problem.ops[index];
        for (const auto* values : {&op.reads, &op.makes, &op.overwrites})
            for (const std::uint32_t value : *values)
                add(m_uses[value], index);
        for (const auto* values : {&op.makes, &op.overwrites})
            for (const std::uint32_t value : *values)
                add(m_writers[value], index);
    }
    for (std::uint32_t value = 0; value < m_uses.size(); ++value)
        if (m_problem.values[value].isKept)
            m_uses[value].push_back(count);
}

void Finder::addGaps()
{
    struct Place
    {
        std::uint32_t begin, end, value;
    };
    std::vector<Place> places;
    for (std::uint32_t value = 0; value < m_uses.size(); ++value)
        for (std::size_t use = 0; use + 1 < m_uses[value].size() && sizeOf(value) > 0; ++use)
            if (m_uses[value][use + 1] - m_uses[value][use] > 1)
                places.push_back({m_uses[value][use], m_uses[value][use + 1], value});
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& a, const Place& b) { return a.begin < b.begin; });
    std::vector<std::int64_t> change(m_problem.ops.size() + 1, 0);
    for (const Place& place : places) {
        const auto writers = writersUntil(place.value, place.begin);
        if (std::ranges::all_of(writers,
                                [this](std::uint32_t op) { return m_problem.ops[op].mayRepeat; })) {
            RematGap gap{place.begin + 1, place.end - 1, place.value, sizeOf(place.value)};
            gap.needsFrom = m_found.needs.size();
            for (const std::uint32_t writer : writers)
                addNeeds(writer, place.value, place.end - 1);
            gap.needsTo = m_found.needs.size();
            m_found.gaps.push_back(gap);
            continue;
        }
        change[place.begin + 1] += sizeOf(place.value);
        change[place.end] -= sizeOf(place.value);
    }
    std::int64_t undroppable = 0;
    for (std::size_t op = 0; op < m_problem.ops.size(); ++op) {
        undroppable += change[op];
        m_found.fixed[op] += undroppable;
    }
}

/// What an op's repetition reads. What the given order has no use for from op `until` on has a
/// tail.
void Finder::addNeeds(std::uint32_t op, std::uint32_t value, std::uint32_t until)
{
    for (const auto* values : {&m_problem.ops[op].reads, &m_problem.ops[op].overwrites})
        for (const std::uint32_t operand : *values) {
            if (operand == value || sizeOf(operand) == 0)
                continue;
            m_found.needs.push_back(operand);
            std::uint32_t& tail = m_tailOf[operand];
            if (m_uses[operand].back() >= until || tail != RematGaps::kNoTail)
                continue;
            tail = static_cast<std::uint32_t>(m_tailValues.size());
            m_tailValues.push_back(operand);
        }
}

void Finder::addTail(std::uint32_t index)
{
    const std::uint32_t value = m_tailValues[index];
    const std::uint32_t last = m_uses[value].back();
    const std::uint32_t maker = m_writers[value].front();
    RematTail tail{last + 1, sizeOf(value)};
    tail.needsFrom = m_found.needs.size();
    if (m_problem.ops[maker].mayRepeat)
        addNeeds(maker, value, static_cast<std::uint32_t>(m_problem.ops.size()));
    tail.needsTo = m_found.needs.size();
    m_found.tails.push_back(tail);
}

/// Spreads each op's time over the values that rely on its repetition.
void Finder::share()
{
    std::vector<std::size_t> relied(m_problem.values.size(), 0); // writers of each value
    for (const RematGap& gap : m_found.gaps) {
        const std::size_t count = writersUntil(gap.value, gap.first - 1).size();
        relied[gap.value] = std::max(relied[gap.value], count);
    }
    for (const std::uint32_t value : m_tailValues)
        relied[value] = std::max<std::size_t>(relied[value], 1);
    std::vector<std::int64_t> bytes(m_problem.ops.size(), 0);
    for (std::uint32_t value = 0; value < relied.size(); ++value)
        for (std::size_t writer = 0; writer < relied[value]; ++writer)
            bytes[m_writers[value][writer]] += sizeOf(value);
    const auto shareOf = [&](std::uint32_t op, std::uint32_t value) {
        return m_problem.ops[op].time * static_cast<double>(sizeOf(value))
               / static_cast<double>(bytes[op]);
    };
    for (RematGap& gap : m_found.gaps)
        for (const std::uint32_t op : writersUntil(gap.value, gap.first - 1))
            gap.cost += shareOf(op, gap.value);
    for (std::size_t tail = 0; tail < m_found.tails.size(); ++tail) {
        const std::uint32_t maker = m_writers[m_tailValues[tail]].front();
        m_found.tails[tail].cost = m_problem.ops[maker].mayRepeat
                                       ? shareOf(maker, m_tailValues[tail])
                                       : std::numeric_limits<double>::infinity();
    }
}

/// The gaps of each value that is written once, so that it never is there in another version.
void Finder::listGaps()
{
    std::vector<std::size_t>& from = m_found.gapsFrom;
    from.assign(m_problem.values.size() + 1, 0);
    const auto isOnce = [this](const RematGap& gap) { return m_writers[gap.value].size() == 1; };
    for (const RematGap& gap : m_found.gaps)
        from[gap.value + 1] += isOnce(gap) ? 1U : 0U;
    std::partial_sum(from.begin(), from.end(), from.begin());
    m_found.gapsOf.resize(from.back());
    std::vector<std::size_t> next = from;
    for (std::uint32_t index = 0; index < m_found.gaps.size(); ++index)
        if (const RematGap& gap = m_found.gaps[index]; isOnce(gap))
            m_found.gapsOf[next[gap.value]++] = index;
}

} // namespace

RematGaps gapsOf(const RematProblem& problem)
{
    return Finder{problem}.find();
}

} // namespace plimsoll::solve
