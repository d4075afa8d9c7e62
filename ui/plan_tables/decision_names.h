// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/module_places.h"
#include "ui/plan_tables/plan_rows.h"

#include <QString>

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace plimsoll::ui {

/// What decisions at the same place of repeated blocks have in common.
struct PlanGroupKey
{
    std::int32_t family = -1; ///< -1: the decision stands alone
    std::int32_t firstKind = -1;
    std::int32_t lastKind = -1;
    std::uint32_t firstTarget = 0; ///< of ops
    std::uint32_t lastTarget = 0;
    std::int64_t blocks = 0; ///< from the first block to the last, where that matters
    bool isRepeated = true;

    [[nodiscard]] bool isInBlock() const { return family >= 0; }
    auto operator<=>(const PlanGroupKey&) const = default;
};

/// The names of a program's modules and ops, and what decisions about them are called. Module names
/// come without the prefix that all have in common.
class DecisionNames
{
public:
    explicit DecisionNames(graph::ProgramPtr program);

    [[nodiscard]] const graph::ProgramPtr& program() const { return m_program; }
    [[nodiscard]] PlanGroupKey groupKey(const PlanRow& row) const;
    /// "h.3.mlp.act … mlp.c_proj", "h.3.mlp.act · tanh".
    [[nodiscard]] QString rowText(const PlanRow& row) const;
    /// The same with whole paths.
    [[nodiscard]] QString fullText(const PlanRow& row) const;
    /// "h.0–h.11 · mlp.c_proj", of at least two rows with one key.
    [[nodiscard]] QString groupText(const std::vector<const PlanRow*>& rows) const;
    /// "mlp.c_proj", the part of groupText() without the blocks; empty for whole blocks.
    [[nodiscard]] QString insideText(const PlanRow& row) const;
    /// Letters at the beginning of rowText() that name the block; 0: none.
    [[nodiscard]] int blockLength(const PlanRow& row) const;
    /// "mlp.act · tanh", inside the block of the row.
    [[nodiscard]] QString valueText(const PlanRow& row, graph::OpId op) const;
    /// Whether the rows of a group are about every block of their family.
    [[nodiscard]] bool coverAllBlocks(const std::vector<const PlanRow*>& rows) const;
    /// A glob that begins with the path of a module, for all blocks of its family:
    /// "transformer.h.*.mlp"; outside of blocks the same glob.
    [[nodiscard]] QString globForAllBlocks(const QString& glob) const;

private:
    [[nodiscard]] const graph::ModulePlace& placeOf(const PlanEnd& end) const;
    [[nodiscard]] std::set<std::int64_t> blocksOf(const std::vector<const PlanRow*>& rows) const;
    [[nodiscard]] QString endText(const PlanEnd& end, std::string_view path) const;
    [[nodiscard]] QString spanText(const PlanRow& row, std::string_view first,
                                   std::string_view last) const;

    graph::ProgramPtr m_program;
    std::vector<graph::ModulePlace> m_places;                  ///< by module
    std::map<std::int32_t, std::set<std::int64_t>> m_families; ///< their blocks' numbers
    graph::ModulePlace m_nowhere;
};

} // namespace plimsoll::ui
