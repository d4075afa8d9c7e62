// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/chain.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace plimsoll::solve {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// The limit for sums of sizes, low enough that adding a few of them never overflows.
constexpr std::int64_t kSizeSumLimit = std::int64_t{1} << 60;

Result<void> checkLength(std::string_view name, std::size_t length, std::size_t wanted)
{
    if (length == wanted)
        return {};
    return failure(ErrorKind::File, fmt::format("\"{}\" has {}, not {}.", name,
                                                base::counted(length, "entry", "entries"), wanted));
}

Result<void> checkTimes(std::string_view name, const std::vector<double>& times)
{
    double sum = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        sum += times[i];
        if (!std::isfinite(times[i]) || times[i] < 0 || !std::isfinite(sum))
            return failure(ErrorKind::File,
                           fmt::format("'{}' entry {} is {}; a time is a finite number of at "
                                       "least 0, and so is their sum.",
                                       name, i, times[i]));
    }
    return {};
}

Result<void> checkSizes(std::string_view name, const std::vector<std::int64_t>& sizes,
                        std::int64_t& sum)
{
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] < 0)
            return failure(
                ErrorKind::File,
                fmt::format("'{}' entry {} is {}; a size is at least 0.", name, i, sizes[i]));
        if (sizes[i] > kSizeSumLimit - sum)
            return failure(ErrorKind::File,
                           fmt::format("'{}' entry {} takes the sum of all sizes past {}; use a "
                                       "larger unit.",
                                       name, i, kSizeSumLimit));
        sum += sizes[i];
    }
    return {};
}

} // namespace

StageVariant Chain::variant(std::size_t stage, std::size_t number) const
{
    if (number > 0)
        return variants[stage][number - 1];
    const bool isLoss = stage == stages();
    return {
        isLoss ? 0.0 : ftime[stage], btime[stage], isLoss ? 0 : xbar[stage + 1],
        isLoss ? 0 : ftmp[stage],    btmp[stage],  isLoss || ftail.empty() ? 0.0 : ftail[stage]};
}

std::size_t Chain::fastestVariant(std::size_t stage) const
{
    std::size_t best = 0;
    const auto time = [&](std::size_t number) {
        const StageVariant each = variant(stage, number);
        return each.ftime + each.btime;
    };
    for (std::size_t number = 1; number < variantsOf(stage); ++number)
        if (time(number) < time(best))
            best = number;
    return best;
}

RegionMask::RegionMask(std::size_t stages, bool allowed)
    : m_stages{stages}, m_bits(stages * (stages + 1) / 2, allowed)
{
}

void RegionMask::set(std::size_t first, std::size_t last, bool allowed)
{
    m_bits[index(first, last)] = allowed;
}

namespace {

/// Checks all variants of all stages field by field, so that messages can name an entry.
Result<void> checkWays(const Chain& chain, std::int64_t& sum)
{
    Result<void> ok = checkLength("ways", chain.variants.size(), chain.stages());
    for (std::size_t stage = 0; stage < chain.variants.size() && ok; ++stage) {
        std::vector<double> times;
        std::vector<std::int64_t> sizes;
        for (const StageVariant& variant : chain.variants[stage]) {
            times.insert(times.end(), {variant.ftime, variant.btime, variant.ftail});
            sizes.insert(sizes.end(), {variant.xbar, variant.ftmp, variant.btmp});
        }
        const std::string name = fmt::format("ways[{}]", stage);
        ok = checkTimes(name, times);
        ok = ok ? checkSizes(name, sizes, sum) : ok;
    }
    return ok;
}

/// Checks the fields that a chain may omit.
Result<void> checkOptional(const Chain& chain, std::int64_t& sum)
{
    Result<void> ok;
    if (!chain.ftail.empty())
        ok = checkLength("ftail", chain.ftail.size(), chain.stages());
    if (!chain.ntime.empty()) {
        ok = ok ? checkLength("ntime", chain.ntime.size(), chain.stages()) : ok;
        ok = ok ? checkTimes("ntime", chain.ntime) : ok;
    }
    if (!chain.ntmp.empty()) {
        ok = ok ? checkLength("ntmp", chain.ntmp.size(), chain.stages()) : ok;
        ok = ok ? checkSizes("ntmp", chain.ntmp, sum) : ok;
    }
    if (!chain.variants.empty())
        ok = ok ? checkWays(chain, sum) : ok;
    return ok;
}

} // namespace

Result<void> validate(const Chain& chain)
{
    const std::size_t stages = chain.stages();
    if (stages == 0)
        return failure(ErrorKind::File, "The chain has no stages: 'ftime' is empty.");
    std::int64_t sum = 0;
    Result<void> ok = checkLength("btime", chain.btime.size(), stages + 1);
    ok = ok ? checkLength("x", chain.x.size(), stages + 1) : ok;
    ok = ok ? checkLength("xbar", chain.xbar.size(), stages + 1) : ok;
    ok = ok ? checkLength("ftmp", chain.ftmp.size(), stages) : ok;
    ok = ok ? checkLength("btmp", chain.btmp.size(), stages + 1) : ok;
    ok = ok ? checkTimes("ftime", chain.ftime) : ok;
    ok = ok ? checkTimes("btime", chain.btime) : ok;
    ok = ok ? checkSizes("x", chain.x, sum) : ok;
    ok = ok ? checkSizes("xbar", chain.xbar, sum) : ok;
    ok = ok ? checkSizes("ftmp", chain.ftmp, sum) : ok;
    ok = ok ? checkSizes("btmp", chain.btmp, sum) : ok;
    ok = ok ? checkOptional(chain, sum) : ok;
    if (ok && !chain.regions.allowsAll() && chain.regions.stages() != stages)
        return failure(ErrorKind::Internal,
                       fmt::format("The region mask is for {} stages, the chain has {}.",
                                   chain.regions.stages(), stages));
    return ok;
}

Chain normalised(Chain chain)
{
    for (std::size_t i = 0; i < chain.xbar.size(); ++i)
        chain.xbar[i] = std::max(chain.xbar[i], chain.x[i]);
    for (std::size_t stage = 0; stage < chain.variants.size(); ++stage)
        for (StageVariant& variant : chain.variants[stage])
            variant.xbar = std::max(variant.xbar, chain.x[stage + 1]);
    return chain;
}

Chain withLeftGradients(Chain chain)
{
    const auto leaves = [&chain](std::size_t stage, std::int64_t xbar) {
        return chain.x[stage] - xbar - chain.x[stage + 1];
    };
    for (std::size_t stage = 0; stage < chain.stages(); ++stage)
        chain.btmp[stage] = std::max(chain.btmp[stage], leaves(stage, chain.xbar[stage + 1]));
    for (std::size_t stage = 0; stage < chain.variants.size(); ++stage)
        for (StageVariant& variant : chain.variants[stage])
            variant.btmp = std::max(variant.btmp, leaves(stage, variant.xbar));
    return chain;
}

double baseTime(const Chain& chain)
{
    double time = 0;
    for (std::size_t stage = 0; stage <= chain.stages(); ++stage) {
        const StageVariant variant = chain.variant(stage, chain.fastestVariant(stage));
        time += variant.ftime + variant.btime;
    }
    return time;
}

std::int64_t peakLowerBound(const Chain& chain)
{
    const std::size_t stages = chain.stages();
    std::int64_t bound = chain.x[0] + chain.x[stages] + chain.btmp[stages];
    for (std::size_t i = 0; i < stages; ++i) {
        // The model input stays; a stage's own input is a separate value except in the first stage.
        const std::int64_t inputs = chain.x[0] + (i > 0 ? chain.x[i] : 0);
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (std::size_t number = 0; number < chain.variantsOf(i); ++number) {
            const StageVariant variant = chain.variant(i, number);
            least = std::min(least,
                             variant.xbar + std::max(variant.ftmp, chain.x[i + 1] + variant.btmp));
        }
        bound = std::max(bound, inputs + least);
    }
    return bound;
}

} // namespace plimsoll::solve
