// SPDX-License-Identifier: Apache-2.0
#include "tests/support/programs/predicted_recording.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace plimsoll::tests {

namespace {

void check(bool succeeded)
{
    if (!succeeded)
        std::abort();
}

std::int64_t bytesOf(const compare::PredictedStep& step, std::uint32_t instance)
{
    const plan::Instance& of = step.evaluation->schedule->instances[instance];
    return graph::rounded(step.problem.step()->storage(of.storage).bytes, step.problem.rounding)
        .count();
}

std::int64_t timeOf(std::int64_t event)
{
    return 1'700'000'000'000'000'000 + 1000 * event;
}

PredictedRecording::Stack stackAt(const compare::PredictedStep& step, std::size_t at)
{
    switch (step.evaluation->schedule->phaseAt(*step.problem.step(), at)) {
    case graph::Phase::Optimizer: return PredictedRecording::Stack::Optimizer;
    case graph::Phase::Backward: return PredictedRecording::Stack::Backward;
    default: return PredictedRecording::Stack::Forward;
    }
}

} // namespace

PredictedRecording::PredictedRecording(const compare::PredictedStep& step, int steps)
{
    const std::vector<plan::Instance>& instances = step.evaluation->schedule->instances;
    std::map<std::uint32_t, std::size_t> older;
    for (std::uint32_t i = 0; i < instances.size(); ++i)
        if (instances[i].alloc < 0 && instances[i].free >= 0 && bytesOf(step, i) > 0) {
            blocks.push_back({bytesOf(step, i), Stack::Forward, true, i});
            if (steps == 1 && instances[i].free != INT32_MAX)
                older[i] = blocks.size() - 1;
        }
    for (int number = 0; number < steps; ++number)
        addStep(step, older);
}

std::size_t PredictedRecording::insert(std::size_t first, std::optional<std::size_t> last,
                                       const Block& block)
{
    blocks.push_back(block);
    const std::size_t added = blocks.size() - 1;
    if (last)
        happenings.insert(happenings.begin() + static_cast<std::ptrdiff_t>(*last), {false, added});
    happenings.insert(happenings.begin() + static_cast<std::ptrdiff_t>(first), {true, added});
    return added;
}

std::size_t PredictedRecording::addOlder(std::int64_t bytes)
{
    blocks.push_back({bytes, Stack::Forward, true, std::nullopt});
    return blocks.size() - 1;
}

void PredictedRecording::remove(std::size_t block)
{
    std::erase_if(happenings, [&](const Happening& each) { return each.block == block; });
    blocks[block].isOlder = false; // and so never there
}

std::optional<std::size_t> PredictedRecording::find(bool isAlloc, std::size_t block) const
{
    const auto at = std::ranges::find_if(happenings, [&](const Happening& each) {
        return each.isAlloc == isAlloc && each.block == block;
    });
    return at == happenings.end()
               ? std::nullopt
               : std::optional{static_cast<std::size_t>(at - happenings.begin())};
}

std::size_t PredictedRecording::blockOf(std::uint32_t instance) const
{
    std::size_t block = blocks.size();
    while (block-- > 0 && blocks[block].instance != instance)
        ;
    return block;
}

std::int64_t PredictedRecording::peak() const
{
    std::int64_t live = 0;
    for (const Block& block : blocks)
        live += block.isOlder ? block.bytes : 0;
    std::int64_t most = 0;
    for (const Happening& each : happenings) {
        live += each.isAlloc ? blocks[each.block].bytes : -blocks[each.block].bytes;
        most = std::max(most, live);
    }
    return most;
}

memtrace::MemoryTracePtr PredictedRecording::trace()
{
    memtrace::DeviceBuilder& device = m_builder.device(0);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (blocks[i].isOlder)
            check(device.addBefore(eventOf(i, memtrace::Action::Alloc)).has_value());
    for (const Happening& each : happenings) {
        if (each.isAlloc) {
            check(device.add(eventOf(each.block, memtrace::Action::Alloc)).has_value());
            continue;
        }
        for (const auto action : {memtrace::Action::FreeRequested, memtrace::Action::FreeCompleted})
            check(device.add(eventOf(each.block, action)).has_value());
    }
    if (fails) {
        memtrace::RecordedEvent failure;
        failure.action = memtrace::Action::OutOfMemory;
        failure.bytes = 1 << 20;
        failure.timeNs = timeOf(m_events++);
        failure.stack = stackOf(Stack::Forward);
        check(device.add(failure).has_value());
    }
    auto built = std::move(m_builder).build();
    check(built.has_value());
    return *built;
}

memtrace::RecordedEvent PredictedRecording::eventOf(std::size_t block, memtrace::Action action)
{
    memtrace::RecordedEvent event;
    event.action = action;
    event.address = 0x7f0000000000 + block * 0x100000000;
    event.bytes = blocks[block].bytes;
    event.pool = std::array<std::uint64_t, 2>{};
    event.timeNs = timeOf(m_events++);
    if (action == memtrace::Action::Alloc)
        event.stack = stackOf(blocks[block].stack);
    return event;
}

memtrace::StackId PredictedRecording::stackOf(Stack stack)
{
    memtrace::StackTableBuilder& stacks = m_builder.stacks();
    const auto frame = [&](const char* file, const char* name) {
        return stacks.frame({stacks.text(file), stacks.text(name), 1, {}});
    };
    switch (stack) {
    case Stack::Backward: return {};
    case Stack::Forward:
        return stacks.stack(std::vector<memtrace::FrameId>{frame("model.py", "forward")});
    case Stack::Optimizer:
        return stacks.stack(std::vector<memtrace::FrameId>{frame("torch/optim/adamw.py", "step")});
    case Stack::SetUp:
        return stacks.stack(std::vector<memtrace::FrameId>{frame("train.py", "main")});
    case Stack::Library: break;
    }
    return stacks.stack(std::vector<memtrace::FrameId>{
        frame("CUDABlas.cpp", "at::cuda::allocateCUDABlasWorkspace(unsigned long)"),
        frame("model.py", "forward")});
}

void PredictedRecording::addStep(const compare::PredictedStep& step,
                                 std::map<std::uint32_t, std::size_t> blockOfInstance)
{
    const plan::Schedule& schedule = *step.evaluation->schedule;
    std::map<std::int32_t, std::vector<std::uint32_t>> allocs;
    std::map<std::int32_t, std::vector<std::uint32_t>> frees;
    for (const auto& [instance, block] : blockOfInstance)
        frees[std::min(schedule.instances[instance].free,
                       static_cast<std::int32_t>(schedule.steps.size()) - 1)]
            .push_back(instance);
    for (std::uint32_t i = 0; i < schedule.instances.size(); ++i) {
        const plan::Instance& instance = schedule.instances[i];
        if (instance.alloc < 0 || bytesOf(step, i) == 0)
            continue;
        allocs[instance.alloc].push_back(i);
        frees[std::min(instance.free, static_cast<std::int32_t>(schedule.steps.size()) - 1)]
            .push_back(i);
    }
    for (std::int32_t at = 0; at < static_cast<std::int32_t>(schedule.steps.size()); ++at) {
        const Stack stack = stackAt(step, static_cast<std::size_t>(at));
        for (const std::uint32_t instance : allocs[at]) {
            blocks.push_back({bytesOf(step, instance), stack, false, instance});
            blockOfInstance[instance] = blocks.size() - 1;
            happenings.push_back({true, blocks.size() - 1});
        }
        for (const std::uint32_t instance : frees[at])
            happenings.push_back({false, blockOfInstance[instance]});
    }
}

} // namespace plimsoll::tests
