// SPDX-License-Identifier: Apache-2.0
#include "ui/waterfall_page/block_model.h"

#include "core/memtrace/frames.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/tables/cell_roles.h"
#include "ui/waterfall_page/waterfall_texts.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kBlockColumns{TableColumn{"Bytes", true}, TableColumn{"Side"},
                                   TableColumn{"Made by"}};

/// The op that makes a predicted value, or the name of what is there before the step.
QString makerText(const waterfall::Waterfall& of, std::uint32_t instance)
{
    const plan::Instance& predicted = of.predicted.evaluation->schedule->instances[instance];
    if (predicted.alloc >= 0)
        return opText(of, static_cast<std::size_t>(predicted.alloc));
    const graph::Storage& storage = of.predicted.problem.step()->storage(predicted.storage);
    return storage.names.empty() ? QString::fromUtf8(graph::className(storage.storageClass))
                                 : fileText(storage.names.front());
}

} // namespace

BlockModel::BlockModel(QObject* parent) : RowsModel{kBlockColumns, parent} {}

void BlockModel::setRow(const waterfall::Waterfall& waterfall,
                        const workspace::ComparedProfile& profile,
                        const waterfall::WaterfallRow& row)
{
    std::vector<BlockRow> rows;
    const memtrace::Allocations& all = profile.compared().device().allocations();
    for (const std::uint32_t allocation : row.allocations) {
        const std::uint32_t instance = waterfall.match.instanceOf[allocation];
        rows.push_back(
            {base::Bytes{all.bytes[allocation]}, tr("measured"),
             instance != memtrace::kNone
                 ? makerText(waterfall, instance)
                 : fileText(memtrace::topFrameText(profile.trace->stacks(),
                                                   memtrace::StackId{all.stack[allocation]}))});
    }
    for (const std::uint32_t instance : row.instances)
        rows.push_back({base::Bytes{} - waterfall::instanceBytes(waterfall.predicted, instance),
                        tr("predicted"), makerText(waterfall, instance)});
    std::ranges::stable_sort(rows, [](const BlockRow& a, const BlockRow& b) {
        return std::abs(a.bytes.count()) > std::abs(b.bytes.count());
    });
    resetRows(std::move(rows));
}

QString BlockModel::text(int row, int column) const
{
    const BlockRow& of = rowAt(row);
    switch (column) {
    case BytesColumn: return bytesDifferenceText(of.bytes);
    case SideColumn: return of.side;
    default: return of.what;
    }
}

QVariant BlockModel::cell(int row, int column, int role) const
{
    const BlockRow& of = rowAt(row);
    if (role == Qt::ToolTipRole && column == WhatColumn)
        return plainTip(of.what);
    return role == ExactRole && column == BytesColumn ? QVariant::fromValue(of.bytes.count())
                                                      : QVariant{};
}

} // namespace plimsoll::ui
