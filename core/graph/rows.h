// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/graph/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::graph {

/// A piece of device memory; views and in-place results share one.
struct Storage
{
    base::Bytes bytes;
    StorageClass storageClass = StorageClass::Temporary;
    OpIndex alloc = kBeforeStep; ///< op that allocates it
    OpIndex free = kNever;       ///< last op during which it is live
    OpIndex lastUse = kBeforeStep;
    OpIndex pythonFree = kNever; ///< what `free` would be if autograd saved nothing
    std::vector<std::string> names;

    /// What the kernel of one op takes for itself: no op has a tensor of it.
    [[nodiscard]] bool isScratch() const { return storageClass == StorageClass::Scratch; }
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
    bool isRepetition = false; ///< a recomputation of the op at `recomputeOf`, added by a plan
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
    std::optional<OpIndex> unpack; ///< op that runs next when it is first unpacked
    OpIndex dropped = kNever; ///< last op before the node releases the unpacked tensor; meaningless
                              ///< without `unpack`
    OpIndex released = kNever; ///< last op before the node releases the packed value
};

struct Module
{
    std::optional<ModuleId> parent;
    std::string path; ///< as named_modules(); "" is the model
    std::string className;
    bool hasHooks = false;         ///< run around its calls
    bool isCalledDirectly = false; ///< its `forward` is also called directly, unrecorded
};

/// A slot for a tensor among arguments: which of the call's tensors it holds.
struct Slot
{
    std::size_t tensor = 0;
    bool isAlias = false; ///< passed as a different Python object than the tensor's first
                          ///< occurrence, or with gradient hooks

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
    OpIndex first = 0;
    OpIndex last = -1; ///< first - 1: ran no op
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

} // namespace plimsoll::graph
