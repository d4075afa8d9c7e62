// SPDX-License-Identifier: Apache-2.0
#include "core/solve/auto/auto_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace plimsoll::solve {

namespace {

constexpr std::chrono::milliseconds kLook{20}; ///< between two looks at the parts' progress
constexpr int kWhole = 1000;                   ///< per mille

bool recomputesNothing(const plan::Frontier& frontier)
{
    const std::vector<plan::FrontierPoint>& points = frontier.points();
    return std::all_of(points.begin(), points.end(), [](const plan::FrontierPoint& point) {
        return point->plan().recomputesNothing();
    });
}

base::Nanoseconds since(std::chrono::steady_clock::time_point began)
{
    const std::chrono::nanoseconds span = std::chrono::steady_clock::now() - began;
    return base::Nanoseconds{span.count()};
}

} // namespace

AutoRun::AutoRun(const plan::Problem& problem, const PlannerDescriptor& asked,
                 const Options& options, const base::JobContext& job, const Listener& listener)
    : m_problem{problem}
    , m_asked{callOf(asked, options)}
    , m_runtime{runtimeOf(asked, options)}
    , m_job{job}
    , m_isLook{job.stopRequested()}
    , m_listener{listener}
{
}

base::Result<plan::FrontierPtr> AutoRun::run(const FitPlanners& planners, std::size_t threads)
{
    m_parts = std::vector<Part>(planners.fit.size());
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        m_parts[i].fit = &planners.fit[i];
    m_reports = std::make_shared<plan::PlannerProgressList>(planners.reports);
    m_known.setRuntime(m_runtime);
    m_known.setParts(m_reports);
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::min(threads, m_parts.size()); ++i) {
        try {
            workers.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
            break; // the machine has no thread left: do with fewer
        }
    }
    if (workers.empty())
        work();
    wait();
    workers.clear();
    return merged();
}

void AutoRun::work()
{
    std::unique_lock lock{m_mutex};
    while (m_next < m_parts.size()) {
        Part& part = m_parts[m_next++];
        lock.unlock();
        const auto began = std::chrono::steady_clock::now();
        base::Result<plan::FrontierPtr> result = resultOf(part);
        part.progress.set(kWhole);
        report(part, result, since(began));
        lock.lock();
        part.result = std::move(result);
        ++m_done;
        m_wake.notify_one();
    }
}

/// Once it is to stop, no further part begins: but for the first, without which there is no plan.
base::Result<plan::FrontierPtr> AutoRun::resultOf(Part& part)
{
    if (isCut() && &part != &m_parts.front())
        return base::cancelled();
    m_reports->change(part.fit->part, [](plan::PlannerProgress& report) {
        report.state = plan::PlannerState::Running;
    });
    base::Result<plan::FrontierPtr> result = part.fit->planner->frontier(
        m_problem, part.fit->options, {.stop = m_job.stop, .progress = &part.progress},
        [this](const plan::FrontierPtr& found) { hear(found); });
    if (result)
        hear(*result);
    return result;
}

void AutoRun::report(const Part& part, const base::Result<plan::FrontierPtr>& result,
                     base::Nanoseconds took)
{
    const bool isStopped =
        m_job.stopRequested() || (!result && result.error().kind == base::ErrorKind::Cancelled);
    m_reports->change(part.fit->part, [&](plan::PlannerProgress& report) {
        report.took = took;
        report.state = isStopped ? plan::PlannerState::Stopped
                       : result  ? plan::PlannerState::Over
                                 : plan::PlannerState::Refused;
        if (result)
            report.found = plan::progressPoints(**result);
        else if (!isStopped)
            report.reason = base::told(result.error());
    });
}

void AutoRun::wait()
{
    std::unique_lock lock{m_mutex};
    bool isOver = false;
    while (!isOver) {
        isOver = m_wake.wait_for(lock, kLook, [this] { return m_done == m_parts.size(); });
        std::size_t progress = 0;
        for (const Part& part : m_parts) {
            const int perMille = part.progress.perMille();
            progress += static_cast<std::size_t>(perMille);
            m_reports->change(part.fit->part, [perMille](plan::PlannerProgress& report) {
                report.perMille = perMille;
            });
        }
        m_job.report(progress, m_parts.size() * kWhole);
    }
}

void AutoRun::hear(const plan::FrontierPtr& found)
{
    if (!m_listener)
        return;
    const std::scoped_lock lock{m_mutex};
    const std::vector<plan::FrontierPoint>& points = found->points();
    if (std::none_of(points.begin(), points.end(), [this](const plan::FrontierPoint& point) {
            return m_known.improvedBy(point->evaluation());
        }))
        return;
    merge(m_known, *found);
    m_listener(std::make_shared<const plan::Frontier>(m_known));
}

void AutoRun::merge(plan::Frontier& into, const plan::Frontier& found) const
{
    for (const plan::FrontierPoint& point : found.points())
        if (into.improvedBy(point->evaluation()))
            into.insert({point.plan, std::make_shared<const plan::Provenance>(
                                         plan::Provenance{m_asked, point.provenance->madeBy()})});
}

base::Result<plan::FrontierPtr> AutoRun::merged() const
{
    plan::Frontier frontier;
    frontier.setRuntime(m_runtime);
    frontier.setParts(m_reports);
    bool hasAny = false;
    std::set<std::string> leftOut; // parts of one planner mostly have one reason
    for (const Part& part : m_parts) {
        const base::Result<plan::FrontierPtr>& result = *part.result;
        hasAny = hasAny || result.has_value();
        if (result) {
            merge(frontier, **result);
        } else if (result.error().kind != base::ErrorKind::Cancelled) {
            std::string sentence =
                fmt::format("{} took no part: {}", idOf(part), base::told(result.error()));
            if (leftOut.insert(sentence).second)
                frontier.leaveOut(std::move(sentence));
        }
    }
    // Who only keeps everything has no answer to why the others refuse.
    if (!hasAny || (!isCut() && recomputesNothing(frontier) && !frontier.leftOut().empty()))
        return tl::unexpected{refusal()};
    return std::make_shared<const plan::Frontier>(std::move(frontier));
}

base::Error AutoRun::refusal() const
{
    std::vector<std::string> ids;
    std::vector<base::Error> errors;
    for (const Part& part : m_parts)
        if (!*part.result) {
            if (std::find(ids.begin(), ids.end(), idOf(part)) == ids.end())
                ids.push_back(idOf(part));
            errors.push_back(part.result->error());
        }
    const base::Error& first = errors.front();
    if (std::all_of(errors.begin(), errors.end(),
                    [&first](const base::Error& error) { return error.message == first.message; }))
        return first;
    return {first.kind, fmt::format("None of {} can plan this step; {} says: {}",
                                    fmt::join(ids, ", "), ids.front(), first.message)};
}

} // namespace plimsoll::solve
