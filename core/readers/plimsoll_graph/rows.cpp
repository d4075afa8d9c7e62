// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/rows.h"

#include "core/readers/plimsoll_graph/table.h"

#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

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

// Converts a number to its field's type; Range has checked its bounds.
void set(std::int32_t& field, std::int64_t number)
{
    field = static_cast<std::int32_t>(number);
}
void set(std::uint32_t& field, std::int64_t number)
{
    field = static_cast<std::uint32_t>(number);
}
template <typename Tag>
void set(base::Quantity<Tag>& field, std::int64_t number)
{
    field = base::Quantity<Tag>{number};
}
template <typename Tag>
void set(base::Id<Tag>& field, std::int64_t number)
{
    field = base::Id<Tag>{static_cast<std::size_t>(number)};
}
template <typename Enum>
requires std::is_enum_v<Enum>
void set(Enum& field, std::int64_t number)
{
    field = static_cast<Enum>(number);
}
/// Negative: none.
template <typename Tag>
void set(std::optional<base::Id<Tag>>& field, std::int64_t number)
{
    if (number >= 0)
        set(field.emplace(), number);
}

template <typename Field>
bool readNumber(Row& row, Range range, Field& field)
{
    std::int64_t number = 0;
    if (!row.integer(range, number))
        return false;
    set(field, number);
    return true;
}

/// Null leaves the field unchanged.
template <typename Field>
bool readNumberOrNull(Row& row, Range range, std::optional<Field>& field)
{
    std::optional<std::int64_t> number;
    if (!row.integerOrNull(range, number))
        return false;
    if (number)
        set(field.emplace(), *number);
    return true;
}

/// Null: never.
bool readMoment(Row& row, OpIndex& field)
{
    std::optional<OpIndex> moment;
    const bool read = readNumberOrNull(row, kIndexOrNone, moment);
    field = moment.value_or(graph::kNever);
    return read;
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

void setFlags(Scan& scan, graph::Op& op, std::int64_t flags)
{
    op.isView = (flags & kViewFlag) != 0;
    op.isRandom = (flags & kRandomFlag) != 0;
    op.isCollective = (flags & kCollectiveFlag) != 0;
    op.isAccumulation = (flags & kAccumulationFlag) != 0;
    op.inGradMode = (flags & kGradModeFlag) != 0;
    op.isRepetition = (flags & kRepetitionFlag) != 0;
    if ((flags & ~kAllFlags) != 0)
        scan.tolerate("ops with unknown flags");
}

bool readOp(Scan& scan, Row& row, Lists& lists, graph::Op& op, graph::CallTexts& calls)
{
    std::int64_t flags = 0;
    std::string_view args;
    std::string_view kwargs;
    if (!readNumber(row, kIndex, op.target) || !readNumber(row, {0, kHighestPhase}, op.phase)
        || !readNumber(row, kIndexOrNone, op.module) || !readNumber(row, kIndexOrNone, op.call)
        || !readNumber(row, kIndexOrNone, op.source) || !lists.read(row, op.reads)
        || !lists.read(row, op.writes) || !lists.read(row, op.outputs)
        || !row.integer(kFlags, flags))
        return false;
    setFlags(scan, op, flags);
    if (!row.integer(kAnySequence, op.sequence) || !readNumber(row, kIndexOrNone, op.node)
        || !readNumber(row, kIndexOrNone, op.forwardOp) || !row.integer(kCount, op.flops)
        || !readNumber(row, kCount, op.bytesMoved) || !readNumberOrNull(row, kCount, op.measured)
        || !readNumber(row, kIndexOrNone, op.recomputeOf) || !row.json(args) || !row.json(kwargs))
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
        std::int64_t flags = 0; // older files have no such column
        if (!readNumber(row, kIndexOrNone, module.parent) || !row.text(module.path)
            || !row.text(module.className) || (row.hasMore() && !row.integer(kFlags, flags)))
            return false;
        module.hasHooks = (flags & kHooksFlag) != 0;
        module.isCalledDirectly = (flags & kDirectFlag) != 0;
        return true;
    });
}

bool readCalls(Scan& scan, JsonValue& value, Draft& draft)
{
    Lists lists;
    return readTable(scan, value, kCallColumns, draft.offsetsOf(Table::Calls), [&](Row& row) {
        graph::Call& call = draft.program.calls.emplace_back();
        return readNumber(row, kIndex, call.module) && readNumber(row, kIndexOrNone, call.parent)
               && readNumber(row, kIndex, call.first) && readNumber(row, kIndexOrNone, call.last)
               && lists.read(row, call.inputs) && lists.read(row, call.outputs)
               && readNumber(row, kIndexOrNone, call.source)
               && (!row.hasMore() // older files have no such columns
                   || (readNumber(row, kIndexOrNone, call.arguments)
                       && readNumber(row, kIndexOrNone, call.result)));
    });
}

bool readStorages(Scan& scan, JsonValue& value, Draft& draft)
{
    return readTable(scan, value, kStorageColumns, draft.offsetsOf(Table::Storages), [&](Row& row) {
        graph::Storage& storage = draft.program.storages.emplace_back();
        return readNumber(row, kCount, storage.bytes)
               && readNumber(row, {0, kHighestClass}, storage.storageClass)
               && readNumber(row, kIndexOrNone, storage.alloc) && readMoment(row, storage.free)
               && readNumber(row, kIndexOrNone, storage.lastUse)
               && readMoment(row, storage.pythonFree) && row.texts(storage.names);
    });
}

bool readTensors(Scan& scan, JsonValue& value, Draft& draft)
{
    return readTable(scan, value, kTensorColumns, draft.offsetsOf(Table::Tensors), [&](Row& row) {
        graph::Tensor& tensor = draft.program.tensors.emplace_back();
        return readNumber(row, kIndex, tensor.storage) && row.integers(kCount, tensor.shape)
               && row.integers(kCount, tensor.strides) && row.integer(kCount, tensor.offset)
               && readNumber(row, kIndex, tensor.dtype);
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
        std::int64_t after = 0;
        const bool read = readNumber(row, kIndex, saved.tensor) && readNumber(row, kIndex, saved.op)
                          && row.integer({0, 1}, after) && row.integer(kAnySequence, saved.sequence)
                          && readNumberOrNull(row, kIndex, saved.unpack)
                          && readMoment(row, saved.dropped) && readMoment(row, saved.released);
        saved.afterKernel = after == 1;
        return read;
    });
}

bool readParams(Scan& scan, JsonValue& value, Draft& draft)
{
    Lists lists;
    return readTable(scan, value, kParamColumns, draft.offsetsOf(Table::Params), [&](Row& row) {
        graph::Parameter& parameter = draft.program.parameters.emplace_back();
        return row.text(parameter.name) && readNumber(row, kIndex, parameter.storage)
               && readNumber(row, kIndexOrNone, parameter.gradient)
               && lists.read(row, parameter.states);
    });
}

} // namespace plimsoll::readers::plimsoll_graph
