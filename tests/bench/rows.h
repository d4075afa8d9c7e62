// SPDX-License-Identifier: Apache-2.0
// Rows of the benchmarks' table.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace plimsoll::bench {

inline void printRow(const std::string& what, double value, double target, bool isAtLeast = false)
{
    const bool isMet = isAtLeast ? value >= target : value <= target;
    fmt::print("  {:<58} {:>12.4g} {} {:>8.4g} {}\n", what, value, isAtLeast ? ">=" : "<=", target,
               isMet ? "pass" : "MISS");
    std::fflush(stdout);
}

inline void printFigure(const std::string& what, double value)
{
    fmt::print("  {:<58} {:>12.4g}\n", what, value);
    std::fflush(stdout);
}

/// Sum and number of what is averaged.
struct Mean
{
    double sum = 0;
    int count = 0;

    void add(double value)
    {
        sum += value;
        ++count;
    }
    [[nodiscard]] double value() const { return count == 0 ? 0 : sum / count; }
};

} // namespace plimsoll::bench
