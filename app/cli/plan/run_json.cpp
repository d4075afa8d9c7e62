// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/run_json.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <string_view>

namespace plimsoll::cli {

CLI::Option* AllocatorOption::addTo(CLI::App& command)
{
    return command.add_option(
        "--alloc-conf", m_text,
        "Settings of PyTorch's allocator for the answer whether the plan runs, as "
        "in PYTORCH_CUDA_ALLOC_CONF: expandable_segments:True");
}

allocator::AllocatorSettings AllocatorOption::settings() const
{
    const auto parsed = allocator::parseAllocatorSettings(m_text);
    if (!parsed)
        throw VerbError(base::ErrorKind::Usage, "--alloc-conf, as " + parsed.error().message);
    return *parsed;
}

std::string AllocatorOption::text() const
{
    const bool isBlank = m_text.find_first_not_of(' ') == std::string::npos;
    return isBlank ? "expandable_segments:False" : m_text;
}

ordered_json runJson(const plan::Problem& problem, const RunAnswer& answer)
{
    const run::RunVerdict& verdict = answer.verdict;
    ordered_json json = {{"status", run::runStatusName(verdict.status)},
                         {"flushes", verdict.run.flushCount()},
                         {"flushes_by_iteration", verdict.run.flushes},
                         {"fails_at", nullptr},
                         {"settings", answer.settings},
                         {"runs_at_bytes", nullptr},
                         {"expandable_segments", nullptr},
                         {"expandable_plan", nullptr},
                         {"passed_over", nullptr}};
    if (const auto& failure = verdict.run.failure) {
        const graph::Program& program = *problem.step();
        const graph::Op& op = program.op(failure->op);
        json["fails_at"] = {{"iteration", failure->iteration},
                            {"op", failure->op.index()},
                            {"target", program.targetOf(op)},
                            {"module", program.modulePath(op)},
                            {"asked_bytes", failure->asked.count()},
                            {"free_bytes", failure->free.count()},
                            {"cached_bytes", failure->cached.count()},
                            {"largest_block_bytes", failure->largestCached.count()}};
    }
    if (verdict.runsAt)
        json["runs_at_bytes"] = verdict.runsAt->count();
    if (verdict.expandable)
        json["expandable_segments"] = run::runStatusName(*verdict.expandable);
    if (const auto& passed = answer.passedOver) {
        const plan::Evaluation& fastest = passed->fastest->evaluation();
        json["passed_over"] = {{"plans", passed->count},
                               {"fastest_status", run::runStatusName(*passed->status)},
                               {"fastest_peak_bytes", fastest.peak.count()},
                               {"fastest_step_time_ns", fastest.stepTime.count()}};
    }
    if (const auto& expandable = answer.expandable) {
        const plan::Evaluation& evaluation = expandable->plan->evaluation();
        json["expandable_plan"] = {{"status", run::runStatusName(expandable->status)},
                                   {"peak_bytes", evaluation.peak.count()},
                                   {"step_time_ns", evaluation.stepTime.count()}};
    }
    return json;
}

std::string failureText(const plan::Problem& problem, const RunAnswer& answer)
{
    const run::OutOfMemory& failure = *answer.verdict.run.failure;
    const graph::Program& program = *problem.step();
    return fmt::format("PyTorch's allocator runs out of memory in iteration {} at op {}, {}: it is "
                       "asked for {}, {} of the device are free, and the largest of its free "
                       "blocks has {}.",
                       failure.iteration, failure.op.index(),
                       base::printable(program.label(program.op(failure.op)), 100),
                       base::bytesText(failure.asked), base::bytesText(failure.free),
                       base::bytesText(failure.largestCached));
}

/// Why a faster plan was not taken.
std::string passedOverText(const run::PassedOver& passed)
{
    return fmt::format(
        "              {} within the budget {} passed over: with the fastest, {}, PyTorch's "
        "allocator {}\n",
        base::counted(passed.count, "faster plan"), passed.count == 1 ? "was" : "were",
        base::timeText(passed.fastest->evaluation().stepTime),
        passed.status == run::RunStatus::Fails
            ? "runs out of memory, which lies in pieces that are too small"
            : "has to empty its cache to find memory");
}

/// What happens with expandable segments to a plan that fails or needs flushes without them.
std::string_view expandableText(const run::RunVerdict& verdict)
{
    const bool fails = verdict.status == run::RunStatus::Fails;
    switch (*verdict.expandable) {
    case run::RunStatus::Runs: return "it runs without emptying the cache";
    case run::RunStatus::RunsWithFlushes:
        return fails ? "it runs, but PyTorch has to empty its cache to find memory"
                     : "PyTorch has to empty its cache, too";
    case run::RunStatus::Fails: break;
    }
    return fails ? "it runs out of memory, too" : "it runs out of memory";
}

/// The plan to take with expandable segments.
std::string expandablePlanText(const run::ExpandableChoice& choice)
{
    return fmt::format("              With expandable_segments:True a plan of {} a step runs{}\n",
                       base::timeText(choice.plan->evaluation().stepTime),
                       choice.status == run::RunStatus::Runs
                           ? " without emptying the cache"
                           : ", but PyTorch has to empty its cache to find memory");
}

std::string runText(const plan::Problem& problem, const RunAnswer& answer)
{
    const run::RunVerdict& verdict = answer.verdict;
    std::string text = "  will run    ";
    switch (verdict.status) {
    case run::RunStatus::Runs: text += "yes"; break;
    case run::RunStatus::RunsWithFlushes:
        text +=
            fmt::format("yes, but PyTorch empties its cache to find memory, and waits for the GPU "
                        "each time: {} times in the first {} iterations",
                        fmt::join(verdict.run.flushes, ", "), verdict.run.flushes.size());
        break;
    case run::RunStatus::Fails:
        text +=
            fmt::format("no. {} This plan runs with a budget of {}", failureText(problem, answer),
                        base::bytesText(*verdict.runsAt, base::Rounding::Up));
        break;
    }
    text += fmt::format(" ({})\n", base::printable(answer.settings, 100));
    if (verdict.expandable)
        text += fmt::format("              With expandable_segments:True {}.\n",
                            expandableText(verdict));
    if (answer.passedOver)
        text += passedOverText(*answer.passedOver);
    if (answer.expandable)
        text += expandablePlanText(*answer.expandable);
    return text;
}

} // namespace plimsoll::cli
