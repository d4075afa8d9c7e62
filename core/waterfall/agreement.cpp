// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/agreement.h"

#include "core/base/format.h"
#include "core/waterfall/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace plimsoll::waterfall {

namespace {

constexpr std::int64_t kLeastPerMille = 500; ///< below, a recording is one of another step
constexpr std::int64_t kLeastUpToEnd = 800;  ///< the same, of a step that isn't whole
/// Of what a whole step allocates, so much is predicted at least. Libraries, compiled kernels and
/// optimizers allocate more than a graph has, but not many times as much.
constexpr std::int64_t kLeastMeasured = 200;

/// Profilers record blocks as the allocator rounds them, snapshots what was requested.
graph::Rounding roundingOf(const memtrace::DeviceTrace& device)
{
    const auto& bytes = device.allocations().bytes;
    const auto block = graph::blockBytes(graph::Rounding::Cuda512);
    return std::ranges::all_of(bytes, [&](std::int64_t each) { return each % block == 0; })
               ? graph::Rounding::Cuda512
               : graph::Rounding::Exact;
}

/// "12,582,912 B of blocks.7.down · aten.addmm (forward)".
std::string predictedText(const compare::PredictedStep& step, std::uint32_t instance)
{
    const plan::Instance& of = step.evaluation->schedule->instances[instance];
    return fmt::format("{} of {}", base::exactBytesText(instanceBytes(step, instance)),
                       placeText(step, static_cast<std::size_t>(of.alloc)));
}

/// Where the two orders part for the first time: ", and the first that isn't there is …".
std::string firstDifference(const compare::PredictedStep& step, const StepMatch& match,
                            const MeasuredStep& measured)
{
    std::size_t at = 0;
    while (at < match.inOrder.size() && match.inOrder[at].first == at)
        ++at;
    if (at >= match.predicted.size())
        return {};
    const std::string text = fmt::format(", and the first that isn't there is {}",
                                         predictedText(step, match.predicted[at]));
    const std::size_t other = at == 0 ? 0 : match.inOrder[at - 1].second + std::size_t{1};
    if (other >= match.measured.size())
        return text + ", where the recording ends";
    if (at < match.inOrder.size() && match.inOrder[at].second == other)
        return text
               + fmt::format(", where the recording goes on with {}",
                             predictedText(step, match.predicted[match.inOrder[at].first]));
    const base::Bytes there{measured.device.allocations().bytes[match.measured[other]]};
    return text + fmt::format(", where {} were allocated", base::exactBytesText(there));
}

/// How many bytes of what forward allocates were found. Sizes in backward and in the optimizer are
/// mostly those of parameters, which are the same for any batch.
std::int64_t forwardPerMille(const compare::PredictedStep& step, const StepMatch& match)
{
    const plan::Schedule& schedule = *step.evaluation->schedule;
    std::int64_t all = 0;
    std::int64_t found = 0;
    for (const std::uint32_t instance : match.predicted) {
        const auto at = static_cast<std::size_t>(schedule.instances[instance].alloc);
        const graph::Phase phase = step.problem.step()->op(schedule.steps[at].op).phase;
        if (schedule.steps[at].region >= 0
            || (phase != graph::Phase::Forward && phase != graph::Phase::Loss))
            continue;
        const std::int64_t bytes = instanceBytes(step, instance).count();
        all += bytes;
        found += match.allocationOf[instance] == memtrace::kNone ? 0 : bytes;
    }
    const double share = all == 0 ? 1 : static_cast<double>(found) / static_cast<double>(all);
    return static_cast<std::int64_t>(1000 * share);
}

/// Allocations of a step from the first one that was found, and how many of them are predicted.
std::pair<std::size_t, std::size_t> measuredCounts(const StepMatch& match,
                                                   const MeasuredStep& measured)
{
    const memtrace::Allocations& all = measured.device.allocations();
    std::pair<std::size_t, std::size_t> counts;
    for (const std::uint32_t allocation : match.measured)
        if (all.allocEvent[allocation] >= match.begin) {
            ++counts.first;
            counts.second += match.instanceOf[allocation] == memtrace::kNone ? 0U : 1U;
        }
    return counts;
}

/// Of a step that isn't whole.
base::Result<void> checkUpToEnd(const compare::PredictedStep& step, const StepMatch& match,
                                const MeasuredStep& measured)
{
    const auto [made, known] = measuredCounts(match, measured);
    if (std::min(foundPerMille(match), forwardPerMille(step, match)) >= kLeastUpToEnd && made > 0
        && static_cast<std::int64_t>(known * 1000 / made) >= kLeastPerMille)
        return {};
    return base::failure(
        base::ErrorKind::File,
        fmt::format("The recording is one of another model, batch or plan: {} of {} in {}, up to "
                    "where one fails, are predicted{}.",
                    known, base::counted(made, "allocation"), measured.window.text(),
                    firstDifference(step, match, measured)));
}

} // namespace

compare::PredictedStep predictedStep(const plan::Problem& problem, const plan::Plan& plan,
                                     const memtrace::DeviceTrace& device)
{
    compare::PredictedStep step{problem, plan, nullptr};
    step.problem.rounding = roundingOf(device);
    step.problem.reserve = {};
    step.evaluation = plan::evaluate(step.problem, step.plan);
    return step;
}

std::int64_t foundPerMille(const StepMatch& match)
{
    return match.predicted.empty()
               ? 1000
               : static_cast<std::int64_t>(match.found() * 1000 / match.predicted.size());
}

base::Result<void> checkStep(const compare::PredictedStep& step, const StepMatch& match,
                             const MeasuredStep& measured)
{
    const std::int64_t forward = forwardPerMille(step, match);
    const auto [made, known] = measuredCounts(match, measured);
    const bool isLarger =
        made > 0 && static_cast<std::int64_t>(known * 1000 / made) < kLeastMeasured;
    if (measured.window.isWhole && !isLarger
        && std::min(foundPerMille(match), forward) >= kLeastPerMille)
        return {};
    base::Result<void> upToEnd;
    if (!measured.window.isWhole && (upToEnd = checkUpToEnd(step, match, measured)))
        return {};
    if (measured.trace.isOfDriver())
        return base::failure(base::ErrorKind::File,
                             "The recording has the driver's blocks, as a capture does, not "
                             "tensors: compare the snapshot of the same run.");
    if (!upToEnd)
        return upToEnd;
    const std::string others =
        isLarger ? fmt::format(", which makes {}", base::counted(made, "allocation"))
                 : fmt::format(", with {} % of the bytes of forward", forward / 10);
    return base::failure(
        base::ErrorKind::File,
        fmt::format("The recording is one of another model, batch or plan: {} of {} predicted "
                    "allocations are in {}{}{}.",
                    match.found(), match.predicted.size(), measured.window.text(), others,
                    firstDifference(step, match, measured)));
}

} // namespace plimsoll::waterfall
