// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/remedies.h"

#include "core/base/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace plimsoll::doctor {

namespace {

using base::Bytes;
using base::bytesText;
using memtrace::MemoryClass;

Bytes bytesOf(const memtrace::LiveGroups& groups, MemoryClass memoryClass)
{
    for (const memtrace::LiveGroup& group : groups.groups)
        if (group.name == memtrace::className(memoryClass))
            return group.bytes;
    return {};
}

/// Gradients that are older than an activation that is live: forward ran while they were there.
Bytes gradientsFromBefore(const memtrace::DeviceTrace& device, const memtrace::Classes& classes,
                          std::size_t step)
{
    const memtrace::Allocations& all = device.allocations();
    const auto isLive = [&](std::size_t i, MemoryClass memoryClass) {
        return classes.classAt(i) == memoryClass && device.firstStep(i) <= step
               && device.lastStep(i) >= step;
    };
    std::size_t newest = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (isLive(i, MemoryClass::Activations))
            newest = std::max<std::size_t>(newest, device.firstStep(i));
    Bytes bytes;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (isLive(i, MemoryClass::Gradients) && device.firstStep(i) < newest)
            bytes += Bytes{all.bytes[i]};
    return bytes;
}

/// Whether activations live at the step belong to a forward pass that came to no backward pass.
bool isBeforeBackward(const memtrace::DeviceTrace& device, const memtrace::Classes& classes,
                      std::size_t step)
{
    for (std::size_t i = 0; i < device.allocations().size(); ++i)
        if (classes.ruleAt(i) == memtrace::ClassRule::FailsBeforeBackward
            && device.firstStep(i) <= step && device.lastStep(i) >= step)
            return true;
    return false;
}

/// The run that leaves most memory among those with an option; null if none helps.
const SettingsRun* bestOf(const SettingsReplay& replay, std::string_view option, bool isFailure)
{
    const SettingsRun* best = nullptr;
    for (const SettingsRun& run : replay.runs) {
        // What saves less than the replay itself is off may save nothing.
        const bool helps =
            !run.failedAt && (isFailure || run.reserved + replay.peakOff < replay.needed);
        if (run.option.starts_with(option) && helps
            && (best == nullptr || run.reserved < best->reserved))
            best = &run;
    }
    return best;
}

std::string settingsText(const SettingsRun& run, const SettingsReplay& replay, bool isFailure)
{
    std::string text = fmt::format(
        "Set PYTORCH_CUDA_ALLOC_CONF={} before the program starts: replayed with it, {} {} instead "
        "of {}.",
        run.settings,
        isFailure ? "the same allocations, with the one that failed, take"
                  : "the same allocations reserve at most",
        bytesText(run.reserved), bytesText(replay.needed));
    if (!replay.isExact())
        text += fmt::format(" (An estimate: {}.)", fmt::join(replay.doubts, "; "));
    if (!isFailure && replay.peakOff.count() > 0)
        text += fmt::format(" {} by which the replay differs from the recording are not counted.",
                            bytesText(replay.peakOff));
    return text;
}

void addOptimizer(Diagnosis& diagnosis, Bytes states)
{
    if (states.count() == 0)
        return;
    add(diagnosis,
        {.id = "optimizer_offload",
         .text = "Keep the optimizer's state in the CPU's memory (CPU offload of FSDP or "
                 "DeepSpeed). Each step then waits for transfers.",
         .saves = states,
         .atMost = {},
         .known = HowKnown::Estimate});
    add(diagnosis,
        {.id = "optimizer_8bit",
         .text = "Use an optimizer with 8-bit state (such as bitsandbytes' AdamW8bit): of 32-bit "
                 "numbers about three quarters go.",
         .saves = Bytes{states.count() / 4 * 3},
         .atMost = {},
         .known = HowKnown::Estimate});
}

} // namespace

void add(Diagnosis& diagnosis, Remedy remedy, Bytes error)
{
    if (remedy.saves && diagnosis.isFailure && diagnosis.missing
        && *remedy.saves - error >= diagnosis.missing->value + diagnosis.missing->error)
        remedy.enough = Enough::Allocation;
    diagnosis.remedies.push_back(std::move(remedy));
}

void addPlanned(std::vector<Remedy>& remedies, Remedy planned)
{
    if (planned.known == HowKnown::Plan)
        std::erase_if(remedies, [](const Remedy& old) { return old.id == kCheckpointing; });
    remedies.push_back(std::move(planned));
    sortRemedies(remedies);
}

void sortRemedies(std::vector<Remedy>& remedies)
{
    const auto rank = [](const Remedy& remedy) {
        return std::tuple{-static_cast<int>(remedy.enough), !remedy.saves,
                          !remedy.atMost && !remedy.saves, -remedy.saves.value_or(Bytes{}).count(),
                          -remedy.atMost.value_or(Bytes{}).count()};
    };
    std::stable_sort(remedies.begin(), remedies.end(),
                     [&](const Remedy& a, const Remedy& b) { return rank(a) < rank(b); });
}

void addSettings(Diagnosis& diagnosis)
{
    const SettingsReplay& replay = *diagnosis.replay;
    for (const char* option :
         {"expandable_segments", "max_split_size_mb", "roundup_power2_divisions"}) {
        const SettingsRun* best = bestOf(replay, option, diagnosis.isFailure);
        if (best == nullptr)
            continue;
        Remedy remedy;
        remedy.id = option;
        remedy.text = settingsText(*best, replay, diagnosis.isFailure);
        remedy.saves =
            replay.needed - best->reserved - (diagnosis.isFailure ? Bytes{} : replay.peakOff);
        remedy.known = replay.isExact() ? HowKnown::Replay : HowKnown::Estimate;
        if (diagnosis.isFailure)
            remedy.enough = Enough::Allocation;
        diagnosis.remedies.push_back(std::move(remedy));
    }
}

void addClasses(Diagnosis& diagnosis, const memtrace::DeviceTrace& device,
                const memtrace::Classes& classes)
{
    const memtrace::LiveGroups& live = *diagnosis.byClass;
    diagnosis.failsInForward =
        diagnosis.isFailure && isBeforeBackward(device, classes, diagnosis.moment->step);
    addOptimizer(diagnosis, bytesOf(live, MemoryClass::OptimizerState));
    const Bytes old = gradientsFromBefore(device, classes, diagnosis.moment->step);
    if (old.count() > 0)
        add(diagnosis,
            {.id = "gradients_set_to_none",
             .text = "Gradients were there already while the forward pass ran. Unless you "
                     "accumulate gradients, let optimizer.zero_grad(set_to_none=True) free them "
                     "before it.",
             .saves = old,
             .atMost = {},
             .known = HowKnown::Live});
    const Bytes activations = bytesOf(live, MemoryClass::Activations);
    const Bytes perSample = activations + bytesOf(live, MemoryClass::Temporaries);
    if (activations.count() > 0)
        add(diagnosis,
            {.id = kCheckpointing,
             .text = fmt::format("Recompute activations in the backward pass, of which {} are "
                                 "live: trace the step with plimsoll.trace() and let "
                                 "\"plimsoll-cli plan\" find which to recompute, with a verified "
                                 "peak.",
                                 bytesText(activations)),
             .saves = {},
             .atMost = activations,
             .known = HowKnown::Live});
    if (perSample.count() > 1)
        add(diagnosis,
            {.id = "smaller_batch",
             .text = fmt::format("Halve the batch: activations and temporaries, {} together, "
                                 "shrink with it. Accumulate the gradients of two batches to "
                                 "train as before.",
                                 bytesText(perSample)),
             .saves = Bytes{perSample.count() / 2},
             .atMost = {},
             .known = HowKnown::Estimate});
}

void addIdle(Diagnosis& diagnosis)
{
    const std::optional<IdleMemory>& idle = diagnosis.idleBlocks;
    if (idle && idle->elsewhere.count() > 0)
        add(diagnosis,
            {.id = "other_pools",
             .text = fmt::format("{} are idle in blocks that are large enough, but belong to "
                                 "another stream or pool, which don't share memory: allocate on "
                                 "one stream, or let a private pool go that you need no longer.",
                                 bytesText(idle->elsewhere)),
             .saves = {},
             .atMost = idle->elsewhere,
             .known = idle->known == IdleKnown::Layout ? HowKnown::Estimate : HowKnown::Live});
    if (!diagnosis.isFailure && diagnosis.replay && diagnosis.replay->releasable
        && diagnosis.replay->releasable->count() > 0)
        add(diagnosis,
            {.id = "empty_cache",
             .text =
                 "torch.cuda.empty_cache() at the peak gives idle memory back to other programs "
                 "on the device. PyTorch does so itself before an allocation fails.",
             .saves = diagnosis.replay->releasable,
             .atMost = {},
             .known = HowKnown::Replay});
}

void addSnapshot(Diagnosis& diagnosis)
{
    add(diagnosis,
        {.id = "record_snapshot",
         .text = "Record again with \"plimsoll-cli record --snapshot\": this recording shows what "
                 "the driver was asked for, and not the tensors in it nor who allocated them.",
         .saves = {},
         .atMost = {}});
}

} // namespace plimsoll::doctor
