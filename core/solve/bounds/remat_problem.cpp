// SPDX-License-Identifier: Apache-2.0
#include "core/solve/bounds/remat_problem.h"

#include "core/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace plimsoll::solve {

namespace {

using base::ErrorKind;
using base::failure;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Execution
{
    std::uint32_t op = 0;
    std::uint32_t at = 0; ///< op of the given order at which it stands
};

/// The state of a value during the simulation.
struct Instance
{
    std::uint32_t lastUse = kNone; ///< step; kNone: not made yet
    std::uint32_t version = 0;     ///< overwriting executions since it was made
};

/// One forward pass over all executions for the versions, one backward over the freed bytes.
class Simulation
{
public:
    Simulation(const RematProblem& problem, const RematPlan& plan)
        : m_problem{problem}, m_plan{plan}, m_newest(problem.values.size())
    {
    }

    base::Result<RematFigures> run() &&
    {
        RETURN_IF_ERROR(checkIndices());
        RETURN_IF_ERROR(findVersions());
        RETURN_IF_ERROR(listExecutions());
        m_change.assign(m_executions.size() + 1, 0);
        for (std::uint32_t step = 0; step < m_executions.size(); ++step)
            RETURN_IF_ERROR(execute(step));
        return finish();
    }

private:
    [[nodiscard]] base::Result<void> checkIndices() const
    {
        if (!m_problem.floor.empty() && m_problem.floor.size() != m_problem.ops.size())
            return failure(ErrorKind::CheckFailed,
                           fmt::format("There are {} ops and floors for {}.", m_problem.ops.size(),
                                       m_problem.floor.size()));
        for (std::size_t op = 0; op < m_problem.ops.size(); ++op)
            for (const auto* values : {&m_problem.ops[op].reads, &m_problem.ops[op].makes,
                                       &m_problem.ops[op].overwrites})
                for (const std::uint32_t value : *values)
                    if (value >= m_problem.values.size())
                        return failure(ErrorKind::CheckFailed,
                                       fmt::format("Op {} refers to value {}, of {}.", op, value,
                                                   m_problem.values.size()));
        return {};
    }

    /// Finds the version of each value that each op sees without recomputation.
    base::Result<void> findVersions()
    {
        std::vector<std::uint32_t> version(m_problem.values.size(), kNone);
        m_found.reserve(m_problem.ops.size());
        for (std::size_t index = 0; index < m_problem.ops.size(); ++index) {
            const RematOp& op = m_problem.ops[index];
            std::vector<std::uint32_t>& found = m_found.emplace_back();
            for (const auto* values : {&op.reads, &op.overwrites})
                for (const std::uint32_t value : *values) {
                    found.push_back(version[value]);
                    if (version[value] == kNone)
                        return failure(ErrorKind::CheckFailed,
                                       fmt::format("Op {} uses value {} before any op makes it.",
                                                   index, value));
                }
            for (const std::uint32_t value : op.overwrites)
                ++version[value];
            for (const std::uint32_t value : op.makes)
                if (std::exchange(version[value], 0U) != kNone)
                    return failure(
                        ErrorKind::CheckFailed,
                        fmt::format("Value {} is made twice, by op {}, too.", value, index));
        }
        if (const auto missing = std::ranges::find(version, kNone); missing != version.end())
            return failure(ErrorKind::CheckFailed,
                           fmt::format("No op makes value {}.", missing - version.begin()));
        m_final = std::move(version);
        return {};
    }

    base::Result<void> listExecutions()
    {
        const auto count = static_cast<std::uint32_t>(m_problem.ops.size());
        auto row = m_plan.recomputeSteps.begin();
        for (std::uint32_t at = 0; at < count; ++at) {
            if (row != m_plan.recomputeSteps.end() && row->before == at) {
                for (const std::uint32_t op : row->ops) {
                    if (op >= at || !m_problem.ops[op].mayRepeat)
                        return failure(
                            ErrorKind::CheckFailed,
                            fmt::format("Op {} can't be recomputed before op {}.", op, at));
                    m_executions.push_back({op, at});
                }
                ++row;
            }
            m_executions.push_back({at, at});
        }
        if (row != m_plan.recomputeSteps.end())
            return failure(ErrorKind::CheckFailed,
                           fmt::format("The row of recomputations before op {} is out of place.",
                                       row->before));
        return {};
    }

    base::Result<void> execute(std::uint32_t step)
    {
        const std::uint32_t index = m_executions[step].op;
        const RematOp& op = m_problem.ops[index];
        auto found = m_found[index].begin();
        for (const auto* values : {&op.reads, &op.overwrites})
            for (const std::uint32_t value : *values)
                RETURN_IF_ERROR(use(value, *found++, step));
        for (const std::uint32_t value : op.overwrites)
            ++m_newest[value].version;
        for (const std::uint32_t value : op.makes) {
            if (m_newest[value].lastUse != kNone)
                end(value, m_newest[value].lastUse);
            m_newest[value] = {step, 0};
            m_change[step] += m_problem.values[value].size;
        }
        return {};
    }

    base::Result<RematFigures> finish()
    {
        for (std::uint32_t value = 0; value < m_newest.size(); ++value) {
            const bool isKept = m_problem.values[value].isKept;
            if (isKept && m_newest[value].version != m_final[value])
                return failure(ErrorKind::CheckFailed,
                               fmt::format("Value {} ends overwritten {} times instead of {}.",
                                           value, m_newest[value].version, m_final[value]));
            if (!isKept)
                end(value, m_newest[value].lastUse);
        }
        RematFigures figures;
        std::int64_t live = 0;
        for (std::size_t step = 0; step < m_executions.size(); ++step) {
            const Execution& execution = m_executions[step];
            live += m_change[step];
            const std::int64_t bytes =
                live + (m_problem.floor.empty() ? 0 : m_problem.floor[execution.at]);
            if (bytes > figures.peak || step == 0) {
                figures.peak = bytes;
                figures.peakOp = execution.op;
            }
            figures.time += m_problem.ops[execution.op].time;
        }
        return figures;
    }

    base::Result<void> use(std::uint32_t value, std::uint32_t found, std::uint32_t step)
    {
        Instance& newest = m_newest[value];
        if (newest.version != found)
            return failure(
                ErrorKind::CheckFailed,
                fmt::format(
                    "Op {}, run at op {}, finds value {} overwritten {} times instead of {}.",
                    m_executions[step].op, m_executions[step].at, value, newest.version, found));
        newest.lastUse = step;
        return {};
    }

    /// Frees the newest instance of a value after the step `last`.
    void end(std::uint32_t value, std::uint32_t last)
    {
        m_change[last + 1] -= m_problem.values[value].size;
    }

    const RematProblem& m_problem;
    const RematPlan& m_plan;
    std::vector<std::vector<std::uint32_t>> m_found; ///< by op: versions of reads, then overwrites
    std::vector<std::uint32_t> m_final;              ///< by value: version at the end
    std::vector<Execution> m_executions;
    std::vector<Instance> m_newest;     ///< by value
    std::vector<std::int64_t> m_change; ///< by step: bytes that appear minus those gone before it
};

} // namespace

base::Result<RematFigures> simulate(const RematProblem& problem, const RematPlan& plan)
{
    return Simulation{problem, plan}.run();
}

} // namespace plimsoll::solve
