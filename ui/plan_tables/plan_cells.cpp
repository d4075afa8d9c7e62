// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/plan_cells.h"

#include "core/plan/pins.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/plan_names.h"
#include "ui/models/program_texts.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

using Kind = PlanSpot::Kind;

constexpr std::size_t kListed = 12; ///< lines of a tool tip

QString cellText(const char* text)
{
    return QCoreApplication::translate("PlanCells", text);
}

/// "1 tensor", "3 tensors".
QString counted(int count, const char* one, const char* more)
{
    return QString::number(count) + u' ' + cellText(count == 1 ? one : more);
}

/// "· 12 regions": how many decisions a group has.
QString countText(const PlanTree& tree, const PlanGroup& group)
{
    const auto count = static_cast<int>(group.rows.size());
    return QStringLiteral(" · ")
           + (tree.plan()->plan().isCompiledStep() ? cellText("before %1 ops").arg(count)
                                                   : cellText("%1 regions").arg(count));
}

QString nameText(const PlanTree& tree, const PlanSpot& spot)
{
    const PlanRow& row = tree.rowAt(spot);
    switch (spot.kind) {
    case Kind::Group:
        return tree.names()->groupText(tree.rowsOf(spot)) + countText(tree, tree.groupAt(spot));
    case Kind::Decision: return tree.names()->rowText(row);
    case Kind::Value: return tree.names()->valueText(row, tree.valueAt(spot).op);
    }
    return {};
}

QString figuresText(const PlanFigures& figures, bool isRepeated)
{
    const QString moved = counted(figures.moved, "op moved", "ops moved");
    if (!isRepeated)
        return moved;
    QString text =
        figures.kept > 0
            ? cellText("%1 of %2 tensors").arg(figures.tensors).arg(figures.tensors + figures.kept)
            : counted(figures.tensors, "tensor", "tensors");
    if (figures.nested > 0)
        text += cellText(", %1 nested").arg(figures.nested);
    if (figures.moved > 0)
        text += QStringLiteral(", ") + moved;
    return text;
}

/// "8×1024×3072 float32", of a value's tensor.
QString formText(const graph::Program& program, const PlanValue& value)
{
    if (!value.storage || value.bytes.count() == 0)
        return cellText(value.isMoved ? "op moved" : "in place");
    const std::vector<graph::TensorId>& outputs = program.op(value.op).outputs;
    const auto made = std::ranges::find(
        outputs, *value.storage, [&](graph::TensorId id) { return program.tensor(id).storage; });
    if (made == outputs.end())
        return ui::bytesText(value.bytes);
    const graph::Tensor& tensor = program.tensor(*made);
    QStringList sides;
    for (const std::int64_t side : tensor.shape)
        sides << QString::number(side);
    const QString dtype = fileText(program.dtypes[tensor.dtype]);
    return sides.isEmpty() ? dtype : sides.join(u'×') + u' ' + dtype;
}

QString decisionText(const PlanTree& tree, const PlanSpot& spot)
{
    const bool isMove =
        spot.kind == Kind::Value ? tree.valueAt(spot).isMoved : !tree.rowAt(spot).isRepeated;
    if (isMove)
        return cellText("move");
    return spot.kind == Kind::Value ? QString{} : cellText("recompute");
}

QString tensorText(const PlanTree& tree, const PlanSpot& spot)
{
    return spot.kind == Kind::Value
               ? formText(tree.program(), tree.valueAt(spot))
               : figuresText(tree.figuresOf(spot), tree.rowAt(spot).isRepeated);
}

/// Whole paths, of a group one line for each of its decisions.
QString nameTip(const PlanTree& tree, const PlanSpot& spot)
{
    if (spot.kind == Kind::Value)
        return fileText(tree.program().label(tree.program().op(tree.valueAt(spot).op)));
    const std::vector<const PlanRow*> rows = tree.rowsOf(spot);
    QStringList lines;
    for (std::size_t i = 0; i < rows.size() && i < kListed; ++i)
        lines << tree.names()->fullText(*rows[i]);
    if (rows.size() > kListed)
        lines << cellText("and %1 more").arg(rows.size() - kListed);
    return lines.join(u'\n');
}

QString savedTip(const PlanTree& tree, const PlanSpot& spot)
{
    const QString saved = exactBytesText(savedAt(tree, spot));
    if (spot.kind != Kind::Value || tree.valueAt(spot).saved == tree.valueAt(spot).bytes)
        return saved;
    return cellText("Takes %1 when it is recomputed, and saves %2: the unplanned step doesn't keep "
                    "it for backward, or another row saves it.")
        .arg(ui::bytesText(tree.valueAt(spot).bytes), ui::bytesText(savedAt(tree, spot)));
}

/// The results that a region keeps although it is recomputed.
QString keptTip(const PlanTree& tree, const PlanSpot& spot)
{
    const graph::Program& program = tree.program();
    const std::vector<plan::Region>& regions = tree.plan()->plan().regions();
    const std::vector<graph::OpId> kept = keptBy(regions[static_cast<std::size_t>(spot.number)]);
    QStringList lines{
        cellText("Recomputed: %1. These results are kept:").arg(tensorText(tree, spot))};
    for (std::size_t i = 0; i < kept.size() && i < kListed; ++i) {
        const QString path = fileText(program.modulePath(program.op(kept[i])));
        lines << opTitle(program, kept[i]) + (path.isEmpty() ? path : QStringLiteral(", ") + path);
    }
    if (kept.size() > kListed)
        lines << cellText("and %1 more").arg(kept.size() - kListed);
    return lines.join(u'\n');
}

/// Milliseconds that each saved GiB costs; none where nothing is saved.
QString rateText(const PlanTree& tree, const PlanSpot& spot)
{
    const auto rate = static_cast<double>(costAt(tree, spot).count()) / 1e6
                      / (static_cast<double>(savedAt(tree, spot).count()) / (1 << 30));
    return std::isfinite(rate) ? QString::number(rate, 'f', rate < 10 ? 2 : 1) : unknownText();
}

/// "12–18", "12, before 97", "14": indices into Program::ops; none for a group.
QString opsText(const PlanTree& tree, const PlanSpot& spot)
{
    if (spot.kind == Kind::Group)
        return {};
    if (spot.kind == Kind::Value)
        return QString::number(tree.valueAt(spot).op.index());
    const PlanRow& row = tree.rowAt(spot);
    const auto [first, last] = row.stretch;
    return (row.isRegion ? cellText("%1–%2") : cellText("%1, before %2")).arg(first).arg(last);
}

/// The op that is the last to need a value: "convolution_backward, op 201".
QString lastUseText(const PlanTree& tree, const PlanSpot& spot)
{
    if (spot.kind != Kind::Value || !tree.valueAt(spot).storage)
        return {};
    const graph::OpIndex op = tree.program().storage(*tree.valueAt(spot).storage).lastUse;
    return op < 0 ? QString{}
                  : cellText("%1, op %2").arg(opTitle(tree.program(), graph::opAt(op))).arg(op);
}

/// The pins that have a value of the row: those to recompute it, as a plan keeps what is pinned so.
QString pinsText(const PlanTree& tree, const PlanSpot& spot)
{
    const auto has = [&](const plan::Pin& pin, int decision) {
        return std::ranges::any_of(tree.valuesOf(decision), [&](const PlanValue& value) {
            return value.storage && std::ranges::binary_search(pin.storages, *value.storage);
        });
    };
    QStringList texts;
    for (const plan::Pin& pin : tree.plan()->problem().pins) {
        bool isOf = false;
        if (spot.kind == Kind::Value) {
            const auto& storage = tree.valueAt(spot).storage;
            isOf = storage && std::ranges::binary_search(pin.storages, *storage);
        } else if (spot.kind == Kind::Decision) {
            isOf = has(pin, spot.number);
        } else {
            isOf = std::ranges::any_of(tree.groupAt(spot).rows,
                                       [&](int decision) { return has(pin, decision); });
        }
        if (isOf)
            texts << fileText(plan::pinText(pin));
    }
    return texts.join(QStringLiteral(", "));
}

} // namespace

QString planCellText(const PlanTree& tree, const PlanSpot& spot, PlanColumn column)
{
    switch (column) {
    case PlanColumn::ModuleColumn: return nameText(tree, spot);
    case PlanColumn::SavedColumn: return ui::bytesText(savedAt(tree, spot));
    case PlanColumn::CostColumn: return ui::timeText(costAt(tree, spot));
    case PlanColumn::DecisionColumn: return decisionText(tree, spot);
    case PlanColumn::TensorColumn: return tensorText(tree, spot);
    case PlanColumn::SourceColumn: {
        const QString source = sourceAt(tree, spot);
        return fileText(source.mid(source.lastIndexOf(u'/') + 1));
    }
    case PlanColumn::RateColumn: return rateText(tree, spot);
    case PlanColumn::OpColumn: return opsText(tree, spot);
    case PlanColumn::LastUseColumn: return lastUseText(tree, spot);
    case PlanColumn::PinColumn: return pinsText(tree, spot);
    }
    return {};
}

QString planCellTip(const PlanTree& tree, const PlanSpot& spot, PlanColumn column)
{
    switch (column) {
    case PlanColumn::ModuleColumn: return nameTip(tree, spot);
    case PlanColumn::SavedColumn: return savedTip(tree, spot);
    case PlanColumn::SourceColumn: return fileText(sourceAt(tree, spot));
    case PlanColumn::DecisionColumn:
        if (spot.kind != Kind::Value && tree.figuresOf(spot).moved > 0)
            return cellText("Ops that run ahead of their place in the recorded order: %1.")
                .arg(tree.figuresOf(spot).moved);
        break;
    case PlanColumn::TensorColumn:
        if (spot.kind == Kind::Decision && tree.figuresOf(spot).kept > 0)
            return keptTip(tree, spot);
        break;
    default: break;
    }
    return planCellText(tree, spot, column);
}

base::Bytes savedAt(const PlanTree& tree, const PlanSpot& spot)
{
    return spot.kind == Kind::Value ? tree.valueAt(spot).saved : tree.figuresOf(spot).saved;
}

base::Nanoseconds costAt(const PlanTree& tree, const PlanSpot& spot)
{
    return spot.kind == Kind::Value ? tree.valueAt(spot).cost : tree.figuresOf(spot).cost;
}

QString sourceAt(const PlanTree& tree, const PlanSpot& spot)
{
    const graph::Program& program = tree.program();
    const std::vector<const PlanRow*> rows = tree.rowsOf(spot);
    const std::int32_t source =
        spot.kind == Kind::Value ? program.op(tree.valueAt(spot).op).source : rows.front()->source;
    const bool isOne = std::ranges::all_of(
        rows, [&](const PlanRow* row) { return row->source == rows.front()->source; });
    return source >= 0 && isOne
               ? QString::fromStdString(program.sources[static_cast<std::size_t>(source)])
               : QString{};
}

PlanNameParts namePartsAt(const PlanTree& tree, const PlanSpot& spot)
{
    switch (spot.kind) {
    case Kind::Decision: return {.block = tree.names()->blockLength(tree.rowAt(spot))};
    case Kind::Group: {
        const auto inside = tree.names()->insideText(tree.rowAt(spot)).size();
        const auto count = countText(tree, tree.groupAt(spot)).size();
        return {static_cast<int>(nameText(tree, spot).size() - inside - count),
                static_cast<int>(count)};
    }
    case Kind::Value: return {};
    }
    return {};
}

} // namespace plimsoll::ui
