// SPDX-License-Identifier: Apache-2.0
#include "core/base/align.h"

#include <algorithm>

namespace plimsoll::base {

namespace {

using Values = std::span<const std::uint64_t>;

/// Myers' greedy search: the furthest position in `a` on each diagonal a - b, after each number of
/// differences.
class EditGraph
{
public:
    EditGraph(Values a, Values b) : m_a{a}, m_b{b} {}

    [[nodiscard]] Aligned path()
    {
        const std::size_t differences = search();
        return walkBack(differences);
    }

private:
    [[nodiscard]] int sizeA() const { return static_cast<int>(m_a.size()); }
    [[nodiscard]] int sizeB() const { return static_cast<int>(m_b.size()); }
    [[nodiscard]] bool isEqual(int atA, int atB) const
    {
        return m_a[static_cast<std::size_t>(atA)] == m_b[static_cast<std::size_t>(atB)];
    }
    /// Furthest position on a diagonal after `round` differences. A round r has the diagonals -r,
    /// -r + 2 … r.
    [[nodiscard]] int reached(int round, int diagonal) const
    {
        return m_rounds[static_cast<std::size_t>(round)]
                       [static_cast<std::size_t>((diagonal + round) / 2)];
    }
    /// Whether the best way to a diagonal in a round leaves out a value of `b`.
    [[nodiscard]] bool skipsB(int round, int diagonal) const
    {
        return diagonal == -round
               || (diagonal != round
                   && reached(round - 1, diagonal - 1) < reached(round - 1, diagonal + 1));
    }
    [[nodiscard]] int begin(int round, int diagonal) const
    {
        if (round == 0)
            return 0;
        return skipsB(round, diagonal) ? reached(round - 1, diagonal + 1)
                                       : reached(round - 1, diagonal - 1) + 1;
    }
    /// Returns how many differences there are.
    [[nodiscard]] std::size_t search()
    {
        for (int round = 0; round <= sizeA() + sizeB(); ++round) {
            std::vector<int> furthest;
            furthest.reserve(static_cast<std::size_t>(round) + 1);
            for (int diagonal = -round; diagonal <= round; diagonal += 2) {
                int at = begin(round, diagonal);
                while (at < sizeA() && at - diagonal < sizeB() && isEqual(at, at - diagonal))
                    ++at;
                furthest.push_back(at);
                if (at >= sizeA() && at - diagonal >= sizeB()) {
                    m_rounds.push_back(std::move(furthest));
                    return static_cast<std::size_t>(round);
                }
            }
            m_rounds.push_back(std::move(furthest));
        }
        return m_a.size() + m_b.size();
    }
    [[nodiscard]] Aligned walkBack(std::size_t differences) const
    {
        Aligned pairs;
        int at = sizeA();
        int diagonal = sizeA() - sizeB();
        for (int round = static_cast<int>(differences); round >= 0; --round) {
            const int first = begin(round, diagonal);
            for (; at > first; --at)
                pairs.emplace_back(at - 1, at - 1 - diagonal);
            if (round == 0)
                break;
            const bool skips = skipsB(round, diagonal);
            at = skips ? first : first - 1;
            diagonal += skips ? 1 : -1;
        }
        std::ranges::reverse(pairs);
        return pairs;
    }

    Values m_a;
    Values m_b;
    std::vector<std::vector<int>> m_rounds;
};

} // namespace

Aligned alignSequences(Values a, Values b)
{
    Aligned pairs;
    std::size_t fromA = 0;
    std::size_t fromB = 0;
    while (fromA < a.size() && fromB < b.size()) {
        const Values pieceA = a.subspan(fromA, std::min(kAlignedPiece, a.size() - fromA));
        const Values pieceB = b.subspan(fromB, std::min(kAlignedPiece, b.size() - fromB));
        const bool isLast = fromA + pieceA.size() == a.size() && fromB + pieceB.size() == b.size();
        // The end of a piece may go with what follows the other one: the next piece decides.
        const std::size_t certain = isLast ? kAlignedPiece : kAlignedPiece / 2;
        std::size_t nextA = fromA + std::min(certain, pieceA.size());
        std::size_t nextB = fromB + std::min(certain, pieceB.size());
        for (const auto& [atA, atB] : EditGraph{pieceA, pieceB}.path()) {
            if (atA >= certain || atB >= certain)
                break;
            pairs.emplace_back(fromA + atA, fromB + atB);
        }
        if (!isLast && !pairs.empty() && pairs.back().first >= fromA) {
            nextA = pairs.back().first + std::size_t{1};
            nextB = pairs.back().second + std::size_t{1};
        }
        fromA = nextA;
        fromB = nextB;
    }
    return pairs;
}

} // namespace plimsoll::base
