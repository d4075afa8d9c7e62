// SPDX-License-Identifier: Apache-2.0
#include "core/base/align.h"
#include "core/base/format.h"
#include "core/base/limits.h"
#include "core/compare/step_times.h"
#include "core/memtrace/ops/op_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

namespace plimsoll::compare {

namespace {

using base::Nanoseconds;
using base::Result;
using memtrace::kNone;
using memtrace::OpPhase;
using memtrace::OpRecording;
using memtrace::OpSpan;
using memtrace::OpStep;

/// The beginning of the name of the stand-in GPU (tests/stand_in_gpu).
constexpr std::string_view kStandIn = "stand-in GPU";

/// An operator as profilers name it: "aten::addmm" for "aten.addmm.default".
std::string operatorOf(std::string_view target)
{
    const std::size_t first = target.find('.');
    if (first == std::string_view::npos)
        return std::string{target};
    const std::string_view name = target.substr(first + 1);
    return fmt::format("{}::{}", target.substr(0, first), name.substr(0, name.find('.')));
}

OpPhase phaseOf(const graph::Op& op)
{
    switch (op.phase) {
    case graph::Phase::Backward: return OpPhase::Backward;
    case graph::Phase::Optimizer: return OpPhase::Optimizer;
    default: return OpPhase::Forward;
    }
}

/// Times come from outside: sums stay within 64 bits.
void addTime(Nanoseconds& sum, Nanoseconds time)
{
    sum = Nanoseconds{std::min(sum.count() + time.count(), base::kHuge - 1)};
}

/// Whether it takes time on a device, by what it reads and writes.
bool computes(const graph::Op& op)
{
    return !op.isView && (op.flops > 0 || op.bytesMoved.count() > 0);
}

std::string shapeText(const graph::Tensor& tensor)
{
    return fmt::format("{}", fmt::join(tensor.shape, "x"));
}

/// The shapes of an op's tensors that have one.
std::vector<std::string> shapesOf(const graph::Program& program, const graph::Op& op)
{
    std::vector<std::string> shapes;
    for (const std::vector<graph::TensorId>* tensors : {&op.reads, &op.writes, &op.outputs})
        for (const graph::TensorId id : *tensors)
            if (!program.tensor(id).shape.empty())
                shapes.push_back(shapeText(program.tensor(id)));
    return shapes;
}

/// Those of "64,8x64".
std::vector<std::string> shapesOf(std::string_view recorded)
{
    std::vector<std::string> shapes;
    while (!recorded.empty()) {
        const std::size_t end = std::min(recorded.find(','), recorded.size());
        shapes.emplace_back(recorded.substr(0, end));
        recorded.remove_prefix(std::min(end + 1, recorded.size()));
    }
    return shapes;
}

/// The first of some shapes that isn't among others; null: all are.
const std::string* firstOther(const std::vector<std::string>& some,
                              const std::vector<std::string>& others)
{
    const auto found = std::ranges::find_if(some, [&](const std::string& shape) {
        return std::ranges::find(others, shape) == others.end();
    });
    return found != some.end() ? &*found : nullptr;
}

/// The names of a graph's ops, numbered, and those of a recording by the same numbers.
class OpNumbers
{
public:
    OpNumbers(const graph::Program& program, const OpRecording& recording)
        : m_ofText(recording.texts.size(), kNone)
    {
        std::unordered_map<std::string, std::uint32_t> numbers;
        for (const std::string& target : program.targets)
            m_ofTarget.push_back(
                numbers.try_emplace(operatorOf(target), static_cast<std::uint32_t>(numbers.size()))
                    .first->second);
        for (std::size_t text = 0; text < recording.texts.size(); ++text)
            if (const auto found = numbers.find(recording.texts[text]); found != numbers.end())
                m_ofText[text] = found->second;
    }

    [[nodiscard]] std::uint32_t of(const graph::Op& op) const { return m_ofTarget[op.target]; }
    /// kNone: no op of the graph has that name.
    [[nodiscard]] std::uint32_t of(const OpSpan& span) const
    {
        return span.isRange ? kNone : m_ofText[span.name];
    }

private:
    std::vector<std::uint32_t> m_ofTarget;
    std::vector<std::uint32_t> m_ofText;
};

/// What is computed once for all steps of a recording.
struct Recorded
{
    const OpRecording& recording;
    OpNumbers numbers;
    std::vector<OpPhase> phases;    ///< by span, as the next ones
    std::vector<Nanoseconds> times; ///< with those of nested operators
    std::vector<bool> isInside;     ///< within another one that is named as an op of the graph
};

Recorded recordedOf(const graph::Program& program, const OpRecording& recording)
{
    const std::vector<OpSpan>& spans = recording.spans;
    Recorded of{recording, {program, recording}, memtrace::opPhases(recording), {}, {}};
    of.isInside.resize(spans.size());
    of.times.resize(spans.size());
    for (std::size_t i = 0; i < spans.size(); ++i) {
        of.times[i] = spans[i].deviceTime;
        if (const std::uint32_t parent = spans[i].parent; parent != kNone)
            of.isInside[i] = of.isInside[parent] || of.numbers.of(spans[parent]) != kNone;
    }
    for (std::size_t i = spans.size(); i-- > 0;) // outer ones come first
        if (spans[i].parent != kNone)
            addTime(of.times[spans[i].parent], of.times[i]);
    return of;
}

/// The ops of a graph, and the operators of a step that may be these: the outermost ones of those
/// named like an op of the graph, in the order of their calls. An op that PyTorch composes of
/// others is no op of a graph.
class StepMatcher
{
public:
    StepMatcher(const graph::Program& program, const Recorded& recorded, OpStep step)
        : m_program{program}
        , m_recorded{recorded}
        , m_step{std::move(step)}
        , m_spanOf(program.ops.size(), kNone)
    {
        const std::vector<OpSpan>& spans = recorded.recording.spans;
        for (std::uint32_t i = 0; i < spans.size(); ++i)
            if (isInStep(spans[i]) && !recorded.isInside[i]
                && recorded.numbers.of(spans[i]) != kNone)
                m_candidates.push_back(i);
    }

    void run()
    {
        const auto token = [](std::uint64_t number, OpPhase phase) {
            return number << 2U | static_cast<std::uint64_t>(phase);
        };
        std::vector<std::uint64_t> ops;
        for (const graph::Op& op : m_program.ops)
            ops.push_back(token(m_recorded.numbers.of(op), phaseOf(op)));
        std::vector<std::uint64_t> candidates;
        for (const std::uint32_t span : m_candidates)
            candidates.push_back(
                token(m_recorded.numbers.of(spanAt(span)), m_recorded.phases[span]));
        m_pairs = base::alignSequences(ops, candidates);
        for (std::uint64_t& op : ops)
            op >>= 2U;
        for (std::uint64_t& candidate : candidates)
            candidate >>= 2U;
        alignGaps(ops, candidates);
        for (const auto& [op, candidate] : m_pairs)
            m_spanOf[op] = m_candidates[candidate];
        for (std::size_t op = 0; op < m_spanOf.size(); ++op)
            if (computes(m_program.ops[op])) {
                ++m_computing;
                m_found += m_spanOf[op] != kNone ? 1U : 0U;
            }
        compareShapes();
        dropUntimed();
    }

    /// Of the ops that compute, by their names.
    [[nodiscard]] std::size_t found() const { return m_found; }

    /// Empty, or what doesn't fit: to follow the name of the profile.
    [[nodiscard]] std::string refusal() const
    {
        if (2 * m_found >= m_computing && 2 * m_otherSizes > m_knownSizes)
            return fmt::format("was recorded at another size than the graph's: {} has a tensor of "
                               "{} there, and of {} in the graph; trace the model at that size, or "
                               "choose it with --at",
                               base::printable(m_program.label(m_program.op(*m_firstOther)), 80),
                               base::printable(m_recordedShape, 60), m_graphShape);
        if (m_computing == 0 || 2 * m_found < m_computing)
            return fmt::format("is not a recording of this graph's step: of its {} that compute "
                               "{} in {}; the first that isn't is op {}, {}, where the recording "
                               "has {}",
                               base::counted(m_computing, "op"),
                               m_found == 1 ? std::string{"1 is found"}
                                            : fmt::format("{} are found", m_found),
                               base::printable(m_step.name, 60), firstMissing(), missingLabel(),
                               recordedInstead());
        if (m_found > 0 && m_untimed == m_found)
            return fmt::format(
                "has no time of the GPU for any op of {}: profile() records kernels with "
                "ProfilerActivity.CUDA",
                base::printable(m_step.name, 60));
        return {};
    }

    [[nodiscard]] StepTimes times() const
    {
        StepTimes times;
        times.step = m_step.name;
        times.ops.resize(m_spanOf.size());
        Nanoseconds found;
        for (std::size_t op = 0; op < m_spanOf.size(); ++op)
            if (const std::uint32_t span = m_spanOf[op]; span != kNone) {
                times.ops[op] = m_recorded.times[span];
                addTime(found, m_recorded.times[span]);
            }
        Nanoseconds all;
        for (const OpSpan& span : m_recorded.recording.spans)
            if (isInStep(span))
                addTime(all, span.deviceTime);
        times.otherTime = std::max(all - found, Nanoseconds{});
        times.notes = notes();
        return times;
    }

private:
    [[nodiscard]] const OpSpan& spanAt(std::uint32_t span) const
    {
        return m_recorded.recording.spans[span];
    }
    [[nodiscard]] bool isInStep(const OpSpan& span) const
    {
        return span.begin >= m_step.begin && span.begin < m_step.end;
    }
    /// Between two pairs the name alone decides: not every recording tells the phase.
    void alignGaps(std::span<const std::uint64_t> ops, std::span<const std::uint64_t> candidates)
    {
        const base::Aligned strict = m_pairs;
        std::pair<std::size_t, std::size_t> from{0, 0};
        const auto fill = [&](std::size_t to, std::size_t otherTo) {
            for (const auto& [at, other] :
                 base::alignSequences(ops.subspan(from.first, to - from.first),
                                      candidates.subspan(from.second, otherTo - from.second)))
                m_pairs.emplace_back(from.first + at, from.second + other);
        };
        for (const auto& [at, other] : strict) {
            fill(at, other);
            from = {at + std::size_t{1}, other + std::size_t{1}};
        }
        fill(ops.size(), candidates.size());
        std::ranges::sort(m_pairs);
    }
    /// An op whose tensors have other sizes isn't found. What forward computes tells the size: ops
    /// of parameters are the same for any batch.
    void compareShapes()
    {
        for (std::size_t op = 0; op < m_spanOf.size(); ++op) {
            const std::uint32_t span = m_spanOf[op];
            if (span == kNone || spanAt(span).shapes == 0)
                continue;
            const graph::Op& of = m_program.ops[op];
            const bool tells = computes(of) && phaseOf(of) == OpPhase::Forward;
            m_hasShapes = true;
            m_knownSizes += tells ? 1U : 0U;
            const std::vector<std::string> recorded = recordedShapes(span);
            const std::vector<std::string> own = shapesOf(m_program, of);
            const std::string* other = firstOther(recorded, own);
            if (other == nullptr)
                continue;
            ++m_otherShapes;
            m_otherSizes += tells ? 1U : 0U;
            m_spanOf[op] = kNone;
            if (!tells || m_firstOther)
                continue;
            const std::string* instead = firstOther(own, recorded);
            m_firstOther = graph::OpId{op};
            m_recordedShape = *other;
            m_graphShape = instead != nullptr ? *instead : own.empty() ? "no size" : own.front();
        }
    }
    /// An op that computes and for which the GPU did nothing was not measured: its kernel is
    /// missing, or was launched in a way that the profiler doesn't see.
    void dropUntimed()
    {
        for (std::size_t op = 0; op < m_spanOf.size(); ++op)
            if (m_spanOf[op] != kNone && computes(m_program.ops[op])
                && m_recorded.times[m_spanOf[op]] == Nanoseconds{}) {
                m_spanOf[op] = kNone;
                ++m_untimed;
            }
    }
    [[nodiscard]] std::vector<std::string> recordedShapes(std::uint32_t span) const
    {
        return shapesOf(m_recorded.recording.texts[spanAt(span).shapes]);
    }

    [[nodiscard]] std::vector<std::string> notes() const
    {
        const OpRecording& recording = m_recorded.recording;
        std::vector<std::string> notes;
        if (recording.deviceName.starts_with(kStandIn))
            notes.emplace_back("The GPU is the stand-in of Plimsoll's tests, which runs no "
                               "kernels: these are not the times of a GPU.");
        if (!m_hasShapes)
            notes.emplace_back("The profile has no shapes of tensors, so that its batch size "
                               "could not be compared with the graph's; "
                               "profile(record_shapes=True) records them.");
        if (m_otherShapes > 0)
            notes.push_back(fmt::format("{} of other sizes in the profile and are not measured.",
                                        m_otherShapes == 1
                                            ? std::string{"1 op has tensors"}
                                            : fmt::format("{} ops have tensors", m_otherShapes)));
        if (m_untimed > 0)
            notes.push_back(fmt::format("{} no time of the GPU in the profile and {} not measured.",
                                        m_untimed == 1
                                            ? std::string{"1 op that computes has"}
                                            : fmt::format("{} ops that compute have", m_untimed),
                                        m_untimed == 1 ? "is" : "are"));
        if (recording.unusable > 0)
            notes.push_back(fmt::format("{} of the recording {} no usable duration and {} not "
                                        "counted.",
                                        base::counted(recording.unusable, "kernel"),
                                        recording.unusable == 1 ? "has" : "have",
                                        recording.unusable == 1 ? "is" : "are"));
        if (recording.untied > 0)
            notes.push_back(fmt::format("{} of the recording ({}) {} launched by no operator that "
                                        "was recorded; {} not counted.",
                                        base::counted(recording.untied, "kernel"),
                                        base::timeText(recording.untiedTime),
                                        recording.untied == 1 ? "was" : "were",
                                        recording.untied == 1 ? "it is" : "they are"));
        if (recording.onOtherDevices > 0)
            notes.push_back(fmt::format("Only GPU {} is counted; {} ran on other GPUs.",
                                        recording.device,
                                        base::counted(recording.onOtherDevices, "kernel")));
        return notes;
    }

    /// By its name: one that is there for tensors of other sizes isn't missing.
    [[nodiscard]] std::size_t firstMissing() const
    {
        for (std::size_t op = 0; op < m_spanOf.size(); ++op)
            if (computes(m_program.ops[op]) && std::ranges::find(m_pairs, op, [](const auto& pair) {
                                                   return pair.first;
                                               }) == m_pairs.end())
                return op;
        return 0;
    }
    [[nodiscard]] std::string missingLabel() const
    {
        return m_program.ops.empty()
                   ? std::string{"none"}
                   : base::printable(m_program.label(m_program.ops[firstMissing()]), 80);
    }
    /// What runs there: the operator behind the last op before it that was found.
    [[nodiscard]] std::string recordedInstead() const
    {
        const std::size_t missing = firstMissing();
        std::int64_t after = m_step.begin;
        for (const auto& [op, candidate] : m_pairs)
            if (op < missing)
                after = spanAt(m_candidates[candidate]).end;
        for (const OpSpan& span : m_recorded.recording.spans)
            if (isInStep(span) && !span.isRange && span.begin >= after)
                return base::printable(m_recorded.recording.nameOf(span), 60);
        return "no further op";
    }

    const graph::Program& m_program;
    const Recorded& m_recorded;
    OpStep m_step;
    std::vector<std::uint32_t> m_candidates; ///< spans
    base::Aligned m_pairs;                   ///< ops and positions in m_candidates
    std::vector<std::uint32_t> m_spanOf;     ///< by op; kNone: not found
    std::size_t m_computing = 0;
    std::size_t m_found = 0; ///< of those, by their names
    bool m_hasShapes = false;
    std::size_t m_otherShapes = 0; ///< ops with other shapes than recorded
    std::size_t m_untimed = 0;     ///< ops that compute, without a kernel
    std::size_t m_knownSizes = 0;  ///< ops that tell the size of the batch
    std::size_t m_otherSizes = 0;  ///< those of another size
    std::optional<graph::OpId> m_firstOther;
    std::string m_recordedShape; ///< of that op, as the next
    std::string m_graphShape;
};

} // namespace

Result<StepTimesPtr> findStepTimes(const graph::Program& program, const OpRecording& recording,
                                   const std::string& file, const base::JobContext& job)
{
    const Recorded recorded = recordedOf(program, recording);
    const std::vector<OpStep> steps = memtrace::opSteps(recording);
    StepMatcher last{program, recorded, steps.back()};
    last.run();
    if (job.stopRequested())
        return base::cancelled();
    job.report(1, 2);
    // It may have been cut off when the recording ended.
    StepMatcher before{program, recorded, steps[steps.size() < 2 ? 0 : steps.size() - 2]};
    if (steps.size() > 1)
        before.run();
    const StepMatcher& best = before.found() > last.found() ? before : last;
    if (const std::string refusal = best.refusal(); !refusal.empty())
        return base::failure(base::ErrorKind::File, fmt::format("{} {}.", file, refusal));
    auto times = std::make_shared<StepTimes>(best.times());
    times->file = file;
    times->device = recording.deviceName;
    times->epochNs = recording.epochNs;
    job.report(1, 1);
    return StepTimesPtr{std::move(times)};
}

} // namespace plimsoll::compare
