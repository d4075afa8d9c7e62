// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace plimsoll::memtrace {

bool isPython(const StackTable& stacks, const Frame& frame)
{
    const std::string_view file = stacks.text(frame.file);
    return !frame.isFromGraph
           && (file.ends_with(".py") || file.ends_with(".pyx") || file.starts_with("<"));
}

namespace {

/// torch.profiler leaves out where a path begins, be it the project's folder or that of installed
/// packages: what can be told is whether it names one of the usual packages and modules.
bool isUsualPackage(std::string_view file)
{
    static constexpr std::array<std::string_view, 34> kUsual = {
        "accelerate/",    "apex/",         "asyncio/",         "collections/",
        "concurrent/",    "contextlib.py", "copy.py",          "copyreg.py",
        "dataclasses.py", "datasets/",     "deepspeed/",       "diffusers/",
        "enum.py",        "flash_attn/",   "functools.py",     "importlib/",
        "inspect.py",     "lightning/",    "multiprocessing/", "numpy/",
        "peft/",          "pickle.py",     "queue.py",         "pytorch_lightning/",
        "random.py",      "runpy.py",      "threading.py",     "timm/",
        "torch/",         "torchaudio/",   "torchvision/",     "transformers/",
        "triton/",        "xformers/"};
    return std::any_of(kUsual.begin(), kUsual.end(),
                       [file](std::string_view usual) { return file.starts_with(usual); });
}

} // namespace

bool isProject(const StackTable& stacks, const Frame& frame)
{
    static constexpr std::array<std::string_view, 4> kInstalled = {
        "site-packages/", "dist-packages/", "lib/python3", "<frozen"};
    const std::string_view file = stacks.text(frame.file);
    return isPython(stacks, frame) && !isUsualPackage(file)
           && std::none_of(kInstalled.begin(), kInstalled.end(), [file](std::string_view part) {
                  return file.find(part) != std::string_view::npos;
              });
}

std::optional<FrameId> topFrame(const StackTable& stacks, StackId stack)
{
    std::optional<FrameId> python;
    std::optional<FrameId> graph;
    for (const FrameId id : stacks.stack(stack)) {
        const Frame& frame = stacks.frame(id);
        if (isProject(stacks, frame))
            return id;
        if (!python && isPython(stacks, frame))
            python = id;
        if (frame.isFromGraph)
            graph = id;
    }
    return python ? python : graph;
}

std::string frameText(const StackTable& stacks, FrameId id)
{
    const Frame& frame = stacks.frame(id);
    if (frame.file.index() == 0)
        return std::string{stacks.text(frame.name)};
    return fmt::format("{}:{}:{}", stacks.text(frame.file), frame.line, stacks.text(frame.name));
}

std::string topFrameText(const StackTable& stacks, StackId stack)
{
    const std::optional<FrameId> frame = topFrame(stacks, stack);
    return frame ? frameText(stacks, *frame) : "(no Python frame)";
}

std::string moduleText(const StackTable& stacks, StackId stack)
{
    for (const FrameId id : stacks.stack(stack)) {
        const Frame& frame = stacks.frame(id);
        if (frame.isFromGraph && frame.detail.index() != 0)
            return std::string{stacks.text(frame.detail)};
        if (stacks.text(frame.name) == "forward" && isProject(stacks, frame))
            return fmt::format("{}:forward", stacks.text(frame.file));
    }
    return "(no module)";
}

} // namespace plimsoll::memtrace
