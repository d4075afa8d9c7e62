// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/validate.h"

#include "core/base/format.h"
#include "core/graph/sizes.h"
#include "core/readers/plimsoll_graph/fault.h"
#include "core/readers/plimsoll_graph/scan.h"
#include "core/readers/plimsoll_graph/vary.h"

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

/// Packages without the table `structures` write this: regions over several calls are then planned
/// from tensors alone.
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
    std::int64_t microSteps = 1;
    for (std::size_t row = 0; row < program.ops.size(); ++row) {
        const graph::Op& op = program.ops[row];
        const bool isEarlier = row > 0 && op.phase < program.ops[row - 1].phase;
        const bool begins = isEarlier && program.ops[row - 1].phase == graph::Phase::Backward;
        if (begins && ++microSteps > program.header.microSteps)
            return fault(Table::Ops, row,
                         fmt::format("is of phase {} after backward, so it begins micro-step {}, "
                                     "but the header says {}",
                                     graph::phaseName(op.phase), microSteps,
                                     program.header.microSteps));
        if (isEarlier && !begins)
            return fault(Table::Ops, row,
                         fmt::format("is of phase {} but follows one of phase {}",
                                     graph::phaseName(op.phase),
                                     graph::phaseName(program.ops[row - 1].phase)));
        if (op.forwardOp && op.forwardOp->index() >= row)
            return fault(Table::Ops, row, "names a forward_op that is not before it");
        if (op.recomputeOf && op.recomputeOf->index() >= row)
            return fault(Table::Ops, row, "names a recompute_of that is not before it");
        if (op.isRepetition && !(op.recomputeOf && program.isRewritten()))
            return fault(
                Table::Ops, row,
                "is a recomputation of a plan, which needs a recompute_of and execution \"step\"");
    }
    if (microSteps != program.header.microSteps)
        return fault(Table::Ops, program.ops.size() - 1,
                     fmt::format("ends a step of {} micro-steps, but the header says {}",
                                 microSteps, program.header.microSteps));
    return std::nullopt;
}

MaybeFault findSavedFault(const Program& program)
{
    for (std::size_t row = 0; row < program.saved.size(); ++row) {
        const graph::Saved& saved = program.saved[row];
        if (!saved.unpack) {
            if (saved.dropped != graph::kNever)
                return fault(Table::Saved, row, "has `dropped` set but was never unpacked");
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

/// Slots refer to tensors of the call.
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

MaybeFault findBadSize(const Program& program)
{
    static constexpr std::array kSizedTables{Table::Storages, Table::Tensors, Table::Ops};
    if (auto found = graph::findSizeFault(program))
        return fault(kSizedTables.at(static_cast<std::size_t>(found->table)), found->row,
                     std::move(found->problem));
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
    if (header.execution != "eager" && header.execution != graph::kStepExecution)
        return fmt::format(R"(`execution` is "{}", and only "eager" and "step" can be read)",
                           base::printable(header.execution, 40));
    if (program.isRewritten() && !program.saved.empty())
        return R"(`execution` is "step", but the table `saved` has rows: autograd doesn't run it)";
    if (header.mode != "train" && header.mode != "inference")
        return fmt::format(R"(`mode` is "{}", neither "train" nor "inference")",
                           base::printable(header.mode, 40));
    if (program.ops.empty())
        return "the table `ops` is empty, so there is no step to plan";
    if (program.modules.empty())
        return "the table `modules` is empty, but its row 0 is the model itself";
    return std::nullopt;
}

MaybeFault findFault(const Program& program)
{
    // Check the indices first: everything after them subscripts without checks.
    return findFirst(program, {findIndexFault, findTreeFault, findOrderFault, findBadSize,
                               findLifetimeFault, findStructureFault, findSavedFault});
}

} // namespace

Result<void> validate(const Draft& draft, const Text& source,
                      std::map<std::string, std::size_t>& oddities)
{
    const auto untold = std::ranges::count_if(
        draft.program.calls, [](const graph::Call& call) { return !call.arguments; });
    if (untold > 0)
        oddities[kUntoldArguments] = static_cast<std::size_t>(untold);
    if (const auto problem = findHeaderFault(draft.program))
        return base::failure(ErrorKind::File,
                             fmt::format("{}: {}; trace the model again.", source.name, *problem));
    if (const MaybeFault found = findFault(draft.program))
        return base::failure(ErrorKind::File,
                             fmt::format("{}: {} {} at byte {}{} {}; trace the model again.",
                                         source.name,
                                         kRowNames.at(static_cast<std::size_t>(found->table)),
                                         found->row, draft.offsetOf(found->table, found->row),
                                         offsetSuffix(source), found->problem));
    if (const std::size_t unknown = graph::tensorsOfUnknownDtype(draft.program); unknown > 0)
        oddities["tensors of a dtype of unknown size"] = unknown;
    if (const auto difference = findDifference(draft.program.checks, graph::recount(draft.program)))
        return base::failure(ErrorKind::File,
                             fmt::format("{}: `checks` at byte {}{} don't fit the graph: {}; trace "
                                         "the model again.",
                                         source.name, draft.checksOffset, offsetSuffix(source),
                                         *difference));
    if (const auto problem = findVaryProblem(draft))
        return base::failure(ErrorKind::File,
                             fmt::format("{}: `vary` at byte {}{}: {}; trace the model again.",
                                         source.name, draft.varyOffset, offsetSuffix(source),
                                         *problem));
    return {};
}

} // namespace plimsoll::readers::plimsoll_graph
