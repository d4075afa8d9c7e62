// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/auto/fit_planners.h"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// Several planners at work on one problem, side by side.
class AutoRun
{
public:
    /// Plans will say that `asked` was asked with `options`. All that is referred to must outlive
    /// this.
    AutoRun(const plan::Problem& problem, const PlannerDescriptor& asked, const Options& options,
            const base::JobContext& job, const Listener& listener);

    /// The best plan of all planners for every budget: of equal ones that of the first planner. The
    /// same for any number of threads (at least 1). An error only if every planner has one.
    [[nodiscard]] base::Result<plan::FrontierPtr> run(const FitPlanners& planners,
                                                      std::size_t threads);

private:
    struct Part
    {
        const FitPlanner* fit = nullptr;
        base::Progress progress;
        std::optional<base::Result<plan::FrontierPtr>> result;
    };

    void work();
    [[nodiscard]] base::Result<plan::FrontierPtr> resultOf(Part& part);
    /// Tells the reports how a part ended.
    void report(const Part& part, const base::Result<plan::FrontierPtr>& result,
                base::Nanoseconds took);
    void wait();
    void hear(const plan::FrontierPtr& found);
    void merge(plan::Frontier& into, const plan::Frontier& found) const;
    [[nodiscard]] base::Result<plan::FrontierPtr> merged() const;
    [[nodiscard]] base::Error refusal() const;
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
    plan::Frontier m_known; ///< as told, in the order in which it was found
};

} // namespace plimsoll::solve
