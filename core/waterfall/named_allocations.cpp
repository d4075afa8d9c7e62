// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/named_allocations.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/evaluate/why_live.h"
#include "core/graph/op_names.h"
#include "core/memtrace/graph_frames.h"
#include "core/waterfall/agreement.h"
#include "core/waterfall/lifetimes.h"
#include "core/waterfall/match_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace plimsoll::waterfall {

namespace {

using memtrace::EventIndex;
using memtrace::kNone;

/// A step with the sizes of one that agrees needs no search; of others at most this many are
/// searched, the last ones first.
constexpr std::size_t kMostSearched = 64;

/// Allocations that a step makes, in order.
std::vector<std::uint32_t> allocationsIn(const memtrace::DeviceTrace& device,
                                         const StepWindow& window)
{
    std::vector<std::uint32_t> made;
    for (EventIndex event = window.begin; event < window.end; ++event)
        if (device.action(event) == memtrace::Action::Alloc
            && device.allocations().bytes[device.subject(event)] > 0)
            made.push_back(device.subject(event));
    return made;
}

class Namer
{
public:
    Namer(const memtrace::MemoryTrace& trace, const memtrace::DeviceTrace& device,
          NamedAllocations& names)
        : m_trace{trace}, m_device{device}, m_names{names}
    {
        m_names.instanceOf.assign(device.allocations().size(), kNone);
    }

    base::Result<void> run(bool accumulates, const base::JobContext& job)
    {
        const std::vector<StepWindow> steps = recordedSteps(m_trace, m_device, accumulates);
        m_names.steps = steps.size();
        std::optional<base::Error> error; // of the last step, which is the steadiest
        for (std::size_t at = steps.size(); at-- > 0;) {
            if (job.stopRequested())
                return base::cancelled();
            if (base::Result<void> named = name(steps[at]); !named && !error)
                error = std::move(named.error());
            job.report(steps.size() - at, steps.size());
        }
        if (m_names.agreeing == 0)
            return tl::unexpected{*std::move(error)};
        return {};
    }

private:
    base::Result<void> name(const StepWindow& window)
    {
        const std::vector<std::uint32_t> made = allocationsIn(m_device, window);
        if (!hasSizesOfLast(made)) {
            if (m_searched == kMostSearched)
                return base::failure(base::ErrorKind::File, "The recording has too many steps.");
            ++m_searched;
            RETURN_IF_ERROR(search(window));
            m_last = made;
        } else {
            for (std::size_t i = 0; i < made.size(); ++i)
                m_names.instanceOf[made[i]] = m_names.instanceOf[m_last[i]];
        }
        ++m_names.agreeing;
        m_names.allocations += made.size();
        m_names.known += static_cast<std::size_t>(std::ranges::count_if(
            made, [&](std::uint32_t allocation) { return m_names.isKnown(allocation); }));
        return {};
    }
    /// Whether a step allocates what the last one that was found does, in its order.
    [[nodiscard]] bool hasSizesOfLast(const std::vector<std::uint32_t>& made) const
    {
        const auto& bytes = m_device.allocations().bytes;
        return !made.empty()
               && std::ranges::equal(made, m_last, [&](std::uint32_t one, std::uint32_t other) {
                      return bytes[one] == bytes[other];
                  });
    }
    base::Result<void> search(const StepWindow& window)
    {
        const MeasuredStep measured{m_trace, m_device, window, window.begin, {}};
        const StepMatch match = matchStep(m_names.predicted, measured);
        RETURN_IF_ERROR(checkStep(m_names.predicted, match, measured));
        const Lifetimes lifetimes = compareLifetimes(m_names.predicted, match, measured);
        if (lifetimes.areOfAnotherPlan())
            return base::failure(base::ErrorKind::File,
                                 otherPlanText(lifetimes, m_names.predicted.plan));
        const auto& instances = m_names.predicted.evaluation->schedule->instances;
        // Memory that is older than the step is matched by size alone, which is too little.
        for (const std::uint32_t allocation : match.measured)
            if (const std::uint32_t instance = match.instanceOf[allocation];
                instance != kNone && instances[instance].alloc >= 0)
                m_names.instanceOf[allocation] = instance;
        // Nor is it known why something is alive that the graph has only before or after.
        for (const auto* others : {&lifetimes.freedEarlier, &lifetimes.heldLonger})
            for (const std::uint32_t allocation : *others)
                m_names.instanceOf[allocation] = kNone;
        return {};
    }

    const memtrace::MemoryTrace& m_trace;
    const memtrace::DeviceTrace& m_device;
    NamedAllocations& m_names;
    std::vector<std::uint32_t> m_last; ///< allocations of the last step that was searched and found
    std::size_t m_searched = 0;
};

/// The line of an op: backward has that of its forward op.
std::string sourceOf(const graph::Program& program, const graph::Op& op)
{
    const graph::Op* of = &op;
    if (of->source < 0 && of->forwardOp)
        of = &program.op(*of->forwardOp);
    return of->source < 0 ? std::string{} : program.sources[static_cast<std::size_t>(of->source)];
}

/// The op that makes an instance.
const graph::Op& makerOf(const compare::PredictedStep& step, std::uint32_t instance)
{
    const plan::Schedule& schedule = *step.evaluation->schedule;
    const auto at = static_cast<std::size_t>(schedule.instances[instance].alloc);
    return step.problem.step()->op(schedule.steps[at].op);
}

memtrace::GraphFrame frameOf(const compare::PredictedStep& step, std::uint32_t instance)
{
    const graph::Program& program = *step.problem.step();
    const graph::Op& op = makerOf(step, instance);
    memtrace::GraphFrame frame;
    frame.op = graph::withoutOverload(program.targetOf(op));
    frame.module = program.modulePath(op);
    const std::string source = sourceOf(program, op);
    const std::size_t colon = source.rfind(':');
    if (colon == std::string::npos)
        return frame;
    frame.file = source.substr(0, colon);
    std::from_chars(source.data() + colon + 1, source.data() + source.size(), frame.line);
    return frame;
}

} // namespace

ToldAllocation NamedAllocations::told(std::size_t allocation) const
{
    const std::uint32_t instance = instanceOf[allocation];
    const graph::Program& program = *predicted.problem.step();
    const plan::Schedule& schedule = *predicted.evaluation->schedule;
    const plan::Instance& of = schedule.instances[instance];
    const graph::Op& op = makerOf(predicted, instance);
    return {.tensor = plan::storageText(program, of.storage),
            .shape = plan::shapeText(program, of.storage),
            .op = std::string{graph::withoutOverload(program.targetOf(op))},
            .module = program.modulePath(op),
            .source = sourceOf(program, op),
            .phase =
                graph::phaseName(schedule.phaseAt(program, static_cast<std::size_t>(of.alloc))),
            .isRecomputed = of.region >= 0,
            .why = plan::whyLive(program, schedule, instance)};
}

std::string NamedAllocations::countsText() const
{
    return fmt::format("{} of {} in {} of {} are known from the graph", known,
                       base::counted(allocations, "allocation"), agreeing,
                       base::counted(steps, "step"));
}

base::Result<NamedAllocationsPtr> nameAllocations(const plan::Problem& problem,
                                                  const plan::Plan& plan,
                                                  const memtrace::MemoryTrace& trace,
                                                  std::size_t device, const base::JobContext& job)
{
    auto names = std::make_shared<NamedAllocations>();
    names->predicted = predictedStep(problem, plan, trace.devices()[device]);
    Namer namer{trace, trace.devices()[device], *names};
    RETURN_IF_ERROR(namer.run(problem.step()->header.microSteps > 1, job));
    return NamedAllocationsPtr{std::move(names)};
}

memtrace::MemoryTracePtr withNames(const memtrace::MemoryTrace& trace, std::size_t device,
                                   const NamedAllocations& names)
{
    std::vector<memtrace::GraphFrame> frames;
    std::map<memtrace::GraphFrame, std::uint32_t> numbers;
    std::map<std::uint32_t, std::uint32_t> ofInstance;
    std::vector<std::uint32_t> frameOfAllocation(names.instanceOf.size(), kNone);
    for (std::size_t i = 0; i < names.instanceOf.size(); ++i) {
        if (!names.isKnown(i))
            continue;
        const auto [at, isNew] = ofInstance.try_emplace(names.instanceOf[i], 0);
        if (isNew) {
            const auto [number, isNewFrame] =
                numbers.try_emplace(frameOf(names.predicted, names.instanceOf[i]),
                                    static_cast<std::uint32_t>(frames.size()));
            if (isNewFrame)
                frames.push_back(number->first);
            at->second = number->second;
        }
        frameOfAllocation[i] = at->second;
    }
    return memtrace::withGraphFrames(trace, device, frames, frameOfAllocation);
}

} // namespace plimsoll::waterfall
