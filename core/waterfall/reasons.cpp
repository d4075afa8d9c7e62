// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/reasons.h"

#include "core/base/format.h"
#include "core/memtrace/analysis/classify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace plimsoll::waterfall {

namespace {

constexpr std::array kKeys{"other_place",   "workspaces",    "kernel_scratch", "outputs",
                           "freed_earlier", "held_longer",   "residents",      "not_explained",
                           "rounding",      "fragmentation", "foreign"};
constexpr std::array kNames{"Peak at another op",  "Workspaces of libraries", "Scratch of kernels",
                            "Results of the step", "Freed earlier",           "Held longer",
                            "Older than the step", "Not explained",           "Rounding",
                            "Fragmentation",       "Foreign to PyTorch"};
static_assert(kKeys.size() == kReasonCount && kNames.size() == kReasonCount);

/// "2 x 8,519,680 B, 1 x 32 B": the allocations of a row, largest first, at most three sizes.
std::string sizesText(const WaterfallRow& row, const MeasuredStep& measured)
{
    constexpr std::size_t kSizes = 3;
    std::map<std::int64_t, std::size_t, std::greater<>> counts;
    for (const std::uint32_t allocation : row.allocations)
        ++counts[measured.device.allocations().bytes[allocation]];
    std::string text;
    std::size_t shown = 0;
    for (const auto& [bytes, count] : counts) {
        if (++shown > kSizes)
            return text + fmt::format(" and {} more sizes", counts.size() - kSizes);
        text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count,
                            base::exactBytesText(base::Bytes{bytes}));
    }
    return text;
}

std::string otherPlaceText(const WaterfallRow& row, const ReasonFacts& facts)
{
    const std::string place = placeText(facts.step, facts.place);
    if (facts.place == facts.step.evaluation->peakStep)
        return row.bytes.count() == 0
                   ? "Both peaks are reached at " + place + "."
                   : "Both peaks are reached at " + place
                         + ", the measured one before all of its memory is allocated.";
    return fmt::format("The measured peak is reached at {}, where less is predicted than at the "
                       "predicted peak, {}.",
                       place, placeText(facts.step, facts.step.evaluation->peakStep));
}

std::string workspacesText(const WaterfallRow& row, const ReasonFacts& facts)
{
    if (row.allocations.empty())
        return "No workspace of a library is live at the measured peak.";
    const std::size_t bySize = row.allocations.size() - facts.byFrames;
    const char* how = bySize == 0           ? "by their stacks"
                      : facts.byFrames == 0 ? "by their size and by where they are taken"
                                            : "by their stacks or sizes";
    return fmt::format("The graph has no workspaces of cuBLAS and cuDNN; recognised {}: {}.", how,
                       sizesText(row, facts.measured));
}

std::string outputsText(const WaterfallRow& row)
{
    if (row.allocations.empty() && row.instances.empty())
        return "Results of the step are live at both places, or at neither.";
    return row.bytes.count() < 0
               ? "The prediction keeps the results of the step until it ends, and the program let "
                 "go of them before."
               : "The program keeps results of the step for longer than predicted.";
}

std::string residentsText(const WaterfallRow& row, const MeasuredStep& measured)
{
    if (row.allocations.empty() && row.instances.empty())
        return "What is older than the step is as predicted.";
    std::string text = fmt::format(
        "Of what is older than the step, {} not predicted, and {} predicted but not there",
        base::counted(row.allocations.size(), "block is", "blocks are"),
        base::counted(row.instances.size(), "is", "are"));
    const memtrace::Classes classes = memtrace::classify(measured.trace, measured.device);
    const auto gradients = static_cast<std::size_t>(
        std::ranges::count_if(row.allocations, [&](std::uint32_t allocation) {
            return classes.classAt(allocation) == memtrace::MemoryClass::Gradients;
        }));
    if (gradients > 0)
        text += fmt::format(": {} from an earlier backward, such as gradients that weren't cleared "
                            "yet",
                            base::counted(gradients, "is", "are"));
    return text + ".";
}

std::string notExplainedText(const WaterfallRow& row)
{
    if (row.allocations.empty() && row.instances.empty())
        return "Each block that is live at the measured peak is accounted for.";
    return fmt::format("Without a counterpart at the measured peak: {} and {}.",
                       base::counted(row.allocations.size(), "measured block"),
                       base::counted(row.instances.size(), "predicted one"));
}

std::string ofBlocks(const WaterfallRow& row, const char* none, const char* some)
{
    return row.allocations.empty() && row.instances.empty()
               ? std::string{none}
               : fmt::format(
                   "{}: {}.", some,
                   base::counted(std::max(row.allocations.size(), row.instances.size()), "block"));
}

} // namespace

const char* reasonKey(Reason reason)
{
    return kKeys.at(static_cast<std::size_t>(reason));
}

const char* reasonName(Reason reason)
{
    return kNames.at(static_cast<std::size_t>(reason));
}

std::string placeText(const compare::PredictedStep& step, std::size_t at)
{
    const plan::Schedule& schedule = *step.evaluation->schedule;
    if (at >= schedule.steps.size())
        return "no op";
    const graph::Program& program = *step.problem.step();
    return fmt::format("{} ({}{})", program.label(program.op(schedule.steps[at].op)),
                       graph::phaseName(schedule.phaseAt(program, at)),
                       schedule.steps[at].region >= 0 ? ", recomputed" : "");
}

std::string reasonText(const WaterfallRow& row, const ReasonFacts& facts)
{
    switch (row.reason) {
    case Reason::OtherPlace: return otherPlaceText(row, facts);
    case Reason::Workspaces: return workspacesText(row, facts);
    case Reason::KernelScratch:
        return row.allocations.empty() && row.instances.empty()
                   ? "No kernel has scratch memory at the measured peak."
                   : fmt::format(
                       "Taken and freed while one op runs, which has no tensor of it: {}.",
                       sizesText(row, facts.measured));
    case Reason::Outputs: return outputsText(row);
    case Reason::FreedEarlier:
        return ofBlocks(row, "Nothing is freed earlier than predicted.",
                        "Predicted to be live at the measured peak, but freed before it");
    case Reason::HeldLonger:
        return ofBlocks(row, "Nothing is held longer than predicted.",
                        "Live at the measured peak, where the prediction has freed it");
    case Reason::Residents: return residentsText(row, facts.measured);
    case Reason::NotExplained: return notExplainedText(row);
    case Reason::Rounding:
        return facts.isRounded
                   ? "Blocks counted as rounded up to 512 B each."
                   : "The allocator's blocks are as long as its replay says: multiples of 512 B, "
                     "and longer where the rest of a free block would be too small.";
    case Reason::Fragmentation: return "Reserved, and not in use when most was.";
    case Reason::Foreign: break;
    }
    return "What others in the process hold when most of the device is in use.";
}

} // namespace plimsoll::waterfall
