// SPDX-License-Identifier: Apache-2.0
#include "core/run/device_run.h"

#include "core/allocator/allocator_replay.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::run {

namespace {

using allocator::AllocatorReplay;
using Handle = AllocatorReplay::Handle;

/// In which order PyTorch's kernel allocates an op's results and its scratch.
enum class Order {
    ScratchSecond, ///< behind the first result: most kernels
    ScratchFirst,
    LastResultFirst, ///< the mask of dropout
    FromThirdFirst,  ///< seed and offset of attention
};

Order orderOf(std::string_view target)
{
    static constexpr std::array kOrders{
        std::pair{std::string_view{"aten.native_dropout.default"}, Order::LastResultFirst},
        std::pair{std::string_view{"aten._scaled_dot_product_efficient_attention.default"},
                  Order::FromThirdFirst},
        std::pair{std::string_view{"aten._scaled_dot_product_efficient_attention_backward.default"},
                  Order::ScratchFirst},
    };
    const auto* const found =
        std::ranges::find(kOrders, target, [](const auto& row) { return row.first; });
    return found == kOrders.end() ? Order::ScratchSecond : found->second;
}

/// What a step of the schedule allocates before it runs, and frees behind it.
struct StepEvents
{
    std::vector<std::size_t> allocated; ///< instances
    std::vector<std::size_t> freed;
};

class Loop
{
public:
    Loop(const plan::VerifiedPlan& plan, const allocator::AllocatorSettings& settings,
         base::Bytes device)
        : m_program{*plan.problem().step()}
        , m_schedule{*plan.evaluation().schedule}
        , m_replay{settings, device}
        , m_handles(m_schedule.instances.size())
        , m_steps(m_schedule.steps.size())
    {
        arrange();
    }

    /// False if memory runs out, or it was stopped.
    bool begin();
    bool iterate(int iteration, const std::stop_token& stop);

    [[nodiscard]] const AllocatorReplay& replay() const { return m_replay; }
    [[nodiscard]] const std::optional<OutOfMemory>& failure() const { return m_failure; }

private:
    void arrange();
    void sortAllocations(std::size_t step);
    [[nodiscard]] base::Bytes bytesOf(std::size_t instance) const
    {
        return m_program.storage(m_schedule.instances[instance].storage).bytes;
    }
    bool allocate(std::size_t instance, graph::OpId op, int iteration);
    void free(std::size_t instance)
    {
        if (const std::optional<Handle> handle = std::exchange(m_handles[instance], std::nullopt))
            m_replay.free(*handle);
    }

    const graph::Program& m_program;
    const plan::Schedule& m_schedule;
    AllocatorReplay m_replay;
    std::vector<std::optional<Handle>> m_handles; ///< by instance
    std::vector<StepEvents> m_steps;
    std::vector<std::size_t> m_before; ///< older than the loop
    std::vector<std::size_t> m_states; ///< of the optimizer
    std::vector<std::size_t> m_left;   ///< by a step, for its end
    std::size_t m_optimizer = 0;       ///< step at which the optimizer begins
    std::optional<OutOfMemory> m_failure;
};

void Loop::arrange()
{
    m_optimizer = m_steps.size();
    for (std::size_t step = 0; step < m_steps.size(); ++step)
        if (m_schedule.phaseAt(m_program, step) == graph::Phase::Optimizer) {
            m_optimizer = step;
            break;
        }
    const auto count = static_cast<std::int32_t>(m_steps.size());
    for (std::size_t row = 0; row < m_schedule.instances.size(); ++row) {
        const plan::Instance& instance = m_schedule.instances[row];
        if (bytesOf(row).count() <= 0 || instance.free < instance.alloc)
            continue;
        const bool isState =
            m_program.storage(instance.storage).storageClass == graph::StorageClass::OptimizerState;
        if (instance.alloc < 0)
            (isState && m_optimizer < m_steps.size() ? m_states : m_before).push_back(row);
        else
            m_steps[static_cast<std::size_t>(instance.alloc)].allocated.push_back(row);
        if (instance.alloc < 0)
            continue;
        if (instance.free < count)
            m_steps[static_cast<std::size_t>(instance.free)].freed.push_back(row);
        else
            m_left.push_back(row);
    }
    for (std::size_t step = 0; step < m_steps.size(); ++step)
        sortAllocations(step);
}

/// Instances come in the order of the op's results, scratch behind them.
void Loop::sortAllocations(std::size_t step)
{
    std::vector<std::size_t>& rows = m_steps[step].allocated;
    if (rows.size() < 2)
        return;
    const auto scratch =
        std::stable_partition(rows.begin(), rows.end(), [this](std::size_t instance) {
            return !m_program.storage(m_schedule.instances[instance].storage).isScratch();
        });
    switch (orderOf(m_program.targetOf(m_program.op(m_schedule.steps[step].op)))) {
    case Order::ScratchSecond:
        if (scratch != rows.begin())
            std::rotate(rows.begin() + 1, scratch, rows.end());
        break;
    case Order::ScratchFirst: std::rotate(rows.begin(), scratch, rows.end()); break;
    case Order::LastResultFirst:
        if (scratch != rows.begin())
            std::rotate(rows.begin(), scratch - 1, scratch);
        break;
    case Order::FromThirdFirst:
        if (scratch - rows.begin() > 2)
            std::rotate(rows.begin(), rows.begin() + 2, scratch);
        break;
    }
}

bool Loop::allocate(std::size_t instance, graph::OpId op, int iteration)
{
    const base::Bytes asked = bytesOf(instance);
    m_handles[instance] = m_replay.allocate(asked);
    if (!m_handles[instance])
        m_failure = OutOfMemory{op,
                                iteration,
                                asked,
                                m_replay.deviceFree(),
                                m_replay.cached(),
                                m_replay.largestCached()};
    return m_handles[instance].has_value();
}

bool Loop::begin()
{
    return std::all_of(m_before.begin(), m_before.end(), [this](std::size_t instance) {
        return allocate(instance, graph::OpId{0}, 1);
    });
}

bool Loop::iterate(int iteration, const std::stop_token& stop)
{
    for (std::size_t step = 0; step < m_steps.size(); ++step) {
        if (stop.stop_requested())
            return false;
        const graph::OpId op = m_schedule.steps[step].op;
        const auto takes = [&](std::size_t instance) { return allocate(instance, op, iteration); };
        if (iteration == 1 && step == m_optimizer
            && !std::all_of(m_states.begin(), m_states.end(), takes))
            return false;
        const StepEvents& events = m_steps[step];
        if (!std::all_of(events.allocated.begin(), events.allocated.end(), takes))
            return false;
        for (const std::size_t instance : events.freed)
            free(instance);
    }
    for (const std::size_t instance : m_left)
        free(instance);
    return true;
}

} // namespace

std::optional<DeviceRun> runLoop(const plan::VerifiedPlan& plan,
                                 const allocator::AllocatorSettings& settings, base::Bytes device,
                                 const std::stop_token& stop, int iterations)
{
    Loop loop{plan, settings, device};
    DeviceRun run;
    bool goesOn = loop.begin();
    for (int iteration = 1; goesOn && iteration <= iterations; ++iteration) {
        const int before = loop.replay().retries();
        goesOn = loop.iterate(iteration, stop);
        run.flushes.push_back(loop.replay().retries() - (iteration == 1 ? 0 : before));
    }
    if (!goesOn && !loop.failure())
        return std::nullopt;
    run.reserved = loop.replay().peaks().reserved;
    run.failure = loop.failure();
    return run;
}

} // namespace plimsoll::run
