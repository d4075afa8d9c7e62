// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/nonpersistent.h"

#include "core/solve/chain/rotor/rotor_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

namespace plimsoll::solve {

using base::ErrorKind;
using base::failure;
using base::JobContext;
using base::Result;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace

/// Bytes and time of a single stage's forward and backward.
std::pair<std::int64_t, double> NonPersistentTable::baseOf(std::size_t i, std::size_t variant) const
{
    const StageVariant sizes = m_scale.sizes.variant(i, variant);
    const StageVariant times = m_chain.variant(i, variant);
    return {m_scale.sizes.x[i + 1] + sizes.xbar + std::max(sizes.ftmp, sizes.btmp),
            times.ftime + times.btime};
}

void NonPersistentTable::fillBase(std::size_t i)
{
    const Chain& sizes = m_scale.sizes;
    const bool isLoss = i + 1 == m_rows;
    const auto width = static_cast<std::int64_t>(m_stride);
    const auto fillFrom = [&](std::vector<double>& table, std::int64_t need, double time) {
        double* const out = table.data() + cell(i, i);
        std::for_each(out + std::min(m_scale.ceilSlots(need), width), out + width,
                      [time](double& value) { value = std::min(value, time); });
    };
    for (std::size_t variant = 0; variant < m_chain.variantsOf(i); ++variant) {
        const auto [need, time] = baseOf(i, variant);
        fillFrom(m_cost, need, time);
    }
    if (!isLoss)
        fillFrom(m_saved, sizes.x[i + 1] + sizes.xbar[i + 1] + sizes.btmp[i], m_chain.btime[i]);
}

template <typename Visit>
void NonPersistentTable::eachChoice(bool isSaved, std::size_t i, std::size_t k, Visit visit) const
{
    const Chain& sizes = m_scale.sizes;
    // In memory whatever is done here: the gradient, and what stage k has saved.
    const std::int64_t held = sizes.x[k + 1] + (isSaved ? sizes.xbar[k + 1] : 0);
    for (std::size_t number = 0; number < m_chain.variantsOf(i); ++number) {
        const StageVariant variant = sizes.variant(i, number);
        const StageVariant times = m_chain.variant(i, number);
        const std::int64_t need =
            std::max(held + variant.ftmp, sizes.x[i + 1] + variant.btmp) + variant.xbar;
        visit(Choice{Move::Save, i, number, times.ftime + times.btime, m_scale.ceilSlots(need),
                     m_scale.ceilSlots(variant.xbar), row(isSaved, i + 1, k), nullptr});
    }
    // Of i..j-1, none of which saves.
    std::int64_t running = sizes.x[i + 1] + sizes.plainTemporary(i);
    for (std::size_t j = i + 1; j <= k; ++j) {
        const double time = m_prefix[j] - m_prefix[i];
        visit(Choice{Move::Keep, j, 0, time, m_scale.ceilSlots(held + running), m_scale.x[j],
                     row(isSaved, j, k), row(false, i, j - 1)});
        if (j == k)
            break; // stage k either is the loss, has saved, or gains nothing by it
        const std::int64_t saving = sizes.x[j] + sizes.xbar[j + 1] + sizes.ftmp[j];
        visit(Choice{Move::Float, j, 0, time + m_chain.ftime[j],
                     m_scale.ceilSlots(held + std::max(running, saving)), m_scale.xbar[j + 1],
                     row(isSaved, j + 1, k), row(true, i, j)});
        running = std::max(running, sizes.x[j] + sizes.x[j + 1] + sizes.plainTemporary(j));
    }
}

void NonPersistentTable::fillRow(bool isSaved, std::size_t i, std::size_t k)
{
    double* const out = (isSaved ? m_saved : m_cost).data() + cell(i, k);
    const auto width = static_cast<std::int64_t>(m_stride);
    eachChoice(isSaved, i, k, [out, width](const Choice& choice) {
        const std::int64_t start = std::max(choice.need, choice.kept);
        if (start >= width)
            return;
        const auto count = static_cast<std::size_t>(width - start);
        const double* const right = choice.right + (start - choice.kept);
        if (choice.left == nullptr)
            minAddRow(out + start, right, choice.time, count);
        else
            minPlusRow(out + start, right, choice.left + start, choice.time, count);
    });
    // Equal sums in another order must not make it rise.
    for (std::int64_t m = 1; m < width; ++m)
        out[m] = std::min(out[m], out[m - 1]);
}

Result<NonPersistentTable> NonPersistentTable::build(const Chain& chain, std::int64_t maxBudget,
                                                     const RotorOptions& options,
                                                     const JobContext& job)
{
    if (Result<void> valid = validate(chain); !valid)
        return tl::unexpected{valid.error()};
    if (!chain.regions.allowsAll() || !chain.ftail.empty() || chain.variantsOnce)
        return failure(ErrorKind::Internal, "Non-persistent schedules know no forbidden regions "
                                            "or ways and no recomputations that end early.");
    NonPersistentTable table;
    table.m_chain = normalised(chain);
    RotorOptions each = options;
    each.tableLimit = options.tableLimit / 2;
    Result<RotorScale> scale = rotorScale(table.m_chain, maxBudget, each);
    if (!scale)
        return tl::unexpected{scale.error()};
    table.m_scale = std::move(*scale);
    table.m_rows = chain.stages() + 1;
    table.m_stride = static_cast<std::size_t>(table.m_scale.slots) + 1;
    const std::size_t count = table.m_rows * (table.m_rows + 1) / 2 * table.m_stride;
    try {
        table.m_cost.assign(count, kInfinity);
        table.m_saved.assign(count, kInfinity);
    } catch (const std::bad_alloc&) {
        return failure(ErrorKind::Usage,
                       fmt::format("The tables of {} stages and {} slots do not fit into this "
                                   "machine's memory; use fewer slots.",
                                   chain.stages(), table.m_stride - 1));
    }
    table.m_prefix.assign(table.m_rows, 0.0);
    for (std::size_t i = 0; i < chain.stages(); ++i)
        table.m_prefix[i + 1] = table.m_prefix[i] + table.m_chain.plainTime(i);
    for (std::size_t i = table.m_rows; i-- > 0;) {
        table.fillBase(i);
        for (std::size_t k = i + 1; k < table.m_rows; ++k) {
            if (job.stopRequested())
                return base::cancelled();
            table.fillRow(false, i, k);
            if (k + 1 < table.m_rows)
                table.fillRow(true, i, k);
        }
        job.report(table.m_rows - i, table.m_rows);
    }
    return table;
}

TopRow NonPersistentTable::top() const
{
    return {row(false, 0, m_rows - 1), m_scale, [this](std::int64_t slots) {
                Sequence sequence;
                walk(false, 0, m_rows - 1, slots, sequence);
                return sequence;
            }};
}

double NonPersistentTable::valueOf(const Choice& choice, std::int64_t slots)
{
    if (slots < choice.need || slots < choice.kept)
        return kInfinity;
    const double right = choice.right[slots - choice.kept];
    return choice.left == nullptr ? choice.time + right
                                  : (choice.time + right) + choice.left[slots];
}

/// The first of the best in the order save, keep, float by rising j; lowers `slots` as far as the
/// time stays the same.
NonPersistentTable::Choice NonPersistentTable::choose(bool isSaved, std::size_t i, std::size_t k,
                                                      std::int64_t& slots) const
{
    const double* const begin = row(isSaved, i, k);
    const double bound = begin[slots] * kEqualTimes;
    slots =
        std::partition_point(begin, begin + slots, [bound](double value) { return value > bound; })
        - begin;
    Choice best;
    double least = kInfinity;
    eachChoice(isSaved, i, k, [&](const Choice& choice) {
        const double value = valueOf(choice, slots);
        if (value * kEqualTimes < least) {
            best = choice;
            least = value;
        }
    });
    return best;
}

/// The first of the fastest that fit.
std::size_t NonPersistentTable::baseVariant(std::size_t i, std::int64_t slots) const
{
    std::size_t best = 0;
    double least = kInfinity;
    for (std::size_t variant = 0; variant < m_chain.variantsOf(i); ++variant)
        if (const auto [need, time] = baseOf(i, variant);
            m_scale.ceilSlots(need) <= slots && time < least) {
            best = variant;
            least = time;
        }
    return best;
}

void NonPersistentTable::walk(bool isSaved, std::size_t i, std::size_t k, std::int64_t slots,
                              Sequence& out) const
{
    const auto emit = [&out](ChainOpKind kind, std::size_t stage, std::size_t variant = 0) {
        out.push_back({kind, static_cast<std::int32_t>(stage), static_cast<std::int32_t>(variant)});
    };
    if (i == k && i + 1 == m_rows) {
        out.push_back({});
        return;
    }
    if (i == k) {
        if (!isSaved)
            emit(ChainOpKind::Enable, i, baseVariant(i, slots));
        emit(ChainOpKind::Backward, i);
        return;
    }
    const Choice choice = choose(isSaved, i, k, slots);
    const std::int64_t rest = slots - choice.kept;
    if (choice.move == Move::Save) {
        emit(ChainOpKind::Enable, i, choice.variant);
        walk(isSaved, i + 1, k, rest, out);
        emit(ChainOpKind::Backward, i);
        return;
    }
    emit(ChainOpKind::Check, i);
    for (std::size_t stage = i + 1; stage < choice.j; ++stage)
        emit(ChainOpKind::NoGrad, stage);
    if (choice.move == Move::Keep) {
        walk(isSaved, choice.j, k, rest, out);
        walk(false, i, choice.j - 1, slots, out);
        return;
    }
    emit(ChainOpKind::Enable, choice.j);
    emit(ChainOpKind::DropValue, choice.j);
    walk(isSaved, choice.j + 1, k, rest, out);
    walk(true, i, choice.j, slots, out);
}

Result<Sequence> NonPersistentTable::sequence(std::int64_t budget) const
{
    if (budget < 0 || m_scale.slotsFor(budget) < 0)
        return failure(ErrorKind::NotFound,
                       fmt::format("The model input alone does not fit into {}.", budget));
    return top().firstThatFits(m_chain, budget);
}

} // namespace plimsoll::solve
