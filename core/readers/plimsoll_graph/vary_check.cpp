// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/readers/plimsoll_graph/vary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace plimsoll::readers::plimsoll_graph {

namespace {

using graph::Program;
using graph::Vary;
using Problem = std::optional<std::string>;

struct KnownAxis
{
    std::string_view name;
    std::int64_t degree;
};

constexpr std::array kKnownAxes{KnownAxis{"batch", 1}, KnownAxis{"sequence", 2}};
constexpr std::size_t kRecordedSizes = 3;

const KnownAxis* knownAxis(const std::string& name)
{
    const auto known = std::ranges::find(kKnownAxes, name, &KnownAxis::name);
    return known == kKnownAxes.end() ? nullptr : &*known;
}

Problem findAxisProblem(const graph::Axis& axis)
{
    if (knownAxis(axis.name) == nullptr)
        return fmt::format(R"(an axis is named "{}", neither "batch" nor "sequence")",
                           base::printable(axis.name, 40));
    if (axis.recorded.size() != kRecordedSizes || !std::ranges::is_sorted(axis.recorded)
        || std::ranges::adjacent_find(axis.recorded) != axis.recorded.end())
        return fmt::format("the recorded sizes of the {} are not three rising ones", axis.name);
    if (std::ranges::find(axis.recorded, axis.size) == axis.recorded.end())
        return fmt::format("the {} of {} is not one of those recorded", axis.name, axis.size);
    for (const std::int64_t size : axis.recorded)
        if (!axis.has(size))
            return fmt::format("the {} of {} is not reached in steps of {}", axis.name, size,
                               axis.step);
    return std::nullopt;
}

Problem findTermProblem(const Vary& vary)
{
    for (std::size_t row = 0; row < vary.terms.size(); ++row) {
        const std::vector<std::int64_t>& term = vary.terms[row];
        if (term.size() != vary.axes.size())
            return fmt::format("term {} has {} for {}", row, base::counted(term.size(), "exponent"),
                               base::counted(vary.axes.size(), "axis", "axes"));
        for (std::size_t axis = 0; axis < term.size(); ++axis)
            if (term[axis] > knownAxis(vary.axes[axis].name)->degree)
                return fmt::format("term {} has the {} to the power of {}", row,
                                   vary.axes[axis].name, term[axis]);
        if (std::ranges::find(vary.terms, term)
            != vary.terms.begin() + static_cast<std::ptrdiff_t>(row))
            return fmt::format("term {} appears twice", row);
    }
    for (std::size_t row = 0; row < vary.polynomials.size(); ++row)
        if (vary.polynomials[row].coefficients.size() != vary.terms.size())
            return fmt::format(
                "polynomial {} has {} for {}", row,
                base::counted(vary.polynomials[row].coefficients.size(), "coefficient"),
                base::counted(vary.terms.size(), "term"));
    return std::nullopt;
}

Problem findAxesProblem(const Vary& vary)
{
    if (vary.axes.empty() || vary.axes.size() > kKnownAxes.size())
        return fmt::format("it has {} axes", vary.axes.size());
    for (const graph::Axis& axis : vary.axes)
        if (Problem found = findAxisProblem(axis))
            return found;
    if (vary.axes.size() > 1 && vary.axes[0].name == vary.axes[1].name)
        return fmt::format("two axes are named {}", vary.axes[0].name);
    return findTermProblem(vary);
}

/// Checks for an index out of range, or a list whose length differs from its table's.
Problem findListProblem(const char* name, const std::vector<std::int32_t>& rows,
                        std::size_t expected, std::size_t targets)
{
    if (rows.size() != expected)
        return fmt::format("`{}` has {}, but the table has {}", name,
                           base::counted(rows.size(), "entry", "entries"),
                           base::counted(expected, "row"));
    const auto highest = std::ranges::max_element(rows);
    if (highest != rows.end() && *highest >= 0 && static_cast<std::size_t>(*highest) >= targets)
        return fmt::format("`{}` names row {}, but there are {} of those", name, *highest, targets);
    return std::nullopt;
}

Problem findIndexProblem(const Draft& draft)
{
    const Program& program = draft.program;
    const Vary& vary = *program.vary;
    const std::size_t laws = vary.polynomials.size();
    const std::size_t ops = program.ops.size();
    const CallNumbers& numbers = draft.callNumbers;
    const bool areKnown = numbers.unknown == 0;
    if (!areKnown && (numbers.unknown < 2 || !program.isRewritten()))
        return "`numbers` and `args` are null together, and in a plan written out only";
    for (Problem found :
         {findListProblem("storages", vary.storages, program.storages.size(), laws),
          findListProblem("tensors", vary.tensors, program.tensors.size(), vary.geometries.size()),
          findListProblem("flops", vary.flops, ops, laws),
          findListProblem("bytes_moved", vary.bytesMoved, ops, laws),
          findListProblem("args", numbers.ofOps, areKnown ? ops : 0, numbers.rows),
          findListProblem("numbers", {static_cast<std::int32_t>(numbers.highestLaw)}, 1, laws)})
        if (found)
            return found;
    for (const graph::Geometry& geometry : vary.geometries)
        for (const auto* rows : {&geometry.shape, &geometry.strides})
            if (Problem found = findListProblem("geometries", *rows, rows->size(), laws))
                return found;
    for (const graph::Geometry& geometry : vary.geometries)
        if (Problem found = findListProblem("geometries", {geometry.offset}, 1, laws))
            return found;
    for (const graph::BatchPiece& piece : vary.batch)
        if (Problem found = findListProblem("batch", {piece.law}, 1, laws))
            return found;
    return std::nullopt;
}

/// Compares the laws' values at the file's own sizes with the file's numbers.
class Comparison
{
public:
    explicit Comparison(const Vary& vary) : m_laws{vary, vary.sizes()} {}

    void number(graph::Law law, std::int64_t number, const char* what, const char* table,
                std::size_t row)
    {
        if (m_problem || law == graph::kNoLaw)
            return;
        const std::optional<std::int64_t> value = m_laws(law);
        if (value != number)
            m_problem =
                fmt::format("{} of {} {} is {}, but its law gives {}", what, table, row, number,
                            value ? fmt::format("{}", *value) : "no whole number below 2^62");
    }
    void tensor(const graph::Tensor& tensor, const graph::Geometry& geometry, std::size_t row)
    {
        if (geometry.shape.size() != tensor.shape.size()
            || geometry.strides.size() != tensor.strides.size()) {
            m_problem =
                fmt::format("tensor {} has {}, but its laws give {} and {}", row,
                            base::counted(tensor.shape.size(), "size"), geometry.shape.size(),
                            base::counted(geometry.strides.size(), "stride"));
            return;
        }
        for (std::size_t dim = 0; dim < tensor.shape.size(); ++dim) {
            number(geometry.shape[dim], tensor.shape[dim], "a size", "tensor", row);
            number(geometry.strides[dim], tensor.strides[dim], "a stride", "tensor", row);
        }
        number(geometry.offset, tensor.offset, "the offset", "tensor", row);
    }
    [[nodiscard]] std::string text(const graph::BatchPiece& piece) const
    {
        if (piece.law == graph::kNoLaw)
            return piece.text;
        const std::optional<std::int64_t> value = m_laws(piece.law);
        return value ? fmt::format("{}", *value) : "?";
    }
    [[nodiscard]] const Problem& found() const { return m_problem; }

private:
    graph::LawsAt m_laws;
    Problem m_problem;
};

Problem findValueProblem(const Program& program)
{
    const Vary& vary = *program.vary;
    Comparison compare{vary};
    for (std::size_t row = 0; row < program.storages.size(); ++row)
        compare.number(vary.storages[row], program.storages[row].bytes.count(), "the size",
                       "storage", row);
    for (std::size_t row = 0; row < program.tensors.size() && !compare.found(); ++row)
        if (vary.tensors[row] >= 0)
            compare.tensor(program.tensors[row],
                           vary.geometries[static_cast<std::size_t>(vary.tensors[row])], row);
    for (std::size_t row = 0; row < program.ops.size(); ++row) {
        compare.number(vary.flops[row], program.ops[row].flops, "flops", "op", row);
        compare.number(vary.bytesMoved[row], program.ops[row].bytesMoved.count(), "bytes_moved",
                       "op", row);
    }
    if (compare.found())
        return compare.found();
    std::string batch;
    for (const graph::BatchPiece& piece : vary.batch)
        batch += compare.text(piece);
    if (batch != program.header.batch)
        return fmt::format(R"(`batch` gives "{}", but the header has "{}")",
                           base::printable(batch, 60), base::printable(program.header.batch, 60));
    return std::nullopt;
}

} // namespace

std::optional<std::string> findVaryProblem(const Draft& draft)
{
    if (!draft.program.vary)
        return std::nullopt;
    if (Problem found = findAxesProblem(*draft.program.vary))
        return found;
    if (Problem found = findIndexProblem(draft))
        return found;
    return findValueProblem(draft.program);
}

} // namespace plimsoll::readers::plimsoll_graph
