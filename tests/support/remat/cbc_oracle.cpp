// SPDX-License-Identifier: Apache-2.0
#include "tests/support/remat/cbc_oracle.h"

#include <Cbc_C_Interface.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::tests {

using solve::RematProblem;

namespace {

/// One row: factors by column.
struct Row
{
    std::vector<int> columns;
    std::vector<double> factors;

    void add(int column, double factor)
    {
        columns.push_back(column);
        factors.push_back(factor);
    }
};

/// Stages t, one per op; in each, ops i <= t in their order.
class Program
{
public:
    Program(const RematProblem& problem, std::int64_t budget)
        : m_problem{problem}
        , m_budget{budget}
        , m_count{problem.ops.size()}
        , m_model{Cbc_newModel(), Cbc_deleteModel}
        , m_readers(m_count)
    {
        for (std::size_t op = 0; op < m_count; ++op)
            for (const std::uint32_t value : problem.ops[op].reads)
                m_readers[value].push_back(op);
        addColumns();
        for (std::size_t stage = 0; stage < m_count; ++stage) {
            for (std::size_t op = 0; op <= stage; ++op)
                addOperands(stage, op);
            addMemory(stage);
        }
        for (std::size_t stage = 1; stage <= m_count; ++stage)
            for (std::size_t op = 0; op < stage; ++op)
                addSaved(stage, op);
    }

    CbcAnswer solve(int mostSeconds)
    {
        Cbc_setLogLevel(m_model.get(), 0);
        Cbc_setParameter(m_model.get(), "log", "0");
        Cbc_setParameter(m_model.get(), "ratioGap", "1e-6");
        Cbc_setParameter(m_model.get(), "seconds", std::to_string(mostSeconds).c_str());
        CbcAnswer answer;
        answer.binaries = m_binaries;
        answer.rows = m_rows;
        const auto begin = std::chrono::steady_clock::now();
        Cbc_solve(m_model.get());
        answer.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (Cbc_isProvenInfeasible(m_model.get()) != 0)
            answer.status = CbcAnswer::Status::Infeasible;
        else if (Cbc_isProvenOptimal(m_model.get()) != 0)
            answer.status = CbcAnswer::Status::Optimal;
        if (answer.status == CbcAnswer::Status::Optimal)
            readPlan(answer);
        return answer;
    }

private:
    int addColumn(double cost, bool isInteger)
    {
        Cbc_addCol(m_model.get(), "", 0, 1, cost, isInteger ? 1 : 0, 0, nullptr, nullptr);
        m_binaries += isInteger ? 1U : 0U;
        return m_columns++;
    }

    void addRow(const Row& row, char sense, double right)
    {
        Cbc_addRow(m_model.get(), "", static_cast<int>(row.columns.size()), row.columns.data(),
                   row.factors.data(), sense, right);
        ++m_rows;
    }

    void addColumns();
    void addOperands(std::size_t stage, std::size_t op);
    void addSaved(std::size_t stage, std::size_t op);
    void addMemory(std::size_t stage);
    int addFreed(std::size_t stage, std::size_t behind, std::size_t value);
    void readPlan(CbcAnswer& answer) const;

    const RematProblem& m_problem;
    std::int64_t m_budget;
    std::size_t m_count;
    std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)> m_model;
    std::vector<std::vector<std::size_t>> m_readers;
    std::vector<std::vector<int>> m_runs;  ///< by stage, op <= stage
    std::vector<std::vector<int>> m_saved; ///< by stage, op < stage; the end is a stage, too
    int m_columns = 0;
    std::size_t m_binaries = 0;
    std::size_t m_rows = 0;
};

void Program::addColumns()
{
    for (std::size_t stage = 0; stage <= m_count; ++stage) {
        std::vector<int>& runs = m_runs.emplace_back();
        std::vector<int>& saved = m_saved.emplace_back();
        for (std::size_t op = 0; op < stage; ++op) {
            saved.push_back(addColumn(0, true));
            if (stage == m_count) {
                if (m_problem.values[op].isKept)
                    Cbc_setColLower(m_model.get(), saved.back(), 1);
                continue;
            }
            runs.push_back(addColumn(m_problem.ops[op].time, true));
            if (!m_problem.ops[op].mayRepeat)
                Cbc_setColUpper(m_model.get(), runs.back(), 0);
        }
        if (stage == m_count)
            continue;
        runs.push_back(addColumn(0, true)); // the stage's own op
        Cbc_setColLower(m_model.get(), runs.back(), 1);
    }
}

/// Every value that an op reads is saved from the previous stage or computed in this one.
void Program::addOperands(std::size_t stage, std::size_t op)
{
    for (const std::uint32_t read : m_problem.ops[op].reads) {
        Row row;
        row.add(m_runs[stage][op], 1);
        row.add(m_runs[stage][read], -1);
        row.add(m_saved[stage][read], -1);
        addRow(row, 'L', 0);
    }
}

/// Every value saved for a stage was saved for the previous one or computed there.
void Program::addSaved(std::size_t stage, std::size_t op)
{
    Row row;
    row.add(m_saved[stage][op], 1);
    row.add(m_runs[stage - 1][op], -1);
    if (op + 1 < stage)
        row.add(m_saved[stage - 1][op], -1);
    addRow(row, 'L', 0);
}

/// 1 if a value is freed after an op that uses it: the op runs, the value isn't saved, and no later
/// op of the stage that reads it runs. The solver has reason to set it to 1, so no other constraint
/// is needed.
int Program::addFreed(std::size_t stage, std::size_t behind, std::size_t value)
{
    const int freed = addColumn(0, false);
    const auto atMost = [&](int column, double factor, double right) {
        Row row;
        row.add(freed, 1);
        row.add(column, factor);
        addRow(row, 'L', right);
    };
    atMost(m_runs[stage][behind], -1, 0);
    atMost(m_saved[stage + 1][value], 1, 1);
    for (const std::size_t reader : m_readers[value])
        if (reader > behind && reader <= stage)
            atMost(m_runs[stage][reader], 1, 1);
    return freed;
}

/// Memory while an op runs: saved values, and computed values not yet freed.
void Program::addMemory(std::size_t stage)
{
    const auto sizeOf = [this](std::size_t value) {
        return static_cast<double>(m_problem.values[value].size);
    };
    const std::int64_t floor = m_problem.floor.empty() ? 0 : m_problem.floor[stage];
    Row memory;
    for (std::size_t op = 0; op < stage; ++op)
        memory.add(m_saved[stage][op], sizeOf(op));
    for (std::size_t op = 0; op <= stage; ++op) {
        memory.add(m_runs[stage][op], sizeOf(op));
        addRow(memory, 'L', static_cast<double>(m_budget - floor));
        memory.add(addFreed(stage, op, op), -sizeOf(op));
        for (const std::uint32_t read : m_problem.ops[op].reads)
            memory.add(addFreed(stage, op, read), -sizeOf(read));
    }
}

void Program::readPlan(CbcAnswer& answer) const
{
    const double* solution = Cbc_getColSolution(m_model.get());
    for (std::size_t stage = 0; stage < m_count; ++stage) {
        solve::RematRecomputeStep step{static_cast<std::uint32_t>(stage), {}};
        for (std::size_t op = 0; op < stage; ++op)
            if (solution[m_runs[stage][op]] > 0.5) {
                step.ops.push_back(static_cast<std::uint32_t>(op));
                answer.recomputeTime += m_problem.ops[op].time;
            }
        if (!step.ops.empty())
            answer.plan.recomputeSteps.push_back(std::move(step));
    }
}

} // namespace

CbcAnswer solveWithCbc(const RematProblem& problem, std::int64_t budget, int mostSeconds)
{
    return Program{problem, budget}.solve(mostSeconds);
}

} // namespace plimsoll::tests
