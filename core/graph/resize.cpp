// SPDX-License-Identifier: Apache-2.0
#include "core/graph/resize.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/graph/sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace plimsoll::graph {

namespace {

using base::ErrorKind;
using base::failure;
using base::Result;

std::string axisText(const Axis& axis)
{
    return fmt::format("{} {}{}", axis.name, fmt::join(axis.recorded, ", "),
                       axis.step == 1 ? "" : fmt::format(" in steps of {}", axis.step));
}

/// "batch 16, sequence 2048"
std::string sizesText(const std::vector<Axis>& axes)
{
    std::vector<std::string> parts;
    for (const Axis& axis : axes)
        parts.push_back(fmt::format("{} {}", axis.name, axis.size));
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// The axis, if it supports the size.
Result<std::size_t> findAxis(const std::vector<Axis>& axes, const AxisSize& wanted)
{
    const auto axis = std::ranges::find(axes, wanted.axis, &Axis::name);
    if (axis == axes.end()) {
        std::vector<std::string> names;
        for (const Axis& known : axes)
            names.push_back(known.name);
        return failure(ErrorKind::Usage,
                       fmt::format("This graph has no axis \"{}\" that varies, only {}.",
                                   base::printable(wanted.axis, 40), fmt::join(names, " and ")));
    }
    const std::int64_t lowest = axis->recorded.front();
    if (wanted.size < lowest)
        return failure(ErrorKind::Usage,
                       fmt::format("{} {} is below {}, the smallest that was recorded: choose a "
                                   "larger one, or trace the model at that size.",
                                   axis->name, wanted.size, lowest));
    if (!axis->has(wanted.size))
        return failure(
            ErrorKind::Usage,
            fmt::format("The model can't be resized to {} {}: the model's sizes are known "
                        "for {} plus multiples of {} only, because it rounds others; the next "
                        "is {}.",
                        axis->name, wanted.size, lowest, axis->step,
                        wanted.size - (wanted.size - lowest) % axis->step + axis->step));
    return static_cast<std::size_t>(axis - axes.begin());
}

Result<void> checkVaries(const Program& program)
{
    if (program.vary)
        return {};
    return failure(ErrorKind::Usage, "This graph was traced at one size only: trace the model with "
                                     "vary={\"batch\": [...]} to use others.");
}

/// Replaces numbers by the values of their laws; remembers the first law without a value.
class Setter
{
public:
    Setter(const Vary& vary, const std::vector<std::int64_t>& sizes) : m_laws{vary, sizes} {}

    std::int64_t operator()(Law law, std::int64_t number)
    {
        if (law == kNoLaw)
            return number;
        const std::optional<std::int64_t> value = m_laws(law);
        m_ok = m_ok && value.has_value();
        return value.value_or(number);
    }
    [[nodiscard]] bool ok() const { return m_ok; }

private:
    LawsAt m_laws;
    bool m_ok = true;
};

void setTensors(Program& program, const Vary& vary, Setter& set)
{
    for (std::size_t row = 0; row < program.tensors.size(); ++row) {
        if (vary.tensors[row] < 0)
            continue;
        const Geometry& geometry = vary.geometries[static_cast<std::size_t>(vary.tensors[row])];
        Tensor& tensor = program.tensors[row];
        for (std::size_t dim = 0; dim < tensor.shape.size(); ++dim) {
            tensor.shape[dim] = set(geometry.shape[dim], tensor.shape[dim]);
            tensor.strides[dim] = set(geometry.strides[dim], tensor.strides[dim]);
        }
        tensor.offset = set(geometry.offset, tensor.offset);
    }
}

/// Returns false if cancelled.
bool setNumbers(Program& program, const Vary& vary, Setter& set, const base::JobContext& job)
{
    if (job.stopRequested()) // while the tables were copied
        return false;
    for (std::size_t row = 0; row < program.storages.size(); ++row) {
        base::Bytes& bytes = program.storages[row].bytes;
        bytes = base::Bytes{set(vary.storages[row], bytes.count())};
    }
    setTensors(program, vary, set);
    if (job.stopRequested())
        return false;
    for (std::size_t row = 0; row < program.ops.size(); ++row) {
        Op& op = program.ops[row];
        op.flops = set(vary.flops[row], op.flops);
        op.bytesMoved = base::Bytes{set(vary.bytesMoved[row], op.bytesMoved.count())};
    }
    program.header.batch.clear();
    for (const BatchPiece& piece : vary.batch)
        program.header.batch +=
            piece.law == kNoLaw ? piece.text : fmt::format("{}", set(piece.law, 0));
    return !job.stopRequested();
}

void leaveOutScratch(Program& program, const std::string& there)
{
    bool hadAny = false;
    for (Storage& storage : program.storages)
        if (storage.isScratch())
            hadAny = std::exchange(storage.bytes, base::Bytes{}).count() > 0 || hadAny;
    if (hadAny)
        program.header.assumed.push_back(fmt::format(
            "scratch memory of kernels is known at {}: at this size it is left out", there));
}

void leaveOutTimes(Program& program, const std::string& there)
{
    bool measured = false;
    for (Op& op : program.ops)
        measured = std::exchange(op.measured, std::nullopt).has_value() || measured;
    if (measured)
        program.header.assumed.push_back(fmt::format(
            "times were measured at {}: at this size they follow from flops and bytes", there));
}

void noteExtrapolation(Program& program)
{
    for (const Axis& axis : program.vary->axes)
        if (axis.size > axis.recorded.back())
            program.header.assumed.push_back(
                fmt::format("{} {} is extrapolated: the step was recorded up to {} {}", axis.name,
                            axis.size, axis.name, axis.recorded.back()));
}

} // namespace

std::string axesText(const Program& program)
{
    std::vector<std::string> parts;
    for (const Axis& axis : program.vary->axes)
        parts.push_back(axisText(axis));
    return fmt::format("{}", fmt::join(parts, "; "));
}

Result<void> checkSize(const Program& program, const AxisSize& wanted)
{
    RETURN_IF_ERROR(checkVaries(program));
    return findAxis(program.vary->axes, wanted).map([](std::size_t /*row*/) {});
}

Result<ProgramPtr> resized(const ProgramPtr& program, const std::vector<AxisSize>& sizes,
                           const base::JobContext& job)
{
    if (sizes.empty())
        return program;
    RETURN_IF_ERROR(checkVaries(*program));
    std::vector<Axis> axes = program->vary->axes;
    for (const AxisSize& wanted : sizes) {
        ASSIGN_OR_RETURN(const std::size_t axis, findAxis(axes, wanted));
        axes[axis].size = wanted.size;
    }
    const std::vector<std::int64_t> before = program->vary->sizes();
    auto other = std::make_shared<Program>(*program);
    other->vary->axes = std::move(axes);
    if (other->vary->sizes() == before)
        return program;
    Setter set{*other->vary, other->vary->sizes()};
    if (!setNumbers(*other, *other->vary, set, job))
        return base::cancelled();
    const std::string there = sizesText(other->vary->axes);
    if (!set.ok())
        return failure(ErrorKind::Usage,
                       fmt::format("At {} a size of the step is beyond 2^62, negative or not a "
                                   "whole number: choose a size closer to those recorded ({}).",
                                   there, axesText(*program)));
    static constexpr std::array kRows{"storage", "tensor", "op"};
    if (const auto fault = findSizeFault(*other))
        return failure(ErrorKind::Usage,
                       fmt::format("At {} {} {} {}: choose a size closer to those recorded ({}).",
                                   there, kRows.at(static_cast<std::size_t>(fault->table)),
                                   fault->row, fault->problem, axesText(*program)));
    if (job.stopRequested())
        return base::cancelled();
    other->callTexts = {}; // a program doesn't hold the laws of their numbers
    leaveOutTimes(*other, sizesText(program->vary->axes));
    leaveOutScratch(*other, sizesText(program->vary->axes));
    noteExtrapolation(*other);
    other->checks = recount(*other);
    return other;
}

} // namespace plimsoll::graph
