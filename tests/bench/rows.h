// SPDX-License-Identifier: Apache-2.0
// Rows of the benchmarks' table.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

namespace plimsoll::bench {

/// Something that could not be measured: its row counts as missed.
inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// Rows about one goal. packaging/test collects them from the output of all programs, so each row
/// must be self-explanatory; everything in between is only for the log.
class Rows
{
public:
    /// `goal` is the row's number in the goals of the reference, "-" if it has none; `about`
    /// precedes each row's text.
    Rows(std::string goal, std::string about) : m_goal{std::move(goal)}, m_about{std::move(about)}
    {
    }

    void atMost(const std::string& what, double value, double target) const
    {
        print(what, value, fmt::format("<= {:g}", target), value <= target);
    }

    void atLeast(const std::string& what, double value, double target) const
    {
        print(what, value, fmt::format(">= {:g}", target), value >= target);
    }

private:
    void print(const std::string& what, double value, const std::string& target, bool isMet) const
    {
        const std::string measured = std::isnan(value) ? "-" : fmt::format("{:.4g}", value);
        fmt::print("| {:<3} | {:<82} | {:>9} | {:>9} | {} |\n", m_goal, m_about + ": " + what,
                   measured, target, isMet ? "pass" : "MISS");
        std::fflush(stdout);
    }

    std::string m_goal;
    std::string m_about;
};

/// Without a target.
inline void printFigure(const std::string& what, double value)
{
    fmt::print("  {:<58} {:>12.4g}\n", what, value);
    std::fflush(stdout);
}

/// Sum and count, for a mean.
struct Mean
{
    double sum = 0;
    int count = 0;

    void add(double value)
    {
        sum += value;
        ++count;
    }
    [[nodiscard]] double value() const { return count == 0 ? kNotMeasured : sum / count; }
};

} // namespace plimsoll::bench
