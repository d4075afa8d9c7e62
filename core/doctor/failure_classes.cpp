// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/failure_classes.h"

#include <algorithm>
#include <vector>

namespace plimsoll::doctor {

namespace {

using memtrace::MemoryClass;

/// By stack: whether a function forward() is in it.
std::vector<bool> forwardStacks(const memtrace::StackTable& stacks)
{
    std::vector<bool> isForward(stacks.stackCount());
    for (std::size_t i = 0; i < isForward.size(); ++i) {
        const auto frames = stacks.stack(memtrace::StackId{i});
        isForward[i] = std::any_of(frames.begin(), frames.end(), [&](memtrace::FrameId frame) {
            return stacks.text(stacks.frame(frame).name) == "forward";
        });
    }
    return isForward;
}

} // namespace

memtrace::Classes classesAtFailure(const memtrace::MemoryTrace& trace,
                                   const memtrace::DeviceTrace& device, std::size_t step)
{
    memtrace::Classes classes = memtrace::classify(trace, device);
    const std::vector<bool> isForward = forwardStacks(trace.stacks());
    const memtrace::Allocations& all = device.allocations();
    std::vector<std::uint8_t> classOf{classes.classOf.begin(), classes.classOf.end()};
    for (std::size_t i = 0; i < all.size(); ++i)
        if (classes.classAt(i) == MemoryClass::NotKnown && isForward[all.stack[i]]
            && device.firstStep(i) <= step && device.lastStep(i) >= step)
            classOf[i] = static_cast<std::uint8_t>(MemoryClass::Activations);
    classes.classOf = base::Column{std::move(classOf)};
    return classes;
}

} // namespace plimsoll::doctor
