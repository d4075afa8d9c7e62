// SPDX-License-Identifier: Apache-2.0
#include "core/base/try.h"
#include "core/base/unicode.h"
#include "core/lower/lower.h"
#include "core/writers/formats.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace plimsoll::writers {

namespace {

using graph::OpIndex;
using graph::Program;
using graph::StorageClass;
using nlohmann::ordered_json;

std::string text(const ordered_json& value)
{
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

template <typename Id>
ordered_json indices(const std::vector<Id>& ids)
{
    ordered_json array = ordered_json::array();
    for (const Id id : ids)
        array.push_back(id.index());
    return array;
}

template <typename Id>
ordered_json indexOrNone(const std::optional<Id>& id)
{
    return id ? ordered_json(id->index()) : ordered_json(-1);
}

ordered_json momentOrNull(OpIndex opIndex)
{
    return opIndex == graph::kNever ? ordered_json(nullptr) : ordered_json(opIndex);
}

ordered_json textOrNull(const std::string& value)
{
    return value.empty() ? ordered_json(nullptr) : ordered_json(value);
}

/// "SGD (foreach)" as the object that it was read from.
ordered_json optimizerJson(const graph::Header& header)
{
    if (header.optimizer.empty())
        return nullptr;
    const std::size_t space = header.optimizer.rfind(" (");
    const bool hasVariant = space != std::string::npos && header.optimizer.ends_with(')');
    ordered_json json = {
        {"class", hasVariant ? header.optimizer.substr(0, space) : header.optimizer},
        {"variant", nullptr},
        {"dtype", textOrNull(header.optimizerDtype)}};
    if (hasVariant)
        json["variant"] = header.optimizer.substr(space + 2, header.optimizer.size() - space - 3);
    return json;
}

ordered_json headerJson(const graph::Header& header)
{
    ordered_json kernels = ordered_json::object();
    for (const graph::KernelChoice& choice : header.kernels)
        kernels[choice.family][choice.kernel] = choice.times;
    ordered_json json{{"format", "plimsoll-graph"},
                      {"version", header.version},
                      {"exporter", header.exporter},
                      {"torch", header.torch},
                      {"execution", header.execution},
                      {"planner", textOrNull(header.planner)},
                      {"mode", header.mode},
                      {"micro_steps", header.microSteps},
                      {"model", header.model},
                      {"model_class", header.modelClass},
                      {"batch", header.batch},
                      {"target", header.target},
                      {"optimizer", optimizerJson(header)},
                      {"autocast", textOrNull(header.autocast)},
                      {"kernels", std::move(kernels)},
                      {"assumed", header.assumed}};
    if (!header.values.empty())
        json["values"] = header.values;
    return json;
}

ordered_json checksJson(const graph::Checks& checks)
{
    ordered_json phases = ordered_json::object();
    for (std::size_t i = 0; i < graph::kPhaseCount; ++i)
        phases[graph::phaseName(static_cast<graph::Phase>(i))] = checks.opsByPhase.at(i);
    ordered_json classes = ordered_json::object();
    for (std::size_t i = 0; i < graph::kStorageClassCount; ++i) {
        const auto storageClass = static_cast<StorageClass>(i);
        const base::Bytes bytes = checks.bytesByClass.at(i);
        if (bytes.count() > 0
            || storageClass != StorageClass::Scratch) // older readers don't know it
            classes[graph::className(storageClass)] = bytes.count();
    }
    return {{"ops", checks.ops},
            {"ops_by_phase", std::move(phases)},
            {"storages", checks.storages},
            {"tensors", checks.tensors},
            {"bytes_by_class", std::move(classes)},
            {"saved_bytes", checks.savedBytes.count()},
            {"peak_bytes", checks.peakBytes.count()},
            {"peak_op", checks.peakOp}};
}

/// The arguments of calls are kept as JSON texts.
ordered_json structureRow(const graph::Structure& structure)
{
    ordered_json args = ordered_json::array();
    ordered_json kwargs = ordered_json::array();
    for (const graph::Argument& argument : structure.arguments) {
        ordered_json value = ordered_json::parse(argument.value, nullptr, false);
        if (argument.name.empty())
            args.push_back(std::move(value));
        else
            kwargs.push_back({argument.name, std::move(value)});
    }
    return {std::move(args), std::move(kwargs), structure.modes};
}

ordered_json callRow(const graph::Call& call)
{
    return {call.module.index(), indexOrNone(call.parent),    call.first,
            call.last,           indices(call.inputs),        indices(call.outputs),
            call.source,         indexOrNone(call.arguments), indexOrNone(call.result)};
}

ordered_json storageRow(const graph::Storage& storage)
{
    return {storage.bytes.count(), static_cast<int>(storage.storageClass),
            storage.alloc,         momentOrNull(storage.free),
            storage.lastUse,       momentOrNull(storage.pythonFree),
            storage.names};
}

/// All columns but the call.
ordered_json opRow(const graph::Op& op)
{
    const int flags = (op.isView ? 1 : 0) | (op.isRandom ? 2 : 0) | (op.isCollective ? 4 : 0)
                      | (op.isAccumulation ? 8 : 0) | (op.inGradMode ? 16 : 0)
                      | (op.isRepetition ? 32 : 0);
    return {op.target,
            static_cast<int>(op.phase),
            indexOrNone(op.module),
            indexOrNone(op.call),
            op.source,
            indices(op.reads),
            indices(op.writes),
            indices(op.outputs),
            flags,
            op.sequence,
            op.node,
            indexOrNone(op.forwardOp),
            op.flops,
            op.bytesMoved.count(),
            op.measured ? ordered_json(op.measured->count()) : ordered_json(nullptr),
            indexOrNone(op.recomputeOf)};
}

ordered_json savedRow(const graph::Saved& row)
{
    return {row.tensor.index(),
            row.op.index(),
            row.afterKernel ? 1 : 0,
            row.sequence,
            row.unpack ? ordered_json(*row.unpack) : ordered_json(nullptr),
            row.unpack ? momentOrNull(row.dropped) : ordered_json(nullptr),
            momentOrNull(row.released)};
}

ordered_json geometriesJson(const graph::Vary& vary)
{
    ordered_json rows = ordered_json::array();
    for (const graph::Geometry& geometry : vary.geometries)
        rows.push_back({geometry.shape, geometry.strides, geometry.offset});
    return rows;
}

/// The laws of call arguments aren't kept.
ordered_json varyJson(const graph::Vary& vary)
{
    ordered_json axes = ordered_json::array();
    for (const graph::Axis& axis : vary.axes)
        axes.push_back({{"name", axis.name},
                        {"size", axis.size},
                        {"recorded", axis.recorded},
                        {"step", axis.step}});
    ordered_json polynomials = ordered_json::array();
    for (const graph::Polynomial& polynomial : vary.polynomials) {
        ordered_json row = ordered_json::array({polynomial.denominator});
        for (const std::int64_t coefficient : polynomial.coefficients)
            row.push_back(coefficient);
        polynomials.push_back(std::move(row));
    }
    ordered_json batch = ordered_json::array();
    for (const graph::BatchPiece& piece : vary.batch)
        batch.push_back(piece.law == graph::kNoLaw ? ordered_json(piece.text)
                                                   : ordered_json(piece.law));
    return {{"axes", std::move(axes)},
            {"terms", vary.terms},
            {"polynomials", std::move(polynomials)},
            {"storages", vary.storages},
            {"geometries", geometriesJson(vary)},
            {"tensors", vary.tensors},
            {"flops", vary.flops},
            {"bytes_moved", vary.bytesMoved},
            {"numbers", nullptr},
            {"args", nullptr},
            {"batch", std::move(batch)}};
}

/// Writes one object key by key.
class Writing
{
public:
    void value(std::string_view key, std::string_view json)
    {
        m_text += fmt::format("{}\n\"{}\":{}", m_text.empty() ? "{" : ",", key, json);
    }
    /// `row(index)` gives the JSON text of one row.
    template <typename Row>
    void table(std::string_view key, std::size_t count, Row row)
    {
        std::string rows = "[";
        for (std::size_t index = 0; index < count; ++index)
            rows += fmt::format("{}\n{}", index == 0 ? "" : ",", row(index));
        value(key, rows + "]");
    }
    [[nodiscard]] std::string end() &&
    {
        return base::escapeHidden(m_text + "\n}\n", base::Escapes::Json);
    }

private:
    std::string m_text;
};

void writeTables(const Program& program, Writing& writing)
{
    writing.table("modules", program.modules.size(), [&](std::size_t row) {
        const graph::Module& module = program.modules[row];
        const int flags = (module.hasHooks ? 1 : 0) | (module.isCalledDirectly ? 2 : 0);
        return text({indexOrNone(module.parent), module.path, module.className, flags});
    });
    writing.table("calls", program.calls.size(),
                  [&](std::size_t row) { return text(callRow(program.calls[row])); });
    writing.table("structures", program.structures.size(),
                  [&](std::size_t row) { return text(structureRow(program.structures[row])); });
    writing.table("storages", program.storages.size(),
                  [&](std::size_t row) { return text(storageRow(program.storages[row])); });
    writing.table("tensors", program.tensors.size(), [&](std::size_t row) {
        const graph::Tensor& tensor = program.tensors[row];
        return text(
            {tensor.storage.index(), tensor.shape, tensor.strides, tensor.offset, tensor.dtype});
    });
    writing.table("ops", program.ops.size(), [&](std::size_t row) {
        std::string columns = text(opRow(program.ops[row]));
        columns.pop_back(); // the bracket: the call is appended
        return fmt::format("{},{},{}]", columns, program.callTexts.of(graph::OpId{row}, 0),
                           program.callTexts.of(graph::OpId{row}, 1));
    });
    writing.table("saved", program.saved.size(),
                  [&](std::size_t row) { return text(savedRow(program.saved[row])); });
    writing.table("params", program.parameters.size(), [&](std::size_t row) {
        const graph::Parameter& parameter = program.parameters[row];
        return text({parameter.name, parameter.storage.index(), indexOrNone(parameter.gradient),
                     indices(parameter.states)});
    });
}

} // namespace

std::string graphText(const Program& program)
{
    Writing writing;
    const ordered_json header = headerJson(program.header);
    for (const auto& [key, value] : header.items())
        writing.value(key, text(value));
    for (const auto& [key, strings] :
         {std::pair{"targets", &program.targets}, std::pair{"sources", &program.sources},
          std::pair{"dtypes", &program.dtypes}, std::pair{"nodes", &program.nodes}})
        writing.value(key, text(*strings));
    writeTables(program, writing);
    if (program.vary)
        writing.value("vary", text(varyJson(*program.vary)));
    writing.value("checks", text(checksJson(program.checks)));
    return std::move(writing).end();
}

base::Result<std::string> rewrittenGraph(const plan::FrontierPoint& plan)
{
    ASSIGN_OR_RETURN(Program program,
                     plan::rewrite(plan->problem(), plan->plan(), *plan->evaluation().schedule));
    program.header.planner = plan.provenance->asked.planner;
    if (program.callTexts.ends.size() != 2 * program.ops.size())
        return base::failure(base::ErrorKind::Usage,
                             "A step can be written out only at the size at which it was traced: "
                             "the arguments of its ops are known there only.");
    return graphText(program);
}

} // namespace plimsoll::writers
