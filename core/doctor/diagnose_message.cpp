// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/doctor/diagnose.h"
#include "core/doctor/remedies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::doctor {

namespace {

using base::Bytes;
using base::bytesText;

/// `a` less `b`; none if it is negative by more than both may be off: then they don't fit together.
std::optional<ToldBytes> difference(const ToldBytes& a, const ToldBytes& b)
{
    const ToldBytes left{a.value - b.value, a.error + b.error};
    if (left.value + left.error < Bytes{})
        return std::nullopt;
    return ToldBytes{std::max(Bytes{}, left.value), left.error};
}

bool isMoreThanRounding(const std::optional<ToldBytes>& bytes)
{
    return bytes && bytes->value > bytes->error;
}

/// Inside a container PyTorch doesn't recognise its own process among the others: it is then the
/// one that uses what PyTorch has reserved and little more.
void findOwnProcess(ErrorMessage& message)
{
    if (message.thisProcess || !message.reserved)
        return;
    const Bytes least = message.reserved->value - message.reserved->error;
    auto own = message.processes.end();
    for (auto at = message.processes.begin(); at != message.processes.end(); ++at)
        if (at->used.value + at->used.error >= least
            && (own == message.processes.end() || at->used.value < own->used.value))
            own = at;
    if (own == message.processes.end())
        return;
    message.thisProcess = own->used;
    message.processes.erase(own);
}

/// Who has the part of the device that is neither free nor PyTorch's.
void addOutside(Diagnosis& diagnosis)
{
    const ErrorMessage& message = *diagnosis.message;
    diagnosis.foreign = message.foreign;
    if (message.thisProcess && message.reserved)
        diagnosis.foreign = difference(*message.thisProcess, *message.reserved);
    if (!message.capacity || !message.free)
        return;
    const std::optional<ToldBytes> used = difference(*message.capacity, *message.free);
    if (used && message.thisProcess)
        diagnosis.otherProcesses = difference(*used, *message.thisProcess);
    else if (used && message.reserved)
        diagnosis.outside = difference(*used, *message.reserved);
}

/// What the limit of the process left to its allocator; negative if it was exceeded.
std::optional<ToldBytes> leftByLimit(const ErrorMessage& message)
{
    const std::optional<ToldBytes>& taken = message.reserved ? message.reserved : message.allocated;
    if (!message.allowed || !taken)
        return std::nullopt;
    const ToldBytes all = *taken + message.foreign.value_or(ToldBytes{});
    return ToldBytes{message.allowed->value - all.value, message.allowed->error + all.error};
}

/// What the allocator could still have; none if that isn't known.
std::optional<ToldBytes> leftOver(const ErrorMessage& message)
{
    const std::optional<ToldBytes> limit = leftByLimit(message);
    if (!message.free || !limit)
        return message.free ? message.free : limit;
    return limit->value < message.free->value ? limit : message.free;
}

void addMissingOf(Diagnosis& diagnosis)
{
    const std::optional<ToldBytes> left = leftOver(*diagnosis.message);
    if (diagnosis.asked && left)
        diagnosis.missing = {std::max(Bytes{}, diagnosis.asked->value - left->value),
                             diagnosis.asked->error + left->error};
}

ToldBytes listedBytes(const ErrorMessage& message)
{
    ToldBytes bytes{};
    for (const ErrorMessage::Process& process : message.processes)
        bytes = bytes + process.used;
    return bytes;
}

std::string processesText(const ErrorMessage& message)
{
    std::vector<std::string> each;
    for (const ErrorMessage::Process& process : message.processes)
        each.push_back(fmt::format("process {}: {}", process.pid, bytesText(process.used.value)));
    return fmt::format("{}", fmt::join(each, ", "));
}

/// How much PyTorch could use of memory that others give back; none: all of it.
std::optional<ToldBytes> roomBelowLimit(const ErrorMessage& message)
{
    const std::optional<ToldBytes> left = leftByLimit(message);
    if (!left || !message.free)
        return std::nullopt;
    return ToldBytes{std::max(Bytes{}, left->value - message.free->value),
                     left->error + message.free->error};
}

/// What has to be said where so many bytes would be free besides.
const char* limitText(const ErrorMessage& message, Bytes bytes)
{
    const std::optional<ToldBytes> room = roomBelowLimit(message);
    return room && room->value < bytes ? " To use all of that, raise the limit of the process, too."
                                       : "";
}

/// Savings of which only a bound is known, which begins the text; none where it is within what
/// printed sizes are off.
void addBound(Diagnosis& diagnosis, const char* id, const std::optional<ToldBytes>& bytes,
              const char* text)
{
    if (isMoreThanRounding(bytes))
        add(diagnosis, {.id = id,
                        .text = fmt::format("{} {}{}", bytesText(bytes->value), text,
                                            limitText(*diagnosis.message, bytes->value)),
                        .saves = {},
                        .atMost = bytes->value,
                        .known = HowKnown::Live,
                        .givesMore = true});
}

/// Of other processes, listed or not, and of this one outside PyTorch's allocator.
void addOutsideRemedies(Diagnosis& diagnosis)
{
    const ErrorMessage& message = *diagnosis.message;
    const ToldBytes listed = listedBytes(message);
    if (listed.value > Bytes{}) {
        const std::optional<ToldBytes> room = roomBelowLimit(message);
        const ToldBytes usable = room && room->value < listed.value ? *room : listed;
        const bool isUsable = usable.value > Bytes{};
        add(diagnosis,
            {.id = "other_processes",
             .text = fmt::format("Other processes use {} of the device ({}): end them if you can, "
                                 "or use another device.{}",
                                 bytesText(listed.value), processesText(message),
                                 limitText(message, listed.value)),
             .saves = isUsable ? std::optional{usable.value} : std::nullopt,
             .atMost = isUsable ? std::nullopt : std::optional{listed.value},
             .known = HowKnown::Live,
             .givesMore = true},
            usable.error);
    }
    const auto notListed = [&](const std::optional<ToldBytes>& bytes) {
        return bytes ? difference(*bytes, listed) : std::nullopt;
    };
    addBound(diagnosis, message.processes.empty() ? "other_processes" : "unlisted_processes",
             notListed(diagnosis.otherProcesses),
             "of the device are in use outside this process, and the message names no process "
             "that has them: end other processes on the device (nvidia-smi lists them), or use "
             "another device. The driver needs part of it.");
    addBound(diagnosis, "outside_pytorch", diagnosis.foreign,
             message.backend == "MPS"
                 ? "of this process aren't managed by PyTorch's allocator: what Metal, MPSGraph "
                   "and other frameworks allocate."
                 : "of this process aren't managed by PyTorch's allocator: the GPU's context, "
                   "loaded kernels, and what NCCL, cuDNN or other libraries and frameworks "
                   "allocate. Use fewer process groups and libraries, or limit their memory.");
    addBound(diagnosis, "outside_pytorch", notListed(diagnosis.outside),
             "of the device are neither free nor reserved by PyTorch: other processes have "
             "them, or this one outside PyTorch's allocator (the GPU's context, NCCL, cuDNN, "
             "other libraries). End other processes on the device, or use another device.");
}

/// What lifting the limit of the process would make usable.
void addLimit(Diagnosis& diagnosis)
{
    const ErrorMessage& message = *diagnosis.message;
    const std::optional<ToldBytes> left = leftByLimit(message);
    if (message.backend == "MPS" && message.allowed)
        add(diagnosis, {.id = "memory_fraction",
                        .text = fmt::format("The process may use {} only: raise {} if the "
                                            "computer has more memory that nothing else needs. 0 "
                                            "removes the limit, which may make the system fail.",
                                            bytesText(message.allowed->value), limitName(message)),
                        .saves = {},
                        .atMost = {}});
    if (!left || !message.free || left->value >= message.free->value)
        return;
    const Bytes gain = message.free->value - left->value;
    add(diagnosis,
        {.id = "memory_fraction",
         .text = fmt::format("The process may use {} only: raise the limit of {}. {} of the device "
                             "are free, more than it leaves.",
                             bytesText(message.allowed->value), limitName(message),
                             bytesText(message.free->value)),
         .saves = gain,
         .atMost = {},
         .known = HowKnown::Live,
         .givesMore = true},
        message.free->error + left->error);
}

/// Of memory that PyTorch's allocator has and doesn't use.
void addIdleOf(Diagnosis& diagnosis)
{
    const ErrorMessage& message = *diagnosis.message;
    if (message.unallocated && message.unallocated->value > Bytes{} && message.backend != "XPU")
        add(diagnosis, {.id = "expandable_segments",
                        .text = fmt::format(
                            "{} are reserved but idle, in blocks that are each too small or "
                            "belong to another stream or pool: "
                            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True may make them "
                            "usable. A memory snapshot of the run tells how much (plimsoll-cli "
                            "record --snapshot).",
                            bytesText(message.unallocated->value)),
                        .saves = {},
                        .atMost = message.unallocated->value,
                        .known = HowKnown::Estimate});
    if (message.privatePools && message.privatePools->value > Bytes{})
        add(diagnosis, {.id = "private_pools",
                        .text = fmt::format(
                            "{} are idle in private pools, such as those of CUDA graphs, which "
                            "nothing else can use: capture fewer or smaller graphs.",
                            bytesText(message.privatePools->value)),
                        .saves = {},
                        .atMost = message.privatePools->value,
                        .known = HowKnown::Live});
}

/// What helps any program that trains; a message doesn't tell by how much.
void addGeneral(Diagnosis& diagnosis)
{
    add(diagnosis,
        {.id = "smaller_batch",
         .text = "Use a smaller batch: activations and temporaries shrink with it. Accumulate the "
                 "gradients of several batches to train as before.",
         .saves = {},
         .atMost = {}});
    add(diagnosis,
        {.id = kCheckpointing,
         .text = "Recompute activations in the backward pass (torch.utils.checkpoint): trace the "
                 "step with plimsoll.trace() and let \"plimsoll-cli plan\" find which to "
                 "recompute, with a verified peak.",
         .saves = {},
         .atMost = {}});
}

/// A note if `a` is more than `b` though it is a part of it.
void addContradiction(Diagnosis& diagnosis, const std::optional<ToldBytes>& a, const char* aName,
                      const std::optional<ToldBytes>& b, const char* bName)
{
    if (a && b && !difference(*b, *a))
        diagnosis.notes.push_back(
            fmt::format("The message contradicts itself: {} ({}) is more than {} ({}).", aName,
                        bytesText(a->value), bName, bytesText(b->value)));
}

void addNotes(Diagnosis& diagnosis)
{
    const ErrorMessage& message = *diagnosis.message;
    addContradiction(diagnosis, message.allocated, "what is allocated", message.reserved,
                     "what is reserved");
    addContradiction(diagnosis, message.privatePools, "what private pools have", message.allocated,
                     "what is allocated");
    addContradiction(diagnosis, message.reserved, "what PyTorch has reserved", message.thisProcess,
                     "what the process has");
    addContradiction(diagnosis, message.free, "what is free", message.capacity, "the capacity");
    if (diagnosis.notes.empty() && message.reserved && message.free)
        addContradiction(diagnosis, *message.reserved + *message.free,
                         "what is reserved and free together", message.capacity, "the capacity");
    if (!diagnosis.notes.empty()) // what such figures add up to is enough for nothing
        for (Remedy& remedy : diagnosis.remedies)
            remedy.enough = Enough::NotKnown;
    if (diagnosis.live && isMoreThanRounding(message.privatePools))
        diagnosis.notes.push_back(fmt::format(
            "The message counts {} of private pools as allocated. No block in use has them: they "
            "are counted as idle here.",
            bytesText(message.privatePools->value)));
    const std::optional<ToldBytes> left = leftOver(message);
    if (diagnosis.asked && left
        && left->value - left->error >= diagnosis.asked->value + diagnosis.asked->error)
        diagnosis.notes.emplace_back(
            "More memory was free than was asked for. It may have become free only after the "
            "allocation had failed.");
}

} // namespace

Diagnosis diagnose(const ErrorMessage& told)
{
    Diagnosis diagnosis;
    diagnosis.isFailure = true;
    diagnosis.hasWholeBlocks = true;
    diagnosis.message = told;
    ErrorMessage& message = *diagnosis.message;
    findOwnProcess(message);
    diagnosis.device = message.device;
    diagnosis.asked = message.asked;
    diagnosis.free = message.free;
    diagnosis.capacity = message.capacity;
    diagnosis.reserved = message.reserved;
    const ToldBytes privatePools = message.privatePools.value_or(ToldBytes{});
    if (message.allocated)
        diagnosis.live = difference(*message.allocated, privatePools);
    if (message.unallocated)
        diagnosis.idle = *message.unallocated + privatePools;
    addOutside(diagnosis);
    addMissingOf(diagnosis);
    addOutsideRemedies(diagnosis);
    addLimit(diagnosis);
    addIdleOf(diagnosis);
    addGeneral(diagnosis);
    addNotes(diagnosis);
    sortRemedies(diagnosis.remedies);
    return diagnosis;
}

} // namespace plimsoll::doctor
