// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/graph/ids.h"
#include "core/graph/rows.h"
#include "core/graph/vary.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::graph {

/// Totals that the exporter counted; readers compare them with what they read.
struct Checks
{
    std::size_t ops = 0;
    std::array<std::size_t, kPhaseCount> opsByPhase{};
    std::size_t storages = 0;
    std::size_t tensors = 0;
    std::array<base::Bytes, kStorageClassCount> bytesByClass{};
    base::Bytes savedBytes;
    base::Bytes peakBytes;
    OpIndex peakOp = 0;

    bool operator==(const Checks&) const = default;
};

/// The kernel that the step uses for an operation for which PyTorch chooses by device.
struct KernelChoice
{
    std::string family;     ///< "attention", "dropout", "batch_norm", "optimizer", …
    std::string kernel;     ///< "flash", "native_dropout", "cudnn", "foreach", …
    std::int64_t times = 0; ///< in the step

    bool operator==(const KernelChoice&) const = default;
};

/// Header::execution of a recorded step into which a plan was written: autograd doesn't run it.
inline constexpr const char* kStepExecution = "step";

struct Header
{
    int version = 1;
    std::string exporter;
    std::string torch;
    std::string execution;    ///< "eager", or kStepExecution
    std::string planner = {}; ///< planner of the written plan; "" for a recorded step
    std::string mode;
    std::int64_t microSteps = 1; ///< runs of forward, loss and backward before the optimizer
    std::string model;
    std::string modelClass;
    std::string batch;
    std::string target;
    std::string optimizer; ///< "SGD (foreach)", "" without one
    std::string optimizerDtype = {};
    std::string autocast; ///< "" without
    std::string values =
        {}; ///< "real": which ops run depends on values, these are of one real step
    std::vector<KernelChoice> kernels;
    std::vector<std::string> assumed;
};

/// The calls of all ops as JSON texts, needed only to write them again.
struct CallTexts
{
    std::string text;              ///< of op 0 its `args`, its `kwargs`, of op 1 …
    std::vector<std::size_t> ends; ///< in `text`, two for each op

    void add(std::string_view value)
    {
        text += value;
        ends.push_back(text.size());
    }
    /// 0: `args`, 1: `kwargs`.
    [[nodiscard]] std::string_view of(OpId op, std::size_t which) const
    {
        const std::size_t at = 2 * op.index() + which;
        const std::size_t begin = at == 0 ? 0 : ends[at - 1];
        return std::string_view{text}.substr(begin, ends[at] - begin);
    }
};

/// A recorded step, immutable once published as shared_ptr<const Program>. Its invariants are those
/// of FORMAT.md: readers establish them, all other code relies on them.
struct Program
{
    Header header;
    std::vector<std::string> targets;
    std::vector<std::string> sources;
    std::vector<std::string> dtypes;
    std::vector<std::string> nodes;
    std::vector<Module> modules;
    std::vector<Call> calls;
    std::vector<Structure> structures;
    std::vector<Storage> storages;
    std::vector<Tensor> tensors;
    std::vector<Op> ops; ///< execution order: forward, loss, backward of each micro-step, optimizer
    std::vector<Saved> saved;
    std::vector<Parameter> parameters;
    Checks checks;
    std::optional<Vary> vary; ///< of a step recorded at several sizes
    CallTexts callTexts;      ///< empty where they aren't known: at other sizes than the file's

    [[nodiscard]] const Op& op(OpId id) const { return ops[id.index()]; }
    [[nodiscard]] const Tensor& tensor(TensorId id) const { return tensors[id.index()]; }
    [[nodiscard]] const Storage& storage(StorageId id) const { return storages[id.index()]; }
    [[nodiscard]] const Storage& storageOf(TensorId id) const
    {
        return storage(tensor(id).storage);
    }
    [[nodiscard]] const Module& module(ModuleId id) const { return modules[id.index()]; }
    [[nodiscard]] const Call& call(CallId id) const { return calls[id.index()]; }
    [[nodiscard]] const Structure& structure(StructureId id) const
    {
        return structures[id.index()];
    }
    [[nodiscard]] const std::string& targetOf(const Op& op) const { return targets[op.target]; }

    /// Whether it is a step of single ops, made from a recorded one by a plan of runtime Step.
    [[nodiscard]] bool isRewritten() const { return header.execution == kStepExecution; }
    /// Path of the op's module, "" outside of any.
    [[nodiscard]] const std::string& modulePath(const Op& op) const;
    /// "layer1.0.conv1 · aten.convolution" or the bare target, for lists and hover cards.
    [[nodiscard]] std::string label(const Op& op) const;
    /// Number of ops that belong to forward and loss of the (first) micro-step; they come first.
    [[nodiscard]] std::size_t forwardCount() const;
    /// Number of ops of forward, loss and backward: those before the optimizer's.
    [[nodiscard]] std::size_t countBeforeOptimizer() const;
};

using ProgramPtr = std::shared_ptr<const Program>;

/// The allocator's granularity: PyTorch's CUDA caching allocator hands out multiples of 512 bytes.
enum class Rounding : std::uint8_t { Exact, Cuda512 };
[[nodiscard]] base::Bytes rounded(base::Bytes bytes, Rounding rounding);
/// 1 or 512.
[[nodiscard]] int blockBytes(Rounding rounding);

/// Recounts everything in Checks from the tables (not from `program.checks`).
[[nodiscard]] Checks recount(const Program& program);

} // namespace plimsoll::graph
