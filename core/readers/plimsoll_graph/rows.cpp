// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/rows.h"

#include "core/readers/plimsoll_graph/table.h"

#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace plimsoll::readers::plimsoll_graph {

namespace {

using graph::OpIndex;

constexpr std::int64_t kHighestClass = graph::kStorageClassCount - 1;
constexpr std::int64_t kHighestPhase = graph::kPhaseCount - 1;
constexpr Range kAnySequence{-1, std::numeric_limits<std::int64_t>::max()};
constexpr Range kFlags{0, std::numeric_limits<std::int32_t>::max()};

constexpr std::int64_t kHooksFlag = 1;  ///< of a module
constexpr std::int64_t kDirectFlag = 2; ///< of a module
constexpr std::int64_t kViewFlag = 1;
constexpr std::int64_t kRandomFlag = 2;
constexpr std::int64_t kCollectiveFlag = 4;
constexpr std::int64_t kAccumulationFlag = 8;
constexpr std::int64_t kGradModeFlag = 16;
constexpr std::int64_t kRepetitionFlag = 32;
constexpr std::int64_t kAllFlags = 63;

constexpr auto kModuleColumns =
    std::to_array<std::string_view>({"parent", "path", "class", "flags"});
constexpr auto kCallColumns = std::to_array<std::string_view>(
    {"module", "parent", "first", "last", "inputs", "outputs", "source", "arguments", "result"});
constexpr auto kStorageColumns = std::to_array<std::string_view>(
    {"bytes", "class", "alloc", "free", "last_use", "python_free", "names"});
constexpr auto kTensorColumns =
    std::to_array<std::string_view>({"storage", "shape", "strides", "offset", "dtype"});
constexpr auto kOpColumns = std::to_array<std::string_view>(
    {"target", "phase", "module", "call", "source", "reads", "writes", "outputs", "flags", "seq",
     "node", "forward_op", "flops", "bytes_moved", "time_ns", "recompute_of", "args", "kwargs"});
constexpr auto kSavedColumns = std::to_array<std::string_view>(
    {"tensor", "op", "after", "seq", "unpack", "dropped", "released"});
constexpr auto kParamColumns =
    std::to_array<std::string_view>({"name", "storage", "gradient", "states"});

/// For numbers that a Range below 2^31 has bounded.
std::int32_t narrow(std::int64_t number)
{
    return static_cast<std::int32_t>(number);
}

template <typename Id>
std::optional<Id> idOrNone(std::int64_t index)
{
    if (index < 0)
        return std::nullopt;
    return Id{static_cast<std::size_t>(index)};
}

OpIndex momentOrNever(const std::optional<std::int64_t>& opIndex)
{
    return opIndex ? narrow(*opIndex) : graph::kNever;
}

/// Reads lists of indices through one scratch buffer, so that each list is allocated once.
class Lists
{
public:
    template <typename Id>
    bool read(Row& row, std::vector<Id>& ids)
    {
        if (!row.integers(kIndex, m_numbers))
            return false;
        ids.reserve(m_numbers.size());
        for (const std::int64_t number : m_numbers)
            ids.emplace_back(static_cast<std::size_t>(number));
        return true;
    }

private:
    std::vector<std::int64_t> m_numbers;
};

bool readOp(Scan& scan, Row& row, Lists& lists, graph::Op& op, graph::CallTexts& calls)
{
    std::int64_t target = 0;
    std::int64_t phase = 0;
    std::int64_t module = 0;
    std::int64_t call = 0;
    std::int64_t source = 0;
    if (!row.integer(kIndex, target) || !row.integer({0, kHighestPhase}, phase)
        || !row.integer(kIndexOrNone, module) || !row.integer(kIndexOrNone, call)
        || !row.integer(kIndexOrNone, source))
        return false;
    op.target = static_cast<std::uint32_t>(target);
    op.phase = static_cast<graph::Phase>(phase);
    op.module = idOrNone<graph::ModuleId>(module);
    op.call = idOrNone<graph::CallId>(call);
    op.source = narrow(source);

    std::int64_t flags = 0;
    if (!lists.read(row, op.reads) || !lists.read(row, op.writes) || !lists.read(row, op.outputs)
        || !row.integer(kFlags, flags))
        return false;
    op.isView = (flags & kViewFlag) != 0;
    op.isRandom = (flags & kRandomFlag) != 0;
    op.isCollective = (flags & kCollectiveFlag) != 0;
    op.isAccumulation = (flags & kAccumulationFlag) != 0;
    op.inGradMode = (flags & kGradModeFlag) != 0;
    op.isRepetition = (flags & kRepetitionFlag) != 0;
    if ((flags & ~kAllFlags) != 0)
        scan.tolerate("ops with unknown flags");

    std::int64_t node = 0;
    std::int64_t forwardOp = 0;
    std::int64_t bytesMoved = 0;
    std::int64_t recomputeOf = 0;
    std::optional<std::int64_t> measured;
    if (!row.integer(kAnySequence, op.sequence) || !row.integer(kIndexOrNone, node)
        || !row.integer(kIndexOrNone, forwardOp) || !row.integer(kCount, op.flops)
        || !row.integer(kCount, bytesMoved) || !row.integerOrNull(kCount, measured)
        || !row.integer(kIndexOrNone, recomputeOf))
        return false;
    op.node = narrow(node);
    op.forwardOp = idOrNone<graph::OpId>(forwardOp);
    op.bytesMoved = base::Bytes{bytesMoved};
    if (measured)
        op.measured = base::Nanoseconds{*measured};
    op.recomputeOf = idOrNone<graph::OpId>(recomputeOf);
    std::string_view args;
    std::string_view kwargs;
    if (!row.json(args) || !row.json(kwargs))
        return false;
    calls.add(args);
    calls.add(kwargs);
    return true;
}

} // namespace

bool readModules(Scan& scan, JsonValue& value, Draft& draft)
{
    return readTable(scan, value, kModuleColumns, draft.offsetsOf(Table::Modules), [&](Row& row) {
        graph::Module& module = draft.program.modules.emplace_back();
        std::int64_t parent = 0;
        std::int64_t flags = 0; // older files have no such column
        if (!row.integer(kIndexOrNone, parent) || !row.text(module.path)
            || !row.text(module.className) || (row.hasMore() && !row.integer(kFlags, flags)))
            return false;
        module.hasHooks = (flags & kHooksFlag) != 0;
        module.isCalledDirectly = (flags & kDirectFlag) != 0;
        module.parent = idOrNone<graph::ModuleId>(parent);
        return true;
    });
}

bool readCalls(Scan& scan, JsonValue& value, Draft& draft)
{
    Lists lists;
    return readTable(scan, value, kCallColumns, draft.offsetsOf(Table::Calls), [&](Row& row) {
        graph::Call& call = draft.program.calls.emplace_back();
        std::int64_t module = 0;
        std::int64_t parent = 0;
        std::int64_t first = 0;
        std::int64_t last = 0;
        std::int64_t source = 0;
        std::int64_t arguments = -1; // older files have no such columns
        std::int64_t result = -1;
        if (!row.integer(kIndex, module) || !row.integer(kIndexOrNone, parent)
            || !row.integer(kIndex, first) || !row.integer(kIndexOrNone, last)
            || !lists.read(row, call.inputs) || !lists.read(row, call.outputs)
            || !row.integer(kIndexOrNone, source)
            || (row.hasMore()
                && (!row.integer(kIndexOrNone, arguments) || !row.integer(kIndexOrNone, result))))
            return false;
        call.module = graph::ModuleId{static_cast<std::size_t>(module)};
        call.parent = idOrNone<graph::CallId>(parent);
        call.first = narrow(first);
        call.last = narrow(last);
        call.source = narrow(source);
        call.arguments = idOrNone<graph::StructureId>(arguments);
        call.result = idOrNone<graph::StructureId>(result);
        return true;
    });
}

bool readStorages(Scan& scan, JsonValue& value, Draft& draft)
{
    return readTable(scan, value, kStorageColumns, draft.offsetsOf(Table::Storages), [&](Row& row) {
        graph::Storage& storage = draft.program.storages.emplace_back();
        std::int64_t bytes = 0;
        std::int64_t storageClass = 0;
        std::int64_t alloc = 0;
        std::int64_t lastUse = 0;
        std::optional<std::int64_t> free;
        std::optional<std::int64_t> pythonFree;
        if (!row.integer(kCount, bytes) || !row.integer({0, kHighestClass}, storageClass)
            || !row.integer(kIndexOrNone, alloc) || !row.integerOrNull(kIndexOrNone, free)
            || !row.integer(kIndexOrNone, lastUse) || !row.integerOrNull(kIndexOrNone, pythonFree)
            || !row.texts(storage.names))
            return false;
        storage.bytes = base::Bytes{bytes};
        storage.storageClass = static_cast<graph::StorageClass>(storageClass);
        storage.alloc = narrow(alloc);
        storage.free = momentOrNever(free);
        storage.lastUse = narrow(lastUse);
        storage.pythonFree = momentOrNever(pythonFree);
        return true;
    });
}

bool readTensors(Scan& scan, JsonValue& value, Draft& draft)
{
    return readTable(scan, value, kTensorColumns, draft.offsetsOf(Table::Tensors), [&](Row& row) {
        graph::Tensor& tensor = draft.program.tensors.emplace_back();
        std::int64_t storage = 0;
        std::int64_t dtype = 0;
        if (!row.integer(kIndex, storage) || !row.integers(kCount, tensor.shape)
            || !row.integers(kCount, tensor.strides) || !row.integer(kCount, tensor.offset)
            || !row.integer(kIndex, dtype))
            return false;
        tensor.storage = graph::StorageId{static_cast<std::size_t>(storage)};
        tensor.dtype = static_cast<std::uint32_t>(dtype);
        return true;
    });
}

bool readOps(Scan& scan, JsonValue& value, Draft& draft)
{
    Lists lists;
    return readTable(scan, value, kOpColumns, draft.offsetsOf(Table::Ops), [&](Row& row) {
        return readOp(scan, row, lists, draft.program.ops.emplace_back(), draft.program.callTexts);
    });
}

bool readSaved(Scan& scan, JsonValue& value, Draft& draft)
{
    return readTable(scan, value, kSavedColumns, draft.offsetsOf(Table::Saved), [&](Row& row) {
        graph::Saved& saved = draft.program.saved.emplace_back();
        std::int64_t tensor = 0;
        std::int64_t op = 0;
        std::int64_t after = 0;
        std::optional<std::int64_t> unpack;
        std::optional<std::int64_t> dropped;
        std::optional<std::int64_t> released;
        if (!row.integer(kIndex, tensor) || !row.integer(kIndex, op) || !row.integer({0, 1}, after)
            || !row.integer(kAnySequence, saved.sequence) || !row.integerOrNull(kIndex, unpack)
            || !row.integerOrNull(kIndexOrNone, dropped)
            || !row.integerOrNull(kIndexOrNone, released))
            return false;
        saved.tensor = graph::TensorId{static_cast<std::size_t>(tensor)};
        saved.op = graph::OpId{static_cast<std::size_t>(op)};
        saved.afterKernel = after == 1;
        if (unpack)
            saved.unpack = narrow(*unpack);
        saved.dropped = momentOrNever(dropped);
        saved.released = momentOrNever(released);
        return true;
    });
}

bool readParams(Scan& scan, JsonValue& value, Draft& draft)
{
    Lists lists;
    return readTable(scan, value, kParamColumns, draft.offsetsOf(Table::Params), [&](Row& row) {
        graph::Parameter& parameter = draft.program.parameters.emplace_back();
        std::int64_t storage = 0;
        std::int64_t gradient = 0;
        if (!row.text(parameter.name) || !row.integer(kIndex, storage)
            || !row.integer(kIndexOrNone, gradient) || !lists.read(row, parameter.states))
            return false;
        parameter.storage = graph::StorageId{static_cast<std::size_t>(storage)};
        parameter.gradient = idOrNone<graph::StorageId>(gradient);
        return true;
    });
}

} // namespace plimsoll::readers::plimsoll_graph
