// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/rotor_scale.h"

#include "core/base/try.h"
#include "core/solve/chain/rotor/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace plimsoll::solve {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

constexpr std::int64_t kFewestSlots = 16;
constexpr std::int64_t kUsefulSlots = 500;
constexpr std::int64_t kRoundedSlots = 850; ///< where sizes are rounded, unless `finest`
constexpr std::int64_t kMostSpare = 32;
constexpr std::int64_t kMostSlots = std::int64_t{1} << 14;
constexpr std::size_t kHardLimit = std::size_t{1} << 30;      ///< bytes, slots chosen by us
constexpr std::size_t kRequestedLimit = std::size_t{4} << 30; ///< bytes, slots asked for

std::int64_t ceilDiv(std::int64_t value, std::int64_t divisor)
{
    return value / divisor + (value % divisor != 0 ? 1 : 0);
}

/// Calls `visit` once for every size of the chain.
template <typename Chain, typename Visit>
void eachSize(Chain& chain, Visit visit)
{
    for (auto* sizes : {&chain.x, &chain.xbar, &chain.ftmp, &chain.btmp, &chain.ntmp})
        for (auto& size : *sizes)
            visit(size);
    for (auto& variants : chain.variants)
        for (auto& variant : variants)
            for (auto* size : {&variant.xbar, &variant.ftmp, &variant.btmp})
                visit(*size);
}

std::int64_t commonDivisor(const Chain& chain)
{
    std::int64_t divisor = 0;
    eachSize(chain, [&](std::int64_t size) { divisor = std::gcd(divisor, size); });
    return std::max<std::int64_t>(divisor, 1);
}

/// A budget beyond which the recurrence gains nothing.
Result<std::int64_t> usefulBudget(const Chain& chain, Recurrence recurrence)
{
    if (recurrence == Recurrence::Corrected)
        return simulate(chain, keepEverything(chain)).map([](const Simulation& run) {
            return run.peak;
        });
    // The peer's recurrence charges gradients before they exist: assume all sizes at once.
    std::int64_t sum = 0;
    eachSize(chain, [&](std::int64_t size) { sum += size; });
    return sum;
}

Result<void> chooseRounded(RotorScale& scale, std::int64_t budget, int slots, std::size_t cells)
{
    if (slots < 1)
        return failure(ErrorKind::Usage,
                       fmt::format("{} slots are too few for a table; use at least 1.", slots));
    if (budget < slots)
        return failure(ErrorKind::Usage, fmt::format("A budget of {} is smaller than its {} slots; "
                                                     "use fewer slots or a smaller unit.",
                                                     budget, slots));
    const std::size_t rowLimit = kRequestedLimit / sizeof(double) / cells;
    if (static_cast<std::size_t>(slots) >= rowLimit)
        return failure(ErrorKind::Usage,
                       fmt::format("{} slots need a table of more than 4 GiB; use fewer.", slots));
    scale.unit = budget / slots;
    scale.rounded = true;
    scale.slots = slots;
    return {};
}

Result<void> chooseAdaptive(RotorScale& scale, std::int64_t available, std::size_t stages,
                            std::int64_t common, const RotorOptions& options)
{
    const std::size_t cells = (stages + 1) * (stages + 2) / 2;
    const auto fit = [cells](std::size_t bytes) {
        return static_cast<std::int64_t>(bytes / sizeof(double) / cells);
    };
    const std::int64_t hard = fit(kHardLimit) - 1;
    if (hard < kFewestSlots)
        return failure(ErrorKind::Usage,
                       fmt::format("{} stages are too many for this planner; merge some.", stages));
    const auto wish = static_cast<std::int64_t>(stages / 4) + 2;
    const std::int64_t spare = std::clamp<std::int64_t>(wish, 4, kMostSpare);
    // No coarser than users commonly ask for, as long as the table stays within its limit.
    const std::int64_t most =
        std::min(std::clamp(fit(options.tableLimit) - 1, kUsefulSlots + spare, kMostSlots), hard);
    if (available / common <= most) {
        scale.unit = common;
        scale.slots = static_cast<int>(available / common);
        scale.exact = true;
        return {};
    }
    if (options.recurrence == Recurrence::Corrected)
        scale.spare = static_cast<int>(std::min(spare, most / 4));
    const std::int64_t useful =
        options.finest ? most - scale.spare : std::min(most - scale.spare, kRoundedSlots);
    scale.unit = common * ceilDiv(available / common, useful);
    scale.slots = static_cast<int>(available / scale.unit) + scale.spare;
    return {};
}

} // namespace

std::int64_t RotorScale::ceilSlots(std::int64_t sum) const
{
    return ceilDiv(sum, divisor);
}

std::int64_t RotorScale::slotsFor(std::int64_t budget) const
{
    if (rounded)
        return std::min<std::int64_t>(budget / unit, slots) - sizes.x[0];
    const std::int64_t free = budget - sizes.x[0];
    return free < 0 ? -1 : std::min<std::int64_t>(free / unit, slots);
}

std::int64_t RotorScale::budgetOf(std::int64_t count) const
{
    return rounded ? (count + sizes.x[0]) * unit : count * unit + sizes.x[0];
}

Result<RotorScale> rotorScale(const Chain& chain, std::int64_t maxBudget,
                              const RotorOptions& options)
{
    if (maxBudget < 0)
        return failure(ErrorKind::Usage,
                       fmt::format("A budget of {} is negative; use at least 0.", maxBudget));
    RotorScale scale;
    const std::size_t stages = chain.stages();
    const std::size_t cells = (stages + 1) * (stages + 2) / 2;
    ASSIGN_OR_RETURN(const std::int64_t useful, usefulBudget(chain, options.recurrence));
    const std::int64_t common = commonDivisor(chain);
    const std::int64_t available =
        std::max<std::int64_t>(0, std::min(maxBudget, useful) - chain.x[0]);
    RETURN_IF_ERROR(options.slots ? chooseRounded(scale, maxBudget, *options.slots, cells)
                                  : chooseAdaptive(scale, available, stages, common, options));
    // If the budget is no multiple of the requested slots, some of it may be out of reach.
    const bool isWhole = !scale.rounded || scale.unit * scale.slots >= std::min(maxBudget, useful);
    scale.exact = isWhole && common % scale.unit == 0;
    scale.divisor = scale.rounded ? 1 : scale.unit;
    scale.sizes = chain;
    scale.sizes.x.push_back(0);
    scale.sizes.xbar.push_back(0);
    scale.sizes.ftmp.push_back(0);
    if (scale.rounded)
        eachSize(scale.sizes, [&](std::int64_t& size) { size = ceilDiv(size, scale.unit); });
    for (const std::int64_t size : scale.sizes.x)
        scale.x.push_back(scale.ceilSlots(size));
    return scale;
}

} // namespace plimsoll::solve
