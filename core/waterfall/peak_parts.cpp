// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/peak_parts.h"

#include "core/device/workspaces.h"
#include "core/memtrace/frames.h"
#include "core/waterfall/measured_place.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace plimsoll::waterfall {

namespace {

using graph::StorageClass;
using memtrace::EventIndex;
using memtrace::kNoEvent;
using memtrace::kNone;

/// cuBLAS's workspaces on GPUs of 9.0 and later, and those of cuBLASLt.
constexpr base::Bytes kLargeWorkspace{32 * base::kMiB};
constexpr base::Bytes kSmallWorkspace{1 * base::kMiB};

/// Stacks with a function of C++ that takes a workspace for a library, such as
/// at::cuda::allocateCUDABlasWorkspace(). Names of libraries alone don't tell: cuDNN's ops allocate
/// their results, too.
std::vector<bool> stacksOfWorkspaces(const memtrace::StackTable& stacks)
{
    std::vector<bool> ofWorkspaces(stacks.stackCount());
    for (std::size_t i = 0; i < ofWorkspaces.size(); ++i)
        ofWorkspaces[i] =
            std::ranges::any_of(stacks.stack(memtrace::StackId{i}), [&](memtrace::FrameId id) {
                const memtrace::Frame& frame = stacks.frame(id);
                return !memtrace::isPython(stacks, frame)
                       && stacks.text(frame.name).find("Workspace") != std::string_view::npos;
            });
    return ofWorkspaces;
}

/// Divides the difference of the peaks among the reasons.
class Split
{
public:
    Split(const compare::PredictedStep& step, const StepMatch& match, const MeasuredStep& measured,
          std::size_t place)
        : m_step{step}
        , m_match{match}
        , m_measured{measured}
        , m_place{static_cast<std::int64_t>(place)}
        , m_instances{step.evaluation->schedule->instances}
        , m_all{measured.device.allocations()}
        , m_ofWorkspaces{stacksOfWorkspaces(measured.trace.stacks())}
    {
        for (std::size_t i = 0; i < kReasonCount; ++i)
            m.rows[i].reason = static_cast<Reason>(i);
        for (std::size_t i = 0; i < m_instances.size(); ++i)
            m_predictedSizes.insert(instanceBytes(step, i).count());
    }

    void run()
    {
        base::Bytes notYet;
        for (std::uint32_t i = 0; i < m_instances.size(); ++i)
            if (isPredicted(i))
                notYet += takePredicted(i);
        for (std::uint32_t i = 0; i < m_all.size(); ++i)
            if (m_measured.isLive(i) && m_all.bytes[i] > 0)
                takeMeasured(i);
        const plan::Evaluation& evaluation = *m_step.evaluation;
        const base::Bytes there =
            evaluation.timeline->stepCount() == 0
                ? base::Bytes{}
                : evaluation.timeline->totalAt(static_cast<std::size_t>(m_place));
        row(Reason::OtherPlace).bytes = there - notYet - evaluation.peak;
    }

    [[nodiscard]] PeakParts parts() && { return std::move(m); }

private:
    [[nodiscard]] WaterfallRow& row(Reason reason)
    {
        return m.rows.at(static_cast<std::size_t>(reason));
    }
    void add(Reason reason, std::uint32_t allocation, base::Bytes bytes)
    {
        row(reason).bytes += bytes;
        row(reason).allocations.push_back(allocation);
    }
    void lack(Reason reason, std::uint32_t instance)
    {
        row(reason).bytes -= instanceBytes(m_step, instance);
        row(reason).instances.push_back(instance);
    }
    [[nodiscard]] bool isPredicted(std::uint32_t instance) const
    {
        return m_instances[instance].alloc <= m_place && m_place <= m_instances[instance].free
               && instanceBytes(m_step, instance).count() > 0;
    }
    [[nodiscard]] StorageClass classOf(std::uint32_t instance) const
    {
        return m_step.problem.step()->storage(m_instances[instance].storage).storageClass;
    }
    /// Returns the bytes of one that is allocated only after the measured peak, at the same op.
    base::Bytes takePredicted(std::uint32_t instance)
    {
        const std::uint32_t allocation = m_match.allocationOf[instance];
        if (allocation == kNone) {
            lack(classOf(instance) == StorageClass::Scratch ? Reason::KernelScratch
                 : m_instances[instance].alloc < 0          ? Reason::Residents
                                                            : Reason::NotExplained,
                 instance);
            return {};
        }
        const EventIndex event = m_all.allocEvent[allocation];
        if (event != kNoEvent && event > m_measured.peakEvent)
            return instanceBytes(m_step, instance);
        if (!m_measured.isLive(allocation))
            lack(classOf(instance) == StorageClass::Output ? Reason::Outputs : Reason::FreedEarlier,
                 instance);
        return {};
    }
    void takeMeasured(std::uint32_t allocation)
    {
        const base::Bytes bytes{m_all.bytes[allocation]};
        const std::uint32_t instance = m_match.instanceOf[allocation];
        if (instance == kNone)
            add(reasonOfUnmatched(allocation), allocation, bytes);
        else if (!isPredicted(instance))
            add(classOf(instance) == StorageClass::Output ? Reason::Outputs : Reason::HeldLonger,
                allocation, bytes);
    }

    [[nodiscard]] Reason reasonOfUnmatched(std::uint32_t allocation)
    {
        if (m_ofWorkspaces[m_all.stack[allocation]]) {
            ++m.byFrames;
            return Reason::Workspaces;
        }
        const EventIndex event = m_all.allocEvent[allocation];
        if (event == kNoEvent || event < m_match.begin) {
            if (!isWorkspaceSize(allocation) || !isUnique(allocation))
                return Reason::Residents;
            return Reason::Workspaces;
        }
        const MatchedNeighbours at = neighboursOf(m_match, m_measured, event);
        if (!isFreedBefore(allocation, at.after) || lacksBetween(at))
            return Reason::NotExplained;
        return isWorkspaceSize(allocation) && (isUnique(allocation) || hasProduct(at))
                   ? Reason::Workspaces
                   : Reason::KernelScratch;
    }
    /// A size that no tensor is likely to have by chance, and none of the prediction has.
    [[nodiscard]] bool isUnique(std::uint32_t allocation) const
    {
        return m_all.bytes[allocation] == plan::kUsualCublasWorkspace.count()
               && !m_predictedSizes.contains(m_all.bytes[allocation]);
    }
    [[nodiscard]] bool isWorkspaceSize(std::uint32_t allocation) const
    {
        const base::Bytes bytes{m_all.bytes[allocation]};
        return bytes == m_step.problem.device.cublasWorkspace
               || bytes == plan::kUsualCublasWorkspace || bytes == kLargeWorkspace
               || bytes == kSmallWorkspace;
    }
    /// Whether it is gone before the next predicted memory is allocated.
    [[nodiscard]] bool isFreedBefore(std::uint32_t allocation,
                                     const std::optional<std::size_t>& pair) const
    {
        const EventIndex freed = m_all.freeEvent[allocation];
        return freed != kNoEvent
               && (!pair
                   || freed < m_all.allocEvent[m_match.measured[m_match.inOrder[*pair].second]]);
    }
    /// Whether predicted memory that wasn't found lies there: then it may be that.
    [[nodiscard]] bool lacksBetween(const MatchedNeighbours& at) const
    {
        const std::size_t first =
            at.before ? m_match.inOrder[*at.before].first + std::size_t{1} : 0;
        const std::size_t last =
            at.after ? m_match.inOrder[*at.after].first : m_match.predicted.size();
        return std::any_of(m_match.predicted.begin() + static_cast<std::ptrdiff_t>(first),
                           m_match.predicted.begin() + static_cast<std::ptrdiff_t>(last),
                           [&](std::uint32_t instance) {
                               return classOf(instance) != StorageClass::Scratch
                                      && m_match.allocationOf[instance] == kNone;
                           });
    }
    /// Whether a product runs between two pairs, at both of them too.
    [[nodiscard]] bool hasProduct(const MatchedNeighbours& at) const
    {
        const std::vector<plan::Step>& steps = m_step.evaluation->schedule->steps;
        const auto stepAt = [&](std::size_t pair) {
            const std::uint32_t instance = m_match.predicted[m_match.inOrder[pair].first];
            return steps.begin() + m_instances[instance].alloc;
        };
        const auto first = at.before ? stepAt(*at.before) : steps.begin();
        const auto last = at.after ? stepAt(*at.after) + 1 : steps.end();
        const graph::Program& program = *m_step.problem.step();
        return std::any_of(first, last, [&](const plan::Step& step) {
            return plan::isProduct(program.targetOf(program.op(step.op)));
        });
    }

    const compare::PredictedStep& m_step;
    const StepMatch& m_match;
    const MeasuredStep& m_measured;
    std::int64_t m_place;
    const std::vector<plan::Instance>& m_instances;
    const memtrace::Allocations& m_all;
    std::vector<bool> m_ofWorkspaces; ///< by stack
    PeakParts m;
    std::set<std::int64_t> m_predictedSizes;
};

} // namespace

PeakParts peakParts(const compare::PredictedStep& step, const StepMatch& match,
                    const MeasuredStep& measured, std::size_t place)
{
    Split split{step, match, measured, place};
    split.run();
    return std::move(split).parts();
}

} // namespace plimsoll::waterfall
