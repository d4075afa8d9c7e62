// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/bounds/remat_problem.h"

#include "tests/support/random.h"

#include <cstddef>
#include <cstdint>
#include <vector>

/// Generated rematerialization problems, the same on every platform for one seed.
namespace plimsoll::tests {

/// Parameters of random layered graphs, named after appendix A of arXiv 2207.05899.
struct LayeredShape
{
    std::size_t ops = 100;
    double width = 0.27;       ///< mean ops of a layer, in square roots of all ops
    double variance = 0.75;    ///< of the number of layers: it lies within this share of its mean
    double edgeDensity = 0.2;  ///< of the pairs of ops in neighbouring layers
    double skipDensity = 0.14; ///< edges to later layers, as share of the pairs over three layers
};

/// The shape of the public family for 100, 250, 500 or 1000 ops (otherwise the width of the next
/// smaller one).
[[nodiscard]] LayeredShape layeredShape(std::size_t ops);

/// One value per op, times and sizes from 1 to 100. Ops without inputs or without users take no
/// time; values without users are kept.
[[nodiscard]] solve::RematProblem randomLayered(Random& random, const LayeredShape& shape);

/// Forward, loss, and backward ops that read the gradient, their forward op's input and mostly its
/// output, with a skip connection from about every third forward op. Sizes and times of 1 to 20.
[[nodiscard]] solve::RematProblem randomTrainingChain(Random& random, std::size_t ops);

/// A training step of a transformer with at least `ops` ops: blocks of attention and feed-forward
/// with residuals, a backward op for each, weight gradients that stay. Bytes and times follow from
/// the operands' shapes.
[[nodiscard]] solve::RematProblem transformerStep(std::size_t ops);

/// At most eight ops, with several outputs, overwritten and kept values, floors, ops that take no
/// time and ops that can't be recomputed: small enough for leastAgain().
[[nodiscard]] solve::RematProblem randomTiny(Random& random);

/// The peak without recomputation.
[[nodiscard]] std::int64_t plainPeak(const solve::RematProblem& problem);

/// The time without recomputation.
[[nodiscard]] double plainTime(const solve::RematProblem& problem);

/// A share of the plain peak, rounded down.
[[nodiscard]] std::int64_t budgetOf(const solve::RematProblem& problem, double share);

struct Planted
{
    solve::RematPlan plan;
    solve::RematFigures figures;
};

/// A random plan: each round recomputes a value that is idle across the peak before its next use,
/// sometimes with its inputs; rounds that would raise the peak are undone.
[[nodiscard]] Planted plantPlan(const solve::RematProblem& problem, Random& random,
                                std::size_t rounds);

/// Exhaustive search: the least recompute time of all plans within the budget; infinity if there is
/// none. For problems of randomTiny()'s size.
[[nodiscard]] double leastAgain(const solve::RematProblem& problem, std::int64_t budget);

} // namespace plimsoll::tests
