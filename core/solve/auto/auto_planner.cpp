// SPDX-License-Identifier: Apache-2.0
#include "core/solve/auto/auto_planner.h"

#include "core/base/try.h"
#include "core/solve/auto/fit_planners.h"
#include "core/solve/auto/low_reserve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace plimsoll::solve {

namespace {

constexpr std::chrono::milliseconds kLook{20}; ///< between two looks at the parts' progress
constexpr int kWhole = 1000;                   ///< per mille
constexpr int kPieces = 10;                    ///< of the progress

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

/// Runs several planners on one problem in parallel.
class AutoRun
{
public:
    /// Plans name `asked` with `options` as their provenance. All arguments must outlive the run.
    AutoRun(const plan::Problem& problem, const PlannerDescriptor& asked, const Options& options,
            const base::JobContext& job, const Listener& listener)
        : m_problem{problem}
        , m_asked{callOf(asked, options)}
        , m_runtime{runtimeOf(asked, options)}
        , m_job{job}
        , m_isLook{job.stopRequested()}
        , m_listener{listener}
    {
    }

    /// Returns the best plan of all planners for every budget; ties go to the planner listed first.
    /// Plans that these dominate stay among the candidates where PyTorch's allocator reserves less.
    /// It doesn't depend on the number of threads (at least 1). Fails only if every planner does.
    [[nodiscard]] base::Result<plan::FrontierPtr> run(const FitPlanners& planners,
                                                      std::size_t threads)
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
                break; // no more threads available: continue with fewer
            }
        }
        if (workers.empty())
            work();
        wait();
        workers.clear();
        return merged(threads);
    }

private:
    struct Part
    {
        const FitPlanner* fit = nullptr;
        base::Progress progress;
        std::optional<base::Result<plan::FrontierPtr>> result;
    };

    void work()
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

    /// After a stop request only the first planner may still start: without it there is no plan.
    [[nodiscard]] base::Result<plan::FrontierPtr> resultOf(Part& part)
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

    /// Records in the progress list how a planner ended.
    void report(const Part& part, const base::Result<plan::FrontierPtr>& result,
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

    void wait()
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
            // The last piece is left to what follows the search.
            const std::size_t whole = m_parts.size() * kWhole;
            m_job.report(progress * (kPieces - 1), whole * kPieces);
        }
    }

    void hear(const plan::FrontierPtr& found)
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

    void merge(plan::Frontier& into, const plan::Frontier& found) const
    {
        for (const plan::FrontierPoint& point : found.points())
            if (into.improvedBy(point->evaluation()))
                into.insert(asAsked(point));
    }

    /// A plan of a part as one of this run.
    [[nodiscard]] plan::FrontierPoint asAsked(const plan::FrontierPoint& point) const
    {
        return {point.plan, std::make_shared<const plan::Provenance>(
                                plan::Provenance{m_asked, point.provenance->madeBy()})};
    }

    [[nodiscard]] base::Result<plan::FrontierPtr> merged(std::size_t threads) const
    {
        plan::Frontier frontier;
        frontier.setRuntime(m_runtime);
        frontier.setParts(m_reports);
        bool hasAny = false;
        std::set<std::string> leftOut; // parts of one planner mostly fail for the same reason
        for (const Part& part : m_parts) {
            const base::Result<plan::FrontierPtr>& result = *part.result;
            hasAny = hasAny || result.has_value();
            if (result) {
                merge(frontier, **result);
            } else if (result.error().kind != base::ErrorKind::Cancelled) {
                std::string sentence =
                    fmt::format("{} was not run: {}", idOf(part), base::told(result.error()));
                if (leftOut.insert(sentence).second)
                    frontier.leaveOut(std::move(sentence));
            }
        }
        // A frontier that recomputes nothing is no reason to hide why the other planners refused.
        if (!hasAny || (!isCut() && recomputesNothing(frontier) && !frontier.leftOut().empty()))
            return tl::unexpected{refusal()};
        if (!m_isLook)
            for (plan::FrontierPoint& plan : lowReservePlans(
                     frontier, dominatedBy(frontier), threads, m_job.piece(kPieces - 1, kPieces)))
                frontier.keepDominated(std::move(plan));
        return std::make_shared<const plan::Frontier>(std::move(frontier));
    }

    /// All other plans of the planners, each once.
    [[nodiscard]] std::vector<plan::FrontierPoint> dominatedBy(const plan::Frontier& frontier) const
    {
        std::set<std::pair<base::Bytes, base::Nanoseconds>> known;
        const auto isNew = [&known](const plan::FrontierPoint& point) {
            return known.insert({point->evaluation().peak, point->evaluation().stepTime}).second;
        };
        for (const plan::FrontierPoint& point : frontier.points())
            isNew(point);
        std::vector<plan::FrontierPoint> plans;
        for (const Part& part : m_parts)
            if (*part.result)
                for (const plan::FrontierPoint& point : (**part.result)->points())
                    if (isNew(point))
                        plans.push_back(asAsked(point));
        return plans;
    }

    [[nodiscard]] base::Error refusal() const
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
        if (std::all_of(errors.begin(), errors.end(), [&first](const base::Error& error) {
                return error.message == first.message;
            }))
            return first;
        return {first.kind, fmt::format("None of {} can plan this step; {} says: {}",
                                        fmt::join(ids, ", "), ids.front(), first.message)};
    }

    [[nodiscard]] bool isCut() const { return !m_isLook && m_job.stopRequested(); }
    [[nodiscard]] static const std::string& idOf(const Part& part)
    {
        return part.fit->planner->descriptor().id;
    }

    const plan::Problem& m_problem;
    plan::PlannerCall m_asked;
    plan::Runtime m_runtime;
    const base::JobContext& m_job;
    bool m_isLook; ///< asked to stop before it began: for each part's quick look
    const Listener& m_listener;

    std::vector<Part> m_parts; ///< in the planners' order
    std::shared_ptr<plan::PlannerProgressList> m_reports;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::size_t m_next = 0; ///< part to be begun
    std::size_t m_done = 0; ///< parts that are over
    plan::Frontier m_known; ///< as reported, in the order in which it was found
};

/// Options taken over from the planners that have them: how hard they search, and by what means.
constexpr std::array kAdopted{"slots", "points", "ways", "saved-sets", "reorder"};

const OptionRecord* recordOf(const std::vector<AutoPart>& parts, std::string_view name)
{
    for (const AutoPart& part : parts)
        for (const OptionRecord& record : part.planner->descriptor().options)
            if (record.name == name)
                return &record;
    return nullptr;
}

/// A switch that some part turns on by itself is on by default, so that this part runs.
std::int64_t standardOf(const std::vector<AutoPart>& parts, const OptionRecord& record)
{
    const bool isPart =
        isSwitch(record) && std::any_of(parts.begin(), parts.end(), [&](const AutoPart& part) {
            const auto own = part.own.find(record.name);
            return own != part.own.end() && own->second != defaultValue(record);
        });
    return isPart ? record.upper : record.standard;
}

PlannerDescriptor descriptorOfAuto(const std::vector<AutoPart>& parts)
{
    std::vector<OptionRecord> options;
    for (const char* name : kAdopted)
        if (const OptionRecord* record = recordOf(parts, name)) {
            options.push_back(*record);
            options.back().standard = standardOf(parts, *record);
        }
    options.push_back(granularityRecord());
    options.push_back(freezeStatsRecord());
    options.push_back(runtimeRecord());
    return {
        "auto",
        "Auto",
        "Runs the planners that support the requested runtime, regions and statistics side by "
        "side, rotor also with stage variants, and keeps the best plan for every budget, and those "
        "with which PyTorch's allocator reserves less.",
        std::move(options),
        "The planners that it runs: each plan names the one that made it.",
        {"Options that it does not list: they stay at the planners' defaults, except rotor's "
         "nonpersistent, which it tries in the runtime step.",
         "Plans combined from parts of several planners' plans."}};
}

class AutoPlanner final : public Planner
{
public:
    AutoPlanner(std::vector<AutoPart> parts, std::size_t threads)
        : Planner{descriptorOfAuto(parts)}
        , m_parts{std::move(parts)}
        , m_threads{threads > 0 ? threads
                                : std::max<std::size_t>(1, std::thread::hardware_concurrency())}
    {
    }

private:
    [[nodiscard]] base::Result<plan::FrontierPtr> search(const plan::Problem& problem,
                                                         const Options& options,
                                                         const base::JobContext& job,
                                                         const Listener& listener) const override
    {
        Options demanded = options;
        demanded.erase("saved-sets"); // planners without them in this runtime are left out
        RETURN_IF_ERROR(checkRuntime(descriptor(), demanded));
        const FitPlanners parts = fitPlanners(m_parts, descriptor(), options);
        if (parts.fit.empty())
            return base::failure(
                base::ErrorKind::Usage,
                "No planner supports all of these options together: leave some of them off.");
        return AutoRun{problem, descriptor(), options, job, listener}.run(parts, m_threads);
    }

    std::vector<AutoPart> m_parts;
    std::size_t m_threads;
};

} // namespace

std::unique_ptr<const Planner> makeAutoPlanner(std::vector<AutoPart> parts, std::size_t threads)
{
    return std::make_unique<const AutoPlanner>(std::move(parts), threads);
}

} // namespace plimsoll::solve
