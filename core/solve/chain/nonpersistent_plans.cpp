// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/nonpersistent_plans.h"

#include "core/solve/chain/rotor/nonpersistent.h"
#include "core/solve/chain/rotor/whole_table.h"
#include "core/solve/chain/sequence_rows.h"
#include "core/solve/regions/linearize.h"
#include "core/solve/regions/recompute_closure.h"

#include <array>
#include <optional>
#include <set>
#include <utility>

namespace plimsoll::solve {

namespace {

/// Of chains; the tables' time grows with the cube.
constexpr std::array<std::size_t, 3> kCounts{24, 48, 96};

std::set<graph::StorageId> keptByPins(const plan::Problem& problem)
{
    std::set<graph::StorageId> kept;
    for (const plan::Pin& pin : problem.pins)
        if (pin.kind == plan::PinKind::Keep)
            kept.insert(pin.storages.begin(), pin.storages.end());
    return kept;
}

base::Result<void> offerChain(const LinearizedStep& step, const SequenceRows& rows, int slots,
                              const base::JobContext& job, const RowsOffer& offer)
{
    const base::Result<std::optional<NonPersistentTable>> built =
        wholeTable<NonPersistentTable>(step.chain, slots, job.piece(0, 2));
    if (!built)
        return tl::unexpected{built.error()};
    if (!*built)
        return {};
    const NonPersistentTable& table = **built;
    const std::vector<ChainFrontierPoint> points = table.frontier();
    const base::JobContext checking = job.piece(1, 2);
    for (std::size_t place = 0; place < points.size(); ++place) {
        if (job.stopRequested())
            return base::cancelled();
        const auto sequence = table.sequence(points[place].budget);
        if (sequence && dropsAnything(*sequence))
            if (std::optional<std::vector<plan::RecomputeStep>> found = rows.rowsOf(*sequence))
                if (base::Result<void> offered = offer(*std::move(found)); !offered)
                    return offered;
        checking.report(place + 1, points.size());
    }
    return {};
}

} // namespace

base::Result<void> offerNonPersistent(const plan::Problem& problem, const RegionSpace& space,
                                      int slots, const base::JobContext& job,
                                      const RowsOffer& offer)
{
    const RecomputeClosure closure{*problem.step()};
    const std::set<graph::StorageId> kept = keptByPins(problem);
    int done = 0;
    for (const std::size_t most : kCounts)
        for (const Residuals residuals : {Residuals::EachCut, Residuals::FirstCut}) {
            base::Result<LinearizedStep> step = linearize(problem, space, residuals, most);
            if (!step)
                return tl::unexpected{step.error()};
            // The step runtime repeats any ops and none too many: no region is forbidden, and a
            // recomputation ends where it may.
            step->chain.regions = {};
            step->chain.ftail.clear();
            const SequenceRows rows{*problem.step(), closure, *step, kept};
            const base::JobContext piece = job.piece(done++, 2 * static_cast<int>(kCounts.size()));
            if (base::Result<void> offered = offerChain(*step, rows, slots, piece, offer); !offered)
                return offered;
        }
    return {};
}

} // namespace plimsoll::solve
