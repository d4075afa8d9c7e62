// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/regions/chain.h"

#include <algorithm>
#include <cstdint>
#include <vector>

/// Chains whose optima were worked out by hand or by exhaustive search.
namespace plimsoll::tests {

inline solve::Chain makeChain(std::vector<double> ftime, std::vector<double> btime,
                              std::vector<std::int64_t> x, std::vector<std::int64_t> xbar,
                              std::vector<std::int64_t> ftmp, std::vector<std::int64_t> btmp)
{
    solve::Chain chain;
    chain.ftime = std::move(ftime);
    chain.btime = std::move(btime);
    chain.x = std::move(x);
    chain.xbar = std::move(xbar);
    chain.ftmp = std::move(ftmp);
    chain.btmp = std::move(btmp);
    return chain;
}

/// Equal stages: forward 1, backward 2, values 1, saved sets `saved`, backward temporaries 1.
inline solve::Chain homogeneous(std::size_t stages, std::int64_t saved)
{
    solve::Chain chain;
    chain.ftime.assign(stages, 1);
    chain.btime.assign(stages, 2);
    chain.btime.push_back(0);
    chain.x.assign(stages + 1, 1);
    chain.xbar.assign(stages + 1, saved);
    chain.xbar[0] = 1;
    chain.ftmp.assign(stages, 0);
    chain.btmp.assign(stages, 1);
    chain.btmp.push_back(0);
    return chain;
}

inline solve::Chain e1()
{
    return homogeneous(6, 3);
}
/// The peer overspends here.
inline solve::Chain e2()
{
    return makeChain({8, 7, 9}, {16, 14, 18, 0}, {4, 1, 2, 3}, {4, 2, 5, 3}, {8, 0, 0},
                     {4, 1, 3, 0});
}
inline solve::Chain e4()
{
    return makeChain({2, 4}, {3, 5, 0}, {1, 2, 1}, {1, 3, 2}, {0, 0}, {1, 2, 0});
}
/// A schedule that isn't persistent is faster here.
inline solve::Chain e6()
{
    return makeChain({5, 9, 3}, {10, 18, 6, 0}, {4, 1, 3, 4}, {4, 4, 5, 7}, {1, 0, 0},
                     {5, 1, 3, 0});
}
inline solve::Chain e7()
{
    return homogeneous(8, 4);
}

/// A repeatable stream of integers, the same with every standard library.
class ChainRandom
{
public:
    explicit ChainRandom(std::uint64_t seed) : m_state{seed * 2654435769U + 88172645463325252U} {}

    /// 0 <= value < bound.
    std::int64_t below(std::int64_t bound)
    {
        m_state ^= m_state << 13U;
        m_state ^= m_state >> 7U;
        m_state ^= m_state << 17U;
        return static_cast<std::int64_t>((m_state >> 11U) % static_cast<std::uint64_t>(bound));
    }
    std::int64_t between(std::int64_t low, std::int64_t high)
    {
        return low + below(high - low + 1);
    }

private:
    std::uint64_t m_state;
};

/// Times 1..20 (0 too when `zeroTimes`), values and saved sets up to `size`, temporaries up to
/// `temporary`.
inline solve::Chain randomChain(ChainRandom& random, std::size_t stages, std::int64_t size,
                                std::int64_t temporary, bool zeroTimes = false)
{
    solve::Chain chain;
    chain.x.push_back(random.between(1, size));
    chain.xbar.push_back(chain.x[0]);
    for (std::size_t i = 0; i < stages; ++i) {
        const auto time =
            static_cast<double>(random.between(zeroTimes ? 0 : 1, zeroTimes ? 3 : 20));
        chain.ftime.push_back(time);
        chain.btime.push_back(2 * time);
        chain.x.push_back(random.between(1, size));
        chain.xbar.push_back(chain.x.back() + random.between(0, size));
        chain.ftmp.push_back(random.between(0, temporary));
        chain.btmp.push_back(chain.x[i] + random.between(0, temporary));
    }
    chain.btime.push_back(0);
    chain.btmp.push_back(0);
    return chain;
}

/// Up to two more ways of each stage, most of them slower and smaller, and forwards without saving
/// of their own.
inline void addVariants(ChainRandom& random, solve::Chain& chain, bool tails)
{
    for (std::size_t stage = 0; stage < chain.stages(); ++stage) {
        std::vector<solve::StageVariant>& variants = chain.variants.emplace_back();
        for (std::int64_t more = random.below(3); more > 0; --more) {
            solve::StageVariant variant = chain.variant(stage, 0);
            variant.btime += static_cast<double>(random.between(-1, 8));
            variant.btime = std::max(variant.btime, 0.0);
            variant.ftime += static_cast<double>(random.below(3));
            variant.xbar = chain.x[stage + 1] + random.below(8);
            variant.ftmp = random.below(6);
            variant.btmp = chain.x[stage] + random.below(8);
            variant.ftail = tails ? variant.ftail / 2 : 0;
            variants.push_back(variant);
        }
        const double least = chain.ftail.empty() ? 0.0 : chain.ftail[stage];
        chain.ntime.push_back(
            std::max(least, chain.ftime[stage] - static_cast<double>(random.below(3))));
        chain.ntmp.push_back(random.below(6));
    }
}

/// Times 1..100, sizes in bytes up to 64 MiB: too large for an exact table.
inline solve::Chain largeChain(ChainRandom& random, std::size_t stages)
{
    solve::Chain chain = randomChain(random, stages, std::int64_t{64} << 20, 16 << 20);
    for (std::size_t i = 0; i < stages; ++i) {
        chain.ftime[i] = static_cast<double>(random.between(1, 100));
        chain.btime[i] = 2 * chain.ftime[i];
    }
    return chain;
}

/// A share in percent of all that the stages save.
inline std::int64_t shareOfSaved(const solve::Chain& chain, std::int64_t percent)
{
    std::int64_t saved = 0;
    for (const std::int64_t size : chain.xbar)
        saved += size;
    return saved * percent / 100;
}

} // namespace plimsoll::tests
