// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"
#include "core/verify/verify.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::tests {

/// The lifetime of a storage; op indices as in FORMAT.md. `free` defaults to what `python` says.
struct Life
{
    graph::OpIndex alloc = graph::kBeforeStep;
    graph::OpIndex python = graph::kNever;
    std::optional<graph::OpIndex> free = std::nullopt;
};

struct OpSpec
{
    std::vector<std::string> reads = {};
    std::vector<std::string> writes = {};
    std::vector<std::string> outputs = {};
    graph::Phase phase = graph::Phase::Forward;
    bool isView = false;
    bool isCollective = false;
};

struct SavedSpec
{
    bool after = false;
    std::optional<graph::OpIndex> unpack = std::nullopt;
    graph::OpIndex dropped = graph::kNever;
    graph::OpIndex released = graph::kNever;
};

/// Makes programs by hand: everything is called by name, and a storage's name is also that of a
/// tensor that covers it.
///
///     aProgram()
///         .storage("x", 100, StorageClass::Input)
///         .storage("y", 100, StorageClass::Activation, {.alloc = 0, .python = 1, .free = 3})
///         .op("aten.relu", {.reads = {"x"}, .outputs = {"y"}})
///         .call("act", 0, 0, {"x"}, {"y"})
///         .saved("y", 0, {.after = true, .unpack = 2, .dropped = 2, .released = 3})
///         .build();
class ProgramBuilder
{
public:
    ProgramBuilder& storage(const std::string& name, std::int64_t bytes,
                            graph::StorageClass storageClass, Life life = {});
    /// Another tensor on a storage.
    ProgramBuilder& view(const std::string& name, const std::string& storage);
    /// Ops are numbered in the order of these calls.
    ProgramBuilder& op(const std::string& target, const OpSpec& spec);
    /// Calls in order of their beginning; the parent is the latest call whose path leads here.
    ProgramBuilder& call(const std::string& path, graph::OpIndex first, graph::OpIndex last,
                         const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs);
    ProgramBuilder& saved(const std::string& tensor, graph::OpIndex op, SavedSpec spec);

    /// Fills in what follows from the rest: last uses, modules and calls of ops, checks.
    [[nodiscard]] graph::ProgramPtr build() const;

private:
    [[nodiscard]] std::vector<graph::TensorId> ids(const std::vector<std::string>& names) const;

    graph::Program m_program;
    std::map<std::string, graph::TensorId> m_tensors;
};

[[nodiscard]] inline ProgramBuilder aProgram()
{
    return {};
}

/// A random training step made of modules that call modules: chains, residual links, views,
/// in-place writes, dead branches, shared masks, running statistics, nodes without ops, an
/// optimizer. It keeps FORMAT.md's invariants. Same seed, same program.
[[nodiscard]] graph::ProgramPtr randomProgram(std::uint64_t seed);

/// The same with leaves like recurrent cells: slices of one result that are written in turn.
[[nodiscard]] graph::ProgramPtr randomGatedProgram(std::uint64_t seed);

/// Random legal regions of a program: single calls, fused chains, nested up to three deep. May be
/// empty. Every third leaves statistics alone. Same seed, same plan.
[[nodiscard]] plan::Plan randomLegalPlan(const graph::Program& program, std::uint64_t seed);

/// Random legal regions between ops, nested up to three deep. May be empty. Every third freezes
/// statistics. Same seed, same plan.
[[nodiscard]] plan::Plan randomOpPlan(const graph::Program& program, std::uint64_t seed);

/// The plan with a legal random choice of saved results inside its regions. Same seed, same plan.
[[nodiscard]] plan::Plan withRandomSaves(const graph::Program& program, plan::Plan plan,
                                         std::uint64_t seed);

/// A random legal plan for the step runtime: values of forward and backward are recomputed
/// anywhere, with a random choice of other dropped values. May recompute nothing. Same seed, same
/// plan.
[[nodiscard]] plan::Plan randomStepPlan(const graph::Program& program, std::uint64_t seed);

/// A chain of `calls` modules m0, m1, … of two ops each, the second of which saves its input, and
/// a backward op for each op.
[[nodiscard]] graph::ProgramPtr longChain(int calls);

/// The program as the forward of a single module that runs all its ops.
[[nodiscard]] graph::ProgramPtr oneModule(graph::Program program);

/// A region of the calls with these ordinals; `first` and `last` are theirs.
[[nodiscard]] plan::Region regionOf(const graph::Program& program,
                                    const std::vector<std::size_t>& calls,
                                    std::vector<plan::Region> nested = {});

/// The program with an unlimited budget, unrounded sizes, and a device on which ops take no time.
[[nodiscard]] plan::Problem unlimitedProblem(graph::ProgramPtr program);

/// The first fault's sentence, or an empty text without faults: for QVERIFY2.
[[nodiscard]] inline const char* firstFault(const plan::Verification& seen)
{
    return seen.faults.empty() ? "" : seen.faults.front().sentence.c_str();
}

/// Fills in everything that follows from the rest by FORMAT.md: last uses, bytes moved, checks.
void complete(graph::Program& program);

} // namespace plimsoll::tests
