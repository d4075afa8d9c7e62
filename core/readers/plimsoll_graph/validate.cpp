// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/validate.h"

#include "core/base/format.h"
#include "core/readers/plimsoll_graph/fault.h"
#include "core/readers/plimsoll_graph/indices.h"
#include "core/readers/plimsoll_graph/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>

namespace plimsoll::readers::plimsoll_graph {

namespace {

using base::ErrorKind;
using base::Result;
using graph::Program;

constexpr std::array kRowNames{"module", "call",      "storage",   "tensor",
                               "op",     "saved row", "parameter", "structure"};

/// Written by packages before the table `structures`: regions over several calls are planned on
/// tensors alone.
constexpr const char* kUntoldArguments = "calls whose arguments are not recorded";

MaybeFault findTreeFault(const Program& program)
{
    for (std::size_t row = 0; row < program.modules.size(); ++row) {
        const graph::Module& module = program.modules[row];
        if (row == 0 && (module.parent || !module.path.empty()))
            return fault(Table::Modules, row,
                         "must be the model itself, with parent -1 and an empty path");
        if (row > 0 && (!module.parent || module.parent->index() >= row))
            return fault(Table::Modules, row, "must have a parent in a row before it");
    }
    for (std::size_t row = 0; row < program.calls.size(); ++row) {
        const graph::Call& call = program.calls[row];
        if (call.last < call.first - 1)
            return fault(
                Table::Calls, row,
                fmt::format("ends at op {} before it begins at op {}", call.last, call.first));
        if (row > 0 && call.first < program.calls[row - 1].first)
            return fault(Table::Calls, row, "begins before the call in the row above it");
        if (!call.parent)
            continue;
        if (call.parent->index() >= row)
            return fault(Table::Calls, row, "must have a parent in a row before it");
        const graph::Call& parent = program.call(*call.parent);
        if (call.first < parent.first || call.last > parent.last)
            return fault(Table::Calls, row,
                         fmt::format("spans ops {} to {}, beyond its parent's {} to {}", call.first,
                                     call.last, parent.first, parent.last));
    }
    return std::nullopt;
}

MaybeFault findOrderFault(const Program& program)
{
    for (std::size_t row = 0; row < program.ops.size(); ++row) {
        const graph::Op& op = program.ops[row];
        if (row > 0 && op.phase < program.ops[row - 1].phase)
            return fault(Table::Ops, row,
                         fmt::format("is of phase {} but follows one of phase {}",
                                     graph::phaseName(op.phase),
                                     graph::phaseName(program.ops[row - 1].phase)));
        if (op.forwardOp && op.forwardOp->index() >= row)
            return fault(Table::Ops, row, "names a forward_op that is not before it");
        if (op.recomputeOf && op.recomputeOf->index() >= row)
            return fault(Table::Ops, row, "names a recompute_of that is not before it");
    }
    return std::nullopt;
}

MaybeFault findSavedFault(const Program& program)
{
    for (std::size_t row = 0; row < program.saved.size(); ++row) {
        const graph::Saved& saved = program.saved[row];
        if (!saved.unpack) {
            if (saved.dropped != graph::kNever)
                return fault(Table::Saved, row, "has a dropped moment but was never unpacked");
            continue;
        }
        if (*saved.unpack - 1 > saved.dropped)
            return fault(Table::Saved, row,
                         fmt::format("is unpacked before op {} but dropped before, after op {}",
                                     *saved.unpack, saved.dropped));
        if (saved.dropped > saved.released)
            return fault(Table::Saved, row,
                         fmt::format("is dropped after op {}, later than its release after op {}",
                                     saved.dropped, saved.released));
    }
    return std::nullopt;
}

/// Slots are places of tensors that the call has.
MaybeFault findStructureFault(const Program& program)
{
    for (std::size_t row = 0; row < program.calls.size(); ++row) {
        const graph::Call& call = program.calls[row];
        for (const auto& [structure, tensors, list, what] :
             {std::tuple{call.arguments, call.inputs.size(), "inputs", "arguments"},
              std::tuple{call.result, call.outputs.size(), "outputs", "results"}}) {
            const std::vector<graph::Slot> slots =
                structure ? program.structure(*structure).slots : std::vector<graph::Slot>{};
            if (!slots.empty() && slots.back().tensor >= tensors)
                return fault(Table::Calls, row,
                             fmt::format("has {} tensor{} in its {}, but its {} name tensor {}",
                                         tensors, tensors == 1 ? "" : "s", list, what,
                                         slots.back().tensor));
        }
    }
    return std::nullopt;
}

struct ItemSize
{
    std::string_view dtype;
    std::int64_t bytes;
};

constexpr std::array kItemSizes{
    ItemSize{"float32", 4},
    ItemSize{"float16", 2},
    ItemSize{"bfloat16", 2},
    ItemSize{"float64", 8},
    ItemSize{"int64", 8},
    ItemSize{"int32", 4},
    ItemSize{"int16", 2},
    ItemSize{"int8", 1},
    ItemSize{"uint8", 1},
    ItemSize{"uint16", 2},
    ItemSize{"uint32", 4},
    ItemSize{"uint64", 8},
    ItemSize{"bool", 1},
    ItemSize{"complex32", 4},
    ItemSize{"complex64", 8},
    ItemSize{"complex128", 16},
    ItemSize{"float8_e4m3fn", 1},
    ItemSize{"float8_e5m2", 1},
    ItemSize{"float8_e4m3fnuz", 1},
    ItemSize{"float8_e5m2fnuz", 1},
    ItemSize{"float8_e8m0fnu", 1},
};

/// Bytes per element of each of the program's dtypes, 0 where the size is not known.
std::vector<std::int64_t> itemSizes(const Program& program)
{
    std::vector<std::int64_t> sizes;
    for (const std::string& dtype : program.dtypes) {
        const auto* known = std::find_if(kItemSizes.begin(), kItemSizes.end(),
                                         [&](const ItemSize& size) { return size.dtype == dtype; });
        sizes.push_back(known == kItemSizes.end() ? 0 : known->bytes);
    }
    return sizes;
}

/// First byte behind the tensor in its storage; nothing when that is beyond 2^62.
std::optional<std::int64_t> endOf(const graph::Tensor& tensor, std::int64_t itemSize)
{
    if (std::ranges::find(tensor.shape, 0) != tensor.shape.end())
        return 0;
    std::int64_t last = tensor.offset;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        std::int64_t reach = 0;
        if (__builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &reach)
            || __builtin_add_overflow(last, reach, &last))
            return std::nullopt;
    }
    std::int64_t end = 0;
    if (last >= base::kHuge || __builtin_mul_overflow(last + 1, itemSize, &end))
        return std::nullopt;
    return end;
}

MaybeFault findTensorFault(const Program& program, std::map<std::string, std::size_t>& oddities)
{
    const std::vector<std::int64_t> sizes = itemSizes(program);
    for (std::size_t row = 0; row < program.tensors.size(); ++row) {
        const graph::Tensor& tensor = program.tensors[row];
        if (tensor.shape.size() != tensor.strides.size())
            return fault(Table::Tensors, row,
                         fmt::format("has {} sizes but {} strides", tensor.shape.size(),
                                     tensor.strides.size()));
        if (sizes[tensor.dtype] == 0) {
            ++oddities["tensors of a dtype of unknown size"];
            continue;
        }
        const std::int64_t bytes = program.storage(tensor.storage).bytes.count();
        const std::optional<std::int64_t> end = endOf(tensor, sizes[tensor.dtype]);
        if (!end || *end > bytes)
            return fault(Table::Tensors, row,
                         fmt::format("reaches beyond the {} B of its storage {}", bytes,
                                     tensor.storage.index()));
    }
    return std::nullopt;
}

/// Sums stay below 2^62, so that whoever adds two of them stays inside 64 bits.
MaybeFault findSumFault(const Program& program)
{
    const auto grows = [](std::int64_t& sum, std::int64_t part) {
        return !__builtin_add_overflow(sum, part, &sum) && sum < base::kHuge;
    };
    std::int64_t bytes = 0;
    for (std::size_t row = 0; row < program.storages.size(); ++row)
        if (!grows(bytes, program.storages[row].bytes.count()))
            return fault(Table::Storages, row, "brings the bytes of all storages to 2^62 or more");
    std::int64_t flops = 0;
    std::int64_t moved = 0;
    std::int64_t time = 0;
    for (std::size_t row = 0; row < program.ops.size(); ++row) {
        const graph::Op& op = program.ops[row];
        if (!grows(flops, op.flops))
            return fault(Table::Ops, row, "brings the flops of all ops to 2^62 or more");
        if (!grows(moved, op.bytesMoved.count()))
            return fault(Table::Ops, row, "brings the bytes_moved of all ops to 2^62 or more");
        if (op.measured && !grows(time, op.measured->count()))
            return fault(Table::Ops, row, "brings the time_ns of all ops to 2^62 or more");
    }
    return std::nullopt;
}

/// "peak_bytes is 10, but the tables give 12", or nothing.
std::optional<std::string> findDifference(const graph::Checks& told, const graph::Checks& counted)
{
    std::optional<std::string> found;
    const auto compare = [&found](const std::string& what, auto claimed, auto real) {
        if (!found && claimed != real)
            found = fmt::format("{} is {}, but the tables give {}", what, claimed, real);
    };
    compare("ops", told.ops, counted.ops);
    for (std::size_t i = 0; i < graph::kPhaseCount; ++i)
        compare(fmt::format("ops_by_phase.{}", graph::phaseName(static_cast<graph::Phase>(i))),
                told.opsByPhase.at(i), counted.opsByPhase.at(i));
    compare("storages", told.storages, counted.storages);
    compare("tensors", told.tensors, counted.tensors);
    for (std::size_t i = 0; i < graph::kStorageClassCount; ++i)
        compare(
            fmt::format("bytes_by_class.{}", graph::className(static_cast<graph::StorageClass>(i))),
            told.bytesByClass.at(i).count(), counted.bytesByClass.at(i).count());
    compare("saved_bytes", told.savedBytes.count(), counted.savedBytes.count());
    compare("peak_bytes", told.peakBytes.count(), counted.peakBytes.count());
    compare("peak_op", told.peakOp, counted.peakOp);
    return found;
}

std::optional<std::string> findHeaderFault(const Program& program)
{
    const graph::Header& header = program.header;
    if (header.execution != "eager")
        return fmt::format(R"(`execution` is "{}", and only "eager" steps can be read)",
                           base::printable(header.execution, 40));
    if (header.mode != "train" && header.mode != "inference")
        return fmt::format(R"(`mode` is "{}", neither "train" nor "inference")",
                           base::printable(header.mode, 40));
    if (program.ops.empty())
        return "the table `ops` is empty, so there is no step to plan";
    if (program.modules.empty())
        return "the table `modules` is empty, but its row 0 is the model itself";
    return std::nullopt;
}

MaybeFault findFault(const Program& program, std::map<std::string, std::size_t>& oddities)
{
    // Indices first: everything after them subscripts without a check.
    if (auto found = findIndexFault(program))
        return found;
    if (auto found = findTreeFault(program))
        return found;
    if (auto found = findOrderFault(program))
        return found;
    if (auto found = findSumFault(program))
        return found;
    if (auto found = findTensorFault(program, oddities))
        return found;
    if (auto found = findLifetimeFault(program))
        return found;
    if (auto found = findStructureFault(program))
        return found;
    return findSavedFault(program);
}

} // namespace

Result<void> validate(const Draft& draft, const Source& source,
                      std::map<std::string, std::size_t>& oddities)
{
    const auto untold = std::ranges::count_if(
        draft.program.calls, [](const graph::Call& call) { return !call.arguments; });
    if (untold > 0)
        oddities[kUntoldArguments] = static_cast<std::size_t>(untold);
    if (const auto problem = findHeaderFault(draft.program))
        return base::failure(ErrorKind::File,
                             fmt::format("{}: {}; trace the model again.", source.name, *problem));
    if (const MaybeFault found = findFault(draft.program, oddities))
        return base::failure(ErrorKind::File,
                             fmt::format("{}: {} {} at byte {}{} {}; trace the model again.",
                                         source.name,
                                         kRowNames.at(static_cast<std::size_t>(found->table)),
                                         found->row, draft.offsetOf(found->table, found->row),
                                         offsetSuffix(source), found->problem));
    if (const auto difference = findDifference(draft.program.checks, graph::recount(draft.program)))
        return base::failure(ErrorKind::File,
                             fmt::format("{}: `checks` at byte {}{} don't fit the graph: {}; trace "
                                         "the model again.",
                                         source.name, draft.checksOffset, offsetSuffix(source),
                                         *difference));
    return {};
}

} // namespace plimsoll::readers::plimsoll_graph
