// SPDX-License-Identifier: Apache-2.0
#include "tests/support/remat/remat_families.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace plimsoll::tests {

using solve::RematOp;
using solve::RematProblem;

namespace {

/// A chance of `share`, to a millionth.
bool happens(Random& random, double share)
{
    return static_cast<double>(random.below(1'000'000)) < share * 1e6;
}

/// Adds an op with one value; its index is the value's.
std::uint32_t addOp(RematProblem& problem, double time, std::int64_t size,
                    std::vector<std::uint32_t> reads)
{
    const auto index = static_cast<std::uint32_t>(problem.ops.size());
    RematOp op;
    op.time = time;
    op.reads = std::move(reads);
    op.makes = {index};
    problem.ops.push_back(std::move(op));
    problem.values.push_back({size, false});
    return index;
}

std::vector<bool> isRead(const RematProblem& problem)
{
    std::vector<bool> read(problem.values.size(), false);
    for (const RematOp& op : problem.ops)
        for (const std::uint32_t value : op.reads)
            read[value] = true;
    return read;
}

/// First op of every layer, and the number of ops behind the last one.
std::vector<std::size_t> layersOf(Random& random, const LayeredShape& shape)
{
    const auto ops = static_cast<double>(shape.ops);
    const double mean = ops / (shape.width * std::sqrt(ops));
    const double turn = static_cast<double>(random.below(2001)) / 1000 - 1; // -1 … 1
    const auto layers = static_cast<std::size_t>(
        std::clamp(std::round(mean * (1 + shape.variance * turn)), 2.0, ops));
    std::vector<std::size_t> widths(layers, 1);
    for (std::size_t op = layers; op < shape.ops; ++op)
        ++widths[random.below(layers)];
    std::vector<std::size_t> first(layers + 1, 0);
    for (std::size_t layer = 0; layer < layers; ++layer)
        first[layer + 1] = first[layer] + widths[layer];
    return first;
}

/// Reads of every op: neighbouring layers first, each op connected both ways, then the skips.
std::vector<std::vector<std::uint32_t>> layeredReads(Random& random, const LayeredShape& shape)
{
    const std::vector<std::size_t> first = layersOf(random, shape);
    const std::size_t layers = first.size() - 1;
    std::vector<std::vector<std::uint32_t>> reads(shape.ops);
    const auto connect = [&reads](std::size_t from, std::size_t to) {
        std::vector<std::uint32_t>& list = reads[to];
        const auto value = static_cast<std::uint32_t>(from);
        if (std::find(list.begin(), list.end(), value) == list.end())
            list.push_back(value);
    };
    const auto within = [&](std::size_t layer) {
        return first[layer] + random.below(first[layer + 1] - first[layer]);
    };
    for (std::size_t layer = 1; layer < layers; ++layer) {
        for (std::size_t to = first[layer]; to < first[layer + 1]; ++to) {
            for (std::size_t from = first[layer - 1]; from < first[layer]; ++from)
                if (happens(random, shape.edgeDensity))
                    connect(from, to);
            if (reads[to].empty())
                connect(within(layer - 1), to);
        }
        for (std::size_t from = first[layer - 1]; from < first[layer]; ++from)
            if (std::none_of(reads.begin() + static_cast<std::ptrdiff_t>(first[layer]),
                             reads.begin() + static_cast<std::ptrdiff_t>(first[layer + 1]),
                             [from](const auto& list) {
                                 return std::find(list.begin(), list.end(), from) != list.end();
                             }))
                connect(from, within(layer));
    }
    const double width = static_cast<double>(shape.ops) / static_cast<double>(layers);
    for (std::size_t layer = 0; layer + 2 < layers; ++layer)
        for (std::size_t from = first[layer]; from < first[layer + 1]; ++from)
            for (double left = 3 * width * shape.skipDensity; left > 0; left -= 1)
                if (happens(random, std::min(left, 1.0)))
                    connect(from, within(layer + 2 + random.below(layers - layer - 2)));
    return reads;
}

} // namespace

LayeredShape layeredShape(std::size_t ops)
{
    LayeredShape shape;
    shape.ops = ops;
    shape.width = ops < 250 ? 0.27 : ops < 500 ? 0.43 : ops < 1000 ? 0.36 : 0.31;
    return shape;
}

RematProblem randomLayered(Random& random, const LayeredShape& shape)
{
    RematProblem problem;
    for (std::vector<std::uint32_t>& reads : layeredReads(random, shape)) {
        const double time = reads.empty() ? 0 : random.between(1, 100);
        addOp(problem, time, random.between(1, 100), std::move(reads));
    }
    const std::vector<bool> read = isRead(problem);
    for (std::size_t op = 0; op < problem.ops.size(); ++op)
        if (!read[op]) {
            problem.ops[op].time = 0;
            problem.values[op].isKept = true;
        }
    return problem;
}

RematProblem randomTrainingChain(Random& random, std::size_t ops)
{
    const auto forward = static_cast<std::uint32_t>((ops + 1) / 2);
    RematProblem problem;
    std::vector<std::vector<std::uint32_t>> inputs(forward);
    for (std::uint32_t op = 0; op < forward; ++op) {
        if (op > 0)
            inputs[op] = {op - 1};
        if (op > 2 && random.percent(33))
            inputs[op].push_back(static_cast<std::uint32_t>(random.below(op - 1)));
        addOp(problem, random.between(1, 20), random.between(1, 20), inputs[op]);
    }
    // Backward of the last forward op (the loss) to that of the first that `ops` leaves room for.
    std::uint32_t gradient = forward - 1;
    for (std::uint32_t op = forward - 1; problem.ops.size() < ops; --op) {
        std::vector<std::uint32_t> reads{gradient};
        if (op != gradient && random.percent(75))
            reads.push_back(op);
        for (const std::uint32_t input : inputs[op])
            if (std::find(reads.begin(), reads.end(), input) == reads.end())
                reads.push_back(input);
        gradient = addOp(problem, random.between(1, 20), random.between(1, 20), std::move(reads));
    }
    problem.values.back().isKept = true;
    return problem;
}

namespace {

/// One kind of op of a transformer block: what it makes, in units of the residual stream, how long
/// it takes, and which ops of the block it reads (-1: what the block gets).
struct BlockOp
{
    std::int64_t size = 0;
    double time = 0;
    std::array<int, 2> reads{};
    std::size_t readCount = 1;
    bool hasWeight = false;
};

constexpr std::int64_t kStream = 1 << 20; ///< bytes of the residual stream

const std::vector<BlockOp>& blockOps()
{
    static const std::vector<BlockOp> kOps{
        {1, 2, {-1, 0}},          // layer norm
        {3, 36, {0, 0}, 1, true}, // query, key, value
        {8, 20, {1, 0}},          // scores
        {8, 16, {2, 0}},          // softmax
        {1, 20, {3, 1}, 2},       // context
        {1, 12, {4, 0}, 1, true}, // projection
        {1, 2, {-1, 5}, 2},       // residual
        {1, 2, {6, 0}},           // layer norm
        {4, 48, {7, 0}, 1, true}, // feed-forward, in
        {4, 6, {8, 0}},           // activation
        {1, 48, {9, 0}, 1, true}, // feed-forward, out
        {1, 2, {6, 10}, 2},       // residual
    };
    return kOps;
}

} // namespace

RematProblem transformerStep(std::size_t ops)
{
    const std::vector<BlockOp>& block = blockOps();
    constexpr std::size_t kWeights = 4;
    const std::size_t perBlock = 2 * block.size() + kWeights;
    const std::size_t blocks = std::max<std::size_t>(1, (ops + perBlock - 1) / perBlock);
    RematProblem problem;
    std::vector<std::uint32_t> inputs{addOp(problem, 1, kStream, {})};
    const auto indexOf = [&](std::size_t at, int op) {
        return op < 0 ? inputs[at] : inputs[at] + 1 + static_cast<std::uint32_t>(op);
    };
    for (std::size_t at = 0; at < blocks; ++at) {
        for (const BlockOp& op : block) {
            std::vector<std::uint32_t> reads{indexOf(at, op.reads[0])};
            if (op.readCount > 1)
                reads.push_back(indexOf(at, op.reads[1]));
            addOp(problem, op.time, op.size * kStream, std::move(reads));
        }
        inputs.push_back(static_cast<std::uint32_t>(problem.ops.size() - 1));
    }
    std::uint32_t gradient = addOp(problem, 4, kStream, {inputs.back()});
    for (std::size_t at = blocks; at-- > 0;) {
        // The gradient of each op's result; that of what the block gets ends up in the last one.
        std::uint32_t through = gradient;
        for (std::size_t op = block.size(); op-- > 0;) {
            const BlockOp& kind = block[op];
            const std::uint32_t input = indexOf(at, kind.reads[0]);
            if (kind.hasWeight) {
                const std::uint32_t weight =
                    addOp(problem, kind.time, kind.size * kStream / 8, {through, input});
                problem.values[weight].isKept = true;
            }
            std::vector<std::uint32_t> reads{through};
            if (!kind.hasWeight) {
                reads.push_back(input);
                if (kind.readCount > 1)
                    reads.push_back(indexOf(at, kind.reads[1]));
            }
            const std::int64_t size =
                kind.reads[0] < 0 ? 1 : block[static_cast<std::size_t>(kind.reads[0])].size;
            through = addOp(problem, kind.time, size * kStream, std::move(reads));
        }
        gradient = through;
    }
    problem.values[gradient].isKept = true;
    return problem;
}

RematProblem randomTiny(Random& random)
{
    RematProblem problem;
    constexpr std::size_t kMostValues = 15; // that leastAgain() has bits for
    const int ops = random.between(3, 8);
    for (int index = 0; index < ops; ++index) {
        RematOp op;
        op.time = random.between(0, 9);
        op.mayRepeat = !random.percent(8);
        const std::size_t known = problem.values.size();
        for (int read = random.between(0, 2); read > 0 && known > 0; --read) {
            const auto value = static_cast<std::uint32_t>(random.below(known));
            if (std::find(op.reads.begin(), op.reads.end(), value) == op.reads.end())
                op.reads.push_back(value);
        }
        if (known > 0 && random.percent(25))
            op.overwrites.push_back(static_cast<std::uint32_t>(random.below(known)));
        const std::size_t rest = static_cast<std::size_t>(ops - index - 1);
        const bool makesTwo = random.percent(25) && known + 2 + rest <= kMostValues;
        for (int made = makesTwo ? 2 : 1; made > 0; --made) {
            op.makes.push_back(static_cast<std::uint32_t>(problem.values.size()));
            problem.values.push_back({random.between(1, 9), random.percent(15)});
        }
        problem.ops.push_back(std::move(op));
        problem.floor.push_back(random.between(0, 3));
    }
    return problem;
}

std::int64_t plainPeak(const RematProblem& problem)
{
    return solve::simulate(problem, {}).value().peak;
}

double plainTime(const RematProblem& problem)
{
    return solve::simulate(problem, {}).value().time;
}

std::int64_t budgetOf(const RematProblem& problem, double share)
{
    return static_cast<std::int64_t>(std::floor(static_cast<double>(plainPeak(problem)) * share));
}

} // namespace plimsoll::tests
