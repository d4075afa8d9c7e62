// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture/call_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace plimsoll::readers::capture {

namespace {

namespace wire = plimsoll::capture::wire;
using wire::MappingOperation;

struct Function
{
    std::uint32_t isDriver = 0;
    std::uint32_t id = 0; ///< CUPTI's, the same in all versions
    const char* name = "";
};

/// Those that the recorder asks for.
constexpr std::array kFunctions{
    Function{0, 20, "cudaMalloc"},         Function{0, 22, "cudaFree"},
    Function{0, 25, "cudaMallocHost"},     Function{0, 26, "cudaFreeHost"},
    Function{0, 27, "cudaHostAlloc"},      Function{0, 206, "cudaMallocManaged"},
    Function{0, 373, "cudaMallocAsync"},   Function{0, 374, "cudaMallocAsync"},
    Function{0, 375, "cudaFreeAsync"},     Function{0, 376, "cudaFreeAsync"},
    Function{1, 243, "cuMemAlloc"},        Function{1, 245, "cuMemFree"},
    Function{1, 371, "cuMemAllocManaged"}, Function{1, 598, "cuMemAllocAsync"},
    Function{1, 600, "cuMemFreeAsync"},
};

std::string_view nameOf(const wire::Call& call)
{
    const auto* const found = std::ranges::find_if(kFunctions, [&call](const Function& function) {
        return function.isDriver == call.isDriver && function.id == call.function;
    });
    return found != kFunctions.end() ? found->name : "";
}

} // namespace

CallStacks::CallStacks(const plimsoll::capture::Capture& capture, memtrace::Builder& builder)
    : m_capture{capture}, m_stacks{builder.stacks()}
{
    for (const wire::Call& call : capture.calls)
        if (const auto [at, isNew] = m_calls.emplace(call.correlation, &call);
            !isNew && call.isDriver == 0)
            at->second = &call;
}

memtrace::StackId CallStacks::stack(std::string_view function, std::uint32_t thread)
{
    if (function.empty())
        return {};
    const memtrace::FrameId frame = m_stacks.frame(
        {.file = {},
         .name = m_stacks.text(function),
         .detail = m_stacks.text(thread != 0 ? fmt::format("thread {}", thread) : "")});
    return m_stacks.stack(std::array{frame});
}

memtrace::StackId CallStacks::of(const wire::Memory& memory)
{
    if (const std::string_view variable = m_capture.text(memory.name); !variable.empty())
        return stack(variable, 0);
    const auto call = m_calls.find(memory.correlation);
    return call != m_calls.end() ? stack(nameOf(*call->second), call->second->thread)
                                 : memtrace::StackId{};
}

memtrace::StackId CallStacks::of(const wire::Mapping& mapping)
{
    return stack(mapping.operation == MappingOperation::Unmap ? "cuMemUnmap" : "cuMemMap",
                 mapping.thread);
}

} // namespace plimsoll::readers::capture
