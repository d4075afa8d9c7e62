// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/match_step.h"

#include "core/base/align.h"
#include "core/memtrace/analysis/step_phases.h"
#include "core/waterfall/improve_match.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace plimsoll::waterfall {

namespace {

using base::Aligned;
using base::alignSequences;
using graph::StorageClass;
using memtrace::Action;
using memtrace::EventIndex;
using memtrace::kNoEvent;
using memtrace::kNone;

using Numbers = std::vector<std::uint32_t>;

/// What a predicted and a measured allocation must have in common to be the same at first.
std::uint64_t tokenOf(base::Bytes bytes, bool isBrief, bool isOptimizer)
{
    return (static_cast<std::uint64_t>(bytes.count()) << 2U) | (isBrief ? 2U : 0U)
           | (isOptimizer ? 1U : 0U);
}

class Matcher
{
public:
    Matcher(const compare::PredictedStep& step, const MeasuredStep& measured)
        : m_step{step}
        , m_measured{measured}
        , m_instances{step.evaluation->schedule->instances}
        , m_all{measured.device.allocations()}
    {
        m_match.allocationOf.assign(m_instances.size(), kNone);
        m_match.instanceOf.assign(m_all.size(), kNone);
    }

    void run()
    {
        list();
        if (!m_measured.window.isWhole)
            cutOff();
        alignSteps();
        alignGaps();
        improveMatch(m_step, m_measured, m_match);
        alignGaps(); // what was left by pairs that moved
        m_match.begin = m_match.inOrder.empty()
                            ? m_measured.window.begin
                            : m_all.allocEvent[m_match.measured[m_match.inOrder.front().second]];
        for (const auto& [at, other] : m_match.inOrder)
            pair(m_match.predicted[at], m_match.measured[other]);
        matchWithinOps();
        matchOlder();
    }

    [[nodiscard]] StepMatch match() && { return std::move(m_match); }

private:
    void pair(std::uint32_t instance, std::uint32_t allocation)
    {
        m_match.allocationOf[instance] = allocation;
        m_match.instanceOf[allocation] = instance;
    }
    /// What both sides allocate, in order.
    void list()
    {
        for (std::uint32_t i = 0; i < m_instances.size(); ++i)
            if (m_instances[i].alloc >= 0 && bytesOf(i).count() > 0)
                m_match.predicted.push_back(i);
        std::ranges::stable_sort(m_match.predicted, {}, [&](std::uint32_t instance) {
            return m_instances[instance].alloc;
        });
        for (EventIndex event = m_measured.window.begin; event < m_measured.window.end; ++event)
            if (m_measured.device.action(event) == Action::Alloc
                && m_all.bytes[m_measured.device.subject(event)] > 0)
                m_match.measured.push_back(m_measured.device.subject(event));
    }
    /// Leaves out what the prediction allocates behind the end of a step that isn't whole: as much
    /// is left as finds the most counterparts for the fewest that are missing.
    void cutOff()
    {
        m_match.predicted.resize(std::min(m_match.predicted.size(), m_match.measured.size()));
        alignSteps();
        std::size_t count = 0;
        std::int64_t most = 0;
        for (std::size_t found = 1; found <= m_match.inOrder.size(); ++found) {
            const std::size_t upTo = m_match.inOrder[found - 1].first + std::size_t{1};
            const auto missing = static_cast<std::int64_t>(upTo - found);
            if (const std::int64_t more = static_cast<std::int64_t>(found) - missing;
                more >= most) {
                most = more;
                count = upTo;
            }
        }
        if (count > 0)
            m_match.predicted.resize(count);
        m_match.inOrder.clear();
    }
    [[nodiscard]] base::Bytes bytesOf(std::uint32_t instance) const
    {
        return instanceBytes(m_step, instance);
    }

    [[nodiscard]] std::vector<std::uint64_t> predictedTokens(bool knowsOptimizer) const
    {
        const graph::Program& program = *m_step.problem.step();
        const plan::Schedule& schedule = *m_step.evaluation->schedule;
        std::vector<std::uint64_t> tokens;
        for (std::size_t at = 0; at < m_match.predicted.size(); ++at) {
            const plan::Instance& instance = m_instances[m_match.predicted[at]];
            const bool isBrief = at + 1 < m_match.predicted.size()
                                 && instance.free < m_instances[m_match.predicted[at + 1]].alloc;
            const graph::Phase phase =
                program.op(schedule.steps[static_cast<std::size_t>(instance.alloc)].op).phase;
            tokens.push_back(tokenOf(bytesOf(m_match.predicted[at]), isBrief,
                                     knowsOptimizer && phase == graph::Phase::Optimizer));
        }
        return tokens;
    }
    [[nodiscard]] std::vector<std::uint64_t>
    measuredTokens(const std::vector<memtrace::StepPhase>& phases) const
    {
        std::vector<std::uint64_t> tokens;
        for (std::size_t at = 0; at < m_match.measured.size(); ++at) {
            const std::uint32_t allocation = m_match.measured[at];
            const EventIndex freed = m_all.freeEvent[allocation];
            const bool isBrief = at + 1 < m_match.measured.size()
                                 && freed < m_all.allocEvent[m_match.measured[at + 1]];
            tokens.push_back(tokenOf(base::Bytes{m_all.bytes[allocation]}, isBrief,
                                     phases[allocation] == memtrace::StepPhase::Optimizer));
        }
        return tokens;
    }
    void alignSteps()
    {
        const std::vector<memtrace::StepPhase> phases =
            memtrace::stepPhases(m_measured.trace, m_measured.device);
        const bool knowsOptimizer =
            std::ranges::any_of(m_match.measured, [&](std::uint32_t allocation) {
                return phases[allocation] == memtrace::StepPhase::Optimizer;
            });
        m_match.inOrder = alignSequences(predictedTokens(knowsOptimizer), measuredTokens(phases));
    }
    /// Between two pairs size alone decides.
    void alignGaps()
    {
        std::vector<std::uint64_t> sizes;
        for (const std::uint32_t instance : m_match.predicted)
            sizes.push_back(static_cast<std::uint64_t>(bytesOf(instance).count()));
        std::vector<std::uint64_t> otherSizes;
        for (const std::uint32_t allocation : m_match.measured)
            otherSizes.push_back(static_cast<std::uint64_t>(m_all.bytes[allocation]));
        const Aligned strict = m_match.inOrder;
        std::pair<std::uint32_t, std::uint32_t> from{0, 0};
        const auto fill = [&](std::size_t to, std::size_t otherTo) {
            for (const auto& [at, other] :
                 alignSequences(std::span{sizes}.subspan(from.first, to - from.first),
                                std::span{otherSizes}.subspan(from.second, otherTo - from.second)))
                m_match.inOrder.emplace_back(from.first + at, from.second + other);
        };
        for (const auto& [at, other] : strict) {
            fill(at, other);
            from = {at + 1, other + 1};
        }
        fill(sizes.size(), otherSizes.size());
        std::ranges::sort(m_match.inOrder);
    }

    /// An op may allocate its results in another order than it returns them.
    void matchWithinOps()
    {
        const auto allocOf = [&](std::uint32_t at) {
            return m_instances[m_match.predicted[at]].alloc;
        };
        for (std::uint32_t at = 0; at < m_match.predicted.size(); ++at) {
            const std::uint32_t instance = m_match.predicted[at];
            if (m_match.allocationOf[instance] != kNone)
                continue;
            // The pairs of the ops before and behind.
            const auto isBefore = [&](const auto& each) {
                return allocOf(each.first) < allocOf(at);
            };
            const auto isUpTo = [&](const auto& each) {
                return allocOf(each.first) <= allocOf(at);
            };
            const auto first = std::ranges::partition_point(m_match.inOrder, isBefore);
            const auto last = std::ranges::partition_point(m_match.inOrder, isUpTo);
            if (first == last)
                continue; // nothing of this op was found: order is all there is
            const std::size_t from =
                first == m_match.inOrder.begin() ? 0 : std::prev(first)->second + std::size_t{1};
            const std::size_t to =
                last == m_match.inOrder.end() ? m_match.measured.size() : last->second;
            for (std::size_t other = from; other < to; ++other)
                if (const std::uint32_t allocation = m_match.measured[other];
                    m_match.instanceOf[allocation] == kNone
                    && m_all.bytes[allocation] == bytesOf(instance).count()) {
                    pair(instance, allocation);
                    break;
                }
        }
    }
    /// What is live on both sides when the step begins, what the step's program allocates although
    /// the prediction has it from before, and what stays from step to step although the prediction
    /// allocates it: such as gradients that aren't set to None.
    void matchOlder()
    {
        std::map<std::int64_t, Numbers> older;
        for (std::uint32_t i = 0; i < m_all.size(); ++i)
            if (isOlder(i))
                older[m_all.bytes[i]].push_back(i);
        for (auto& [bytes, allocations] : older)
            std::stable_partition(
                allocations.begin(), allocations.end(),
                [&](std::uint32_t allocation) { return m_measured.isLive(allocation); });
        std::map<std::int64_t, Numbers> late; // not older, and nobody's
        for (const std::uint32_t allocation : m_match.measured)
            if (m_match.instanceOf[allocation] == kNone && !isOlder(allocation))
                late[m_all.bytes[allocation]].push_back(allocation);
        std::map<std::int64_t, std::size_t> used;
        std::map<std::int64_t, std::size_t> usedLate;
        const auto take = [&](std::uint32_t instance, std::map<std::int64_t, Numbers>& from,
                              std::map<std::int64_t, std::size_t>& taken) {
            const std::int64_t bytes = bytesOf(instance).count();
            const auto found = from.find(bytes);
            if (found == from.end() || taken[bytes] == found->second.size())
                return false;
            pair(instance, found->second[taken[bytes]++]);
            return true;
        };
        Numbers missing;
        for (std::uint32_t i = 0; i < m_instances.size(); ++i)
            if (m_instances[i].alloc < 0 && m_instances[i].free >= 0 && bytesOf(i).count() > 0
                && !take(i, older, used))
                missing.push_back(i);
        for (const std::uint32_t instance : missing)
            if (classOf(instance) == StorageClass::Input)
                take(instance, late, usedLate);
        for (const std::uint32_t instance : m_match.predicted)
            if (m_match.allocationOf[instance] == kNone
                && (classOf(instance) == StorageClass::Gradient
                    || classOf(instance) == StorageClass::OptimizerState))
                take(instance, older, used);
    }
    [[nodiscard]] StorageClass classOf(std::uint32_t instance) const
    {
        return m_step.problem.step()->storage(m_instances[instance].storage).storageClass;
    }
    /// Whether it is live when the step's first op allocates something.
    [[nodiscard]] bool isOlder(std::uint32_t allocation) const
    {
        const EventIndex event = m_all.allocEvent[allocation];
        const EventIndex freed = m_all.freeEvent[allocation];
        return m_all.bytes[allocation] > 0 && (event == kNoEvent || event < m_match.begin)
               && (freed == kNoEvent || freed > m_match.begin);
    }

    const compare::PredictedStep& m_step;
    const MeasuredStep& m_measured;
    const std::vector<plan::Instance>& m_instances;
    const memtrace::Allocations& m_all;
    StepMatch m_match;
};

} // namespace

base::Result<MeasuredStep> measuredStep(const memtrace::MemoryTrace& trace,
                                        const memtrace::DeviceTrace& device, bool accumulates)
{
    const std::optional<StepWindow> window = lastWholeStep(trace, device, accumulates);
    if (!window)
        return base::failure(
            base::ErrorKind::File,
            "The recording has no whole step to compare: an allocation fails before its first step "
            "ends. The graph can still name what that step allocated.");
    MeasuredStep step{trace, device, *window, 0, {}};
    const std::vector<std::int64_t> live = liveInWindow(device, step.window);
    if (live.empty())
        return step;
    const auto most = std::ranges::max_element(live);
    step.peakEvent = step.window.begin + static_cast<EventIndex>(most - live.begin());
    step.peak = base::Bytes{*most};
    return step;
}

StepMatch matchStep(const compare::PredictedStep& step, const MeasuredStep& measured)
{
    Matcher matcher{step, measured};
    matcher.run();
    return std::move(matcher).match();
}

} // namespace plimsoll::waterfall
