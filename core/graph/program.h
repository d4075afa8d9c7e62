// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/graph/vary.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::graph {

struct OpTag;
struct TensorTag;
struct StorageTag;
struct ModuleTag;
struct CallTag;
struct StructureTag;

using OpId = base::Id<OpTag>;
using TensorId = base::Id<TensorTag>;
using StorageId = base::Id<StorageTag>;
using ModuleId = base::Id<ModuleTag>;
using CallId = base::Id<CallTag>;
using StructureId = base::Id<StructureTag>;

enum class Phase : std::uint8_t { Forward, Loss, Backward, Optimizer };
inline constexpr std::size_t kPhaseCount = 4;

/// What a storage is for; the numbers are those of the file format.
enum class StorageClass : std::uint8_t {
    Parameter,
    Buffer,
    Gradient,
    OptimizerState,
    Input,
    Constant,
    Activation,
    Temporary,
    Output,
};
inline constexpr std::size_t kStorageClassCount = 9;

/// "parameter", "optimizer_state", …: the names of the file format and of the command line's JSON.
[[nodiscard]] const char* className(StorageClass storageClass);
/// "forward", "loss", "backward", "optimizer".
[[nodiscard]] const char* phaseName(Phase phase);

/// A moment counted in ops: kBeforeStep, or the ordinal of an op. See
/// core/readers/plimsoll_graph/FORMAT.md.
using Moment = std::int32_t;
inline constexpr Moment kBeforeStep = -1;
/// Of a free: still alive when the step ends.
inline constexpr Moment kNever = INT32_MAX;
/// The op that runs then. Requires a moment within the step.
[[nodiscard]] constexpr OpId opAt(Moment moment)
{
    return OpId{static_cast<std::size_t>(moment)};
}

/// A piece of device memory; views and in-place results share one.
struct Storage
{
    base::Bytes bytes;
    StorageClass storageClass = StorageClass::Temporary;
    Moment alloc = kBeforeStep; ///< op that allocates it
    Moment free = kNever;       ///< last op during which it is alive
    Moment lastUse = kBeforeStep;
    Moment pythonFree = kNever; ///< what `free` would be had autograd saved nothing
    std::vector<std::string> names;
};

struct Tensor
{
    StorageId storage;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides; ///< in elements
    std::int64_t offset = 0;           ///< in elements
    std::uint32_t dtype = 0;           ///< index into Program::dtypes
};

struct Op
{
    std::uint32_t target = 0; ///< index into Program::targets
    Phase phase = Phase::Forward;
    bool isView = false;
    bool isRandom = false;
    bool isCollective = false;
    bool isAccumulation = false;
    bool isRepetition = false; ///< a plan has the op at `recomputeOf` run again here
    bool inGradMode = false;   ///< gradient mode was on
    std::optional<ModuleId> module;
    std::optional<CallId> call;
    std::int32_t source = -1; ///< index into Program::sources
    std::int32_t node = -1;   ///< index into Program::nodes
    std::int64_t sequence =
        -1; ///< autograd sequence number of the node made (forward) or running (backward)
    std::optional<OpId> forwardOp; ///< backward ops: the forward op whose node runs
    std::optional<OpId> recomputeOf;
    std::vector<TensorId> reads;
    std::vector<TensorId> writes;
    std::vector<TensorId> outputs;
    std::int64_t flops = 0;
    base::Bytes bytesMoved;
    std::optional<base::Nanoseconds> measured;
};

/// One tensor that autograd keeps for backward. Rows stand in the order of packing.
struct Saved
{
    TensorId tensor;
    OpId op; ///< whose node saves it
    bool afterKernel =
        false; ///< packed after the op's kernel ran (a result), else before (an input)
    std::int64_t sequence = -1;
    std::optional<Moment> unpack; ///< op that is next to run at the first unpacking
    Moment dropped = kNever;      ///< the node's code lets the unpacked tensor go after this op; no
                                  ///< meaning without `unpack`
    Moment released = kNever;     ///< the node lets the packed value go after this op
};

struct Module
{
    std::optional<ModuleId> parent;
    std::string path; ///< as named_modules(); "" is the model
    std::string className;
    bool hasHooks = false;         ///< run around its calls
    bool isCalledDirectly = false; ///< by its `forward`, too, which nobody counts as a call
};

/// A place for a tensor among arguments: which of the call's tensors stands there.
struct Slot
{
    std::size_t tensor = 0;
    bool isAlias = false; ///< given as another Python object than where the tensor is first met,
                          ///< or one whose gradient somebody waits for

    bool operator==(const Slot&) const = default;
};

struct Argument
{
    std::string name;  ///< "" when given by position
    std::string value; ///< JSON text; equal values have equal texts

    bool operator==(const Argument&) const = default;
};

/// How a module is called, or what it returns, tensors aside.
struct Structure
{
    std::vector<Argument> arguments; ///< positional ones first
    std::vector<std::string> modes;  ///< "no_grad", "autocast cpu bfloat16"
    std::vector<Slot> slots;         ///< of all arguments, in order

    bool operator==(const Structure&) const = default;
};

/// One call of a module's forward.
struct Call
{
    ModuleId module;
    std::optional<CallId> parent;
    Moment first = 0;
    Moment last = -1; ///< first - 1: ran no op
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
    std::int32_t source = -1;
    std::optional<StructureId> arguments; ///< none: not recorded
    std::optional<StructureId> result;

    [[nodiscard]] bool isEmpty() const { return last < first; }
};

struct Parameter
{
    std::string name;
    StorageId storage;
    std::optional<StorageId> gradient;
    std::vector<StorageId> states;
};

/// Counted by the exporter; a reader proves with it that it read right.
struct Checks
{
    std::size_t ops = 0;
    std::array<std::size_t, kPhaseCount> opsByPhase{};
    std::size_t storages = 0;
    std::size_t tensors = 0;
    std::array<base::Bytes, kStorageClassCount> bytesByClass{};
    base::Bytes savedBytes;
    base::Bytes peakBytes;
    Moment peakOp = 0;

    bool operator==(const Checks&) const = default;
};

/// What the step runs an operation with where PyTorch chooses by the device.
struct KernelChoice
{
    std::string family;     ///< "attention", "dropout", "batch_norm", "optimizer", …
    std::string kernel;     ///< "flash", "native_dropout", "cudnn", "foreach", …
    std::int64_t times = 0; ///< in the step

    bool operator==(const KernelChoice&) const = default;
};

/// Header::execution of a recorded step that a plan was written into: no autograd runs it.
inline constexpr const char* kStepExecution = "step";

struct Header
{
    int version = 1;
    std::string exporter;
    std::string torch;
    std::string execution;    ///< "eager", or kStepExecution
    std::string planner = {}; ///< whose plan the step was rewritten by; "" of a recorded one
    std::string mode;
    std::int64_t microSteps = 1; ///< forward, loss and backward run so often before the optimizer
    std::string model;
    std::string modelClass;
    std::string batch;
    std::string target;
    std::string optimizer; ///< "SGD (foreach)", "" without one
    std::string optimizerDtype = {};
    std::string autocast; ///< "" without
    std::vector<KernelChoice> kernels;
    std::vector<std::string> assumed;
};

/// The calls of all ops as JSON texts, which nothing but writing them again needs.
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

/// A recorded step, immutable once published as shared_ptr<const Program>.
/// Invariants are those of FORMAT.md; readers establish them, everybody else relies on them.
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

    /// Whether it is a step of ops alone, made of a recorded one by a plan of runtime Step.
    [[nodiscard]] bool isRewritten() const { return header.execution == kStepExecution; }
    /// Path of the op's module, "" outside of any.
    [[nodiscard]] const std::string& modulePath(const Op& op) const;
    /// "layer1.0.conv1 · aten.convolution" or the bare target: what lists and hover cards show.
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
