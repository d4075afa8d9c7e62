// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/lifetimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace plimsoll::waterfall {

namespace {

using graph::Phase;
using memtrace::EventIndex;
using memtrace::kNone;

constexpr std::size_t kLeastRemade = 2;
constexpr std::size_t kLeastShare = 50; ///< one in so many

/// A place that both sides have: a matched allocation.
struct Place
{
    std::int32_t step = 0;
    EventIndex event = 0;
};

class LifetimeComparison
{
public:
    LifetimeComparison(const compare::PredictedStep& step, const StepMatch& match,
                       const MeasuredStep& measured)
        : m_match{match}
        , m_program{*step.problem.step()}
        , m_schedule{*step.evaluation->schedule}
        , m_all{measured.device.allocations()}
    {
        findBackward();
        std::set<std::size_t> saved;
        for (const graph::Saved& each : m_program.saved)
            saved.insert(m_program.tensor(each.tensor).storage.index());
        for (const plan::Instance& instance : m_schedule.instances)
            if (instance.region >= 0 && saved.contains(instance.storage.index()))
                m_recomputed.insert(instance.storage.index());
    }

    [[nodiscard]] Lifetimes compare()
    {
        for (const std::uint32_t instance : m_match.predicted)
            if (const std::uint32_t allocation = m_match.allocationOf[instance];
                allocation != kNone && isOfForward(instance))
                compareOne(instance, allocation);
        countRemade();
        return std::move(m_found);
    }

private:
    /// By step: the next one that is of backward, or the number of steps.
    void findBackward()
    {
        const std::size_t steps = m_schedule.steps.size();
        m_backward.assign(steps, static_cast<std::int32_t>(steps));
        auto next = static_cast<std::int32_t>(steps);
        for (std::size_t at = steps; at-- > 0;) {
            if (m_schedule.phaseAt(m_program, at) == Phase::Backward)
                next = static_cast<std::int32_t>(at);
            m_backward[at] = next;
        }
    }
    [[nodiscard]] bool isOfForward(std::uint32_t instance) const
    {
        const plan::Instance& of = m_schedule.instances[instance];
        const Phase phase = m_schedule.phaseAt(m_program, static_cast<std::size_t>(of.alloc));
        return (phase == Phase::Forward || phase == Phase::Loss)
               && m_program.storage(of.storage).storageClass != graph::StorageClass::Output;
    }
    /// The first allocation of the backward that follows a step; where there is none, as in a
    /// recording that ends before, the last one of all.
    [[nodiscard]] std::optional<Place> backwardAfter(std::int32_t step) const
    {
        const auto stepOf = [&](const auto& pair) {
            return m_schedule.instances[m_match.predicted[pair.first]].alloc;
        };
        const std::int32_t backward = m_backward[static_cast<std::size_t>(step)];
        auto found = std::ranges::partition_point(
            m_match.inOrder, [&](const auto& pair) { return stepOf(pair) < backward; });
        if (found == m_match.inOrder.end()) {
            if (found == m_match.inOrder.begin() || stepOf(*--found) <= step)
                return std::nullopt;
        }
        return Place{stepOf(*found), m_all.allocEvent[m_match.measured[found->second]]};
    }
    void compareOne(std::uint32_t instance, std::uint32_t allocation)
    {
        const plan::Instance& of = m_schedule.instances[instance];
        const std::optional<Place> backward = backwardAfter(of.alloc);
        if (!backward || m_all.allocEvent[allocation] >= backward->event)
            return;
        const bool isKept = of.free >= backward->step;
        const bool isHeld = m_all.freeEvent[allocation] > backward->event;
        const bool isRecomputed = !isKept && m_recomputed.contains(of.storage.index());
        ++m_found.compared;
        m_found.kept += isKept ? 1U : 0U;
        m_found.recomputed += isRecomputed ? 1U : 0U;
        if (isKept && !isHeld)
            m_found.freedEarlier.push_back(allocation);
        if (!isKept && isHeld) {
            m_found.heldLonger.push_back(allocation);
            m_found.heldRecomputed += isRecomputed ? 1U : 0U;
        }
    }
    void countRemade()
    {
        std::map<std::int64_t, std::size_t> notPredicted; // by size
        const std::optional<Place> backward = m_backward.empty() ? std::nullopt : backwardAfter(0);
        for (const std::uint32_t allocation : m_match.measured)
            if (m_match.instanceOf[allocation] == kNone && backward
                && m_all.allocEvent[allocation] > backward->event)
                ++notPredicted[m_all.bytes[allocation]];
        for (const std::uint32_t allocation : m_found.freedEarlier)
            if (std::size_t& left = notPredicted[m_all.bytes[allocation]]; left > 0) {
                --left;
                ++m_found.remade;
            }
    }

    const StepMatch& m_match;
    const graph::Program& m_program;
    const plan::Schedule& m_schedule;
    const memtrace::Allocations& m_all;
    std::vector<std::int32_t> m_backward;
    std::set<std::size_t> m_recomputed; ///< storages that are saved, and recomputed
    Lifetimes m_found;
};

} // namespace

bool Lifetimes::areOfAnotherPlan() const
{
    return heldRecomputed * 2 > recomputed
           || (remade >= kLeastRemade && remade * 2 > freedEarlier.size()
               && remade * kLeastShare >= kept);
}

Lifetimes compareLifetimes(const compare::PredictedStep& step, const StepMatch& match,
                           const MeasuredStep& measured)
{
    return LifetimeComparison{step, match, measured}.compare();
}

std::string otherPlanText(const Lifetimes& lifetimes, const plan::Plan& plan)
{
    return fmt::format(
        "The recording frees {} of the {} blocks of forward at other moments than {}",
        lifetimes.freedEarlier.size() + lifetimes.heldLonger.size(), lifetimes.compared,
        plan.recomputesNothing()
            ? "the step without a plan does: it recomputes some, so it ran with a plan or with "
              "torch.utils.checkpoint. Compare it with the plan that it ran."
            : "this plan does, so it ran another plan, or none. Compare it with the plan that it "
              "ran, or leave the plan out.");
}

} // namespace plimsoll::waterfall
