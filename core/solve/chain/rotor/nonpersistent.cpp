// SPDX-License-Identifier: Apache-2.0
#include "core/base/try.h"
#include "core/solve/chain/rotor/chain_table.h"
#include "core/solve/chain/rotor/rotor_kernel.h"

#include <fmt/format.h>

#include <algorithm>

namespace plimsoll::solve {

using base::ErrorKind;
using base::failure;
using base::JobContext;
using base::Result;

namespace {

/// Two tables. T(i, k, m): runs stages i..k forward and backward. Their input is in memory and not
/// charged; the gradient of their output is charged (there is none if k is the loss). U(i, k, m):
/// the same if stage k has already saved, which is charged too, and only its backward is left.
class NonPersistentTable final : public ChainTable
{
public:
    /// Allocates the tables and fills them.
    Result<void> build(const Chain& chain, std::int64_t maxBudget, const RotorOptions& options,
                       const JobContext& job)
    {
        RotorOptions each = options;
        each.tableLimit = options.tableLimit / 2;
        RETURN_IF_ERROR(allocate(chain, maxBudget, each, 2));
        sumForwards(0);
        for (std::size_t i = m_rows; i-- > 0;) {
            fillBase(i);
            for (std::size_t k = i + 1; k < m_rows; ++k) {
                if (job.stopRequested())
                    return base::cancelled();
                fillRow(false, i, k);
                if (k + 1 < m_rows)
                    fillRow(true, i, k);
            }
            job.report(m_rows - i, m_rows);
        }
        return {};
    }

private:
    enum class Move : std::uint8_t {
        Save,  ///< run stage i with saving
        Keep,  ///< run i..j-1, keep x[j] only
        Float, ///< run i..j, keep what j saves, and not x[j]
    };
    struct Choice
    {
        Move move = Move::Save;
        std::size_t j = 0;
        std::size_t variant = 0;       ///< of Save
        double time = 0;               ///< of the forwards (and of Save the backward)
        std::int64_t need = 0;         ///< slots
        std::int64_t kept = 0;         ///< slots that the right part has less
        const double* right = nullptr; ///< rows: solved first, with `kept` less
        const double* left = nullptr;  ///< solved last; none with Save
    };

    /// A row of T, or of U, whose rows for the loss stage are infinite throughout.
    [[nodiscard]] const double* row(bool isSaved, std::size_t i, std::size_t k) const
    {
        return ChainTable::row(i, k) + (isSaved ? m_cost.size() / 2 : 0);
    }
    [[nodiscard]] double* row(bool isSaved, std::size_t i, std::size_t k)
    {
        return ChainTable::row(i, k) + (isSaved ? m_cost.size() / 2 : 0);
    }

    void fillBase(std::size_t i)
    {
        for (std::size_t variant = 0; variant < variantsIn(i, i); ++variant) {
            const auto [need, time] = baseOf(i, variant);
            fillFrom(row(false, i, i), need, time);
        }
        const Chain& sizes = m_scale.sizes;
        if (i + 1 < m_rows)
            fillFrom(row(true, i, i),
                     m_scale.ceilSlots(sizes.x[i + 1] + sizes.xbar[i + 1] + sizes.btmp[i]),
                     m_chain.btime[i]);
    }

    /// Calls `visit` with every possible first move in a cell of at least two stages.
    template <typename Visit>
    void eachChoice(bool isSaved, std::size_t i, std::size_t k, Visit visit) const
    {
        const Chain& sizes = m_scale.sizes;
        // In memory whatever the move: the gradient, and what stage k has saved.
        const std::int64_t held = sizes.x[k + 1] + (isSaved ? sizes.xbar[k + 1] : 0);
        for (std::size_t number = 0; number < m_chain.variantsOf(i); ++number) {
            const StageVariant variant = sizes.variant(i, number);
            const StageVariant times = m_chain.variant(i, number);
            const std::int64_t need =
                std::max(held + variant.ftmp, sizes.x[i + 1] + variant.btmp) + variant.xbar;
            visit(Choice{Move::Save, i, number, times.ftime + times.btime, m_scale.ceilSlots(need),
                         m_scale.ceilSlots(variant.xbar), row(isSaved, i + 1, k), nullptr});
        }
        // Runs i..j-1 without saving.
        std::int64_t running = sizes.x[i + 1] + sizes.plainTemporary(i);
        for (std::size_t j = i + 1; j <= k; ++j) {
            const double time = m_prefix[j] - m_prefix[i];
            visit(Choice{Move::Keep, j, 0, time, m_scale.ceilSlots(held + running), m_scale.x[j],
                         row(isSaved, j, k), row(false, i, j - 1)});
            if (j == k)
                break; // stage k is the loss, has already saved, or gains nothing
            const std::int64_t saving = sizes.x[j] + sizes.xbar[j + 1] + sizes.ftmp[j];
            visit(Choice{Move::Float, j, 0, time + m_chain.ftime[j],
                         m_scale.ceilSlots(held + std::max(running, saving)),
                         m_scale.ceilSlots(sizes.xbar[j + 1]), row(isSaved, j + 1, k),
                         row(true, i, j)});
            running = std::max(running, sizes.x[j] + sizes.x[j + 1] + sizes.plainTemporary(j));
        }
    }

    void fillRow(bool isSaved, std::size_t i, std::size_t k)
    {
        double* const out = row(isSaved, i, k);
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
        // Keep the row from rising where equal sums are added in a different order.
        for (std::int64_t m = 1; m < width; ++m)
            out[m] = std::min(out[m], out[m - 1]);
    }

    [[nodiscard]] static double valueOf(const Choice& choice, std::int64_t slots)
    {
        if (slots < choice.need || slots < choice.kept)
            return kInfinity;
        const double right = choice.right[slots - choice.kept];
        return choice.left == nullptr ? choice.time + right
                                      : (choice.time + right) + choice.left[slots];
    }

    /// The first of the best moves in the order save, keep, float, by rising j; lowers `slots` as
    /// far as the time stays the same.
    [[nodiscard]] Choice choose(bool isSaved, std::size_t i, std::size_t k,
                                std::int64_t& slots) const
    {
        slots = leastSlots(row(isSaved, i, k), slots);
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

    void walk(bool isSaved, std::size_t i, std::size_t k, std::int64_t slots, Sequence& out) const
    {
        if (i == k) {
            walkStage(i, slots, isSaved, out);
            return;
        }
        const Choice choice = choose(isSaved, i, k, slots);
        const std::int64_t rest = slots - choice.kept;
        if (choice.move == Move::Save) {
            out.push_back(chainOp(ChainOpKind::Enable, i, choice.variant));
            walk(isSaved, i + 1, k, rest, out);
            out.push_back(chainOp(ChainOpKind::Backward, i));
            return;
        }
        walkForward(i, choice.j, out);
        if (choice.move == Move::Keep) {
            walk(isSaved, choice.j, k, rest, out);
            walk(false, i, choice.j - 1, slots, out);
            return;
        }
        out.push_back(chainOp(ChainOpKind::Enable, choice.j));
        out.push_back(chainOp(ChainOpKind::DropValue, choice.j));
        walk(isSaved, choice.j + 1, k, rest, out);
        walk(true, i, choice.j, slots, out);
    }

    void walkTop(std::int64_t slots, Sequence& out) const override
    {
        walk(false, 0, m_rows - 1, slots, out);
    }
};

} // namespace

Result<ChainTablePtr> buildNonPersistentTable(const Chain& chain, std::int64_t maxBudget,
                                              const RotorOptions& options, const JobContext& job)
{
    RETURN_IF_ERROR(validate(chain));
    if (!chain.regions.allowsAll() || !chain.ftail.empty() || chain.variantsOnce)
        return failure(ErrorKind::Internal,
                       "Non-persistent schedules support no forbidden regions, stage variants or "
                       "recomputations that end early.");
    auto table = std::make_unique<NonPersistentTable>();
    return table->build(chain, maxBudget, options, job).map([&]() -> ChainTablePtr {
        return std::move(table);
    });
}

} // namespace plimsoll::solve
