// SPDX-License-Identifier: Apache-2.0
#include "ui/fits_page/device_fit_model.h"

#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/program_texts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kFitColumns{TableColumn{"GPU"},
                                 TableColumn{"Memory", true},
                                 TableColumn{"Fits"},
                                 TableColumn{"Slow-down", true},
                                 TableColumn{"Step time", true},
                                 TableColumn{"Least budget", true}};

using workspace::FitStatus;

bool flushesCache(const DeviceFitRow& row)
{
    return row.run == run::RunStatus::RunsWithFlushes;
}

QString statusText(const DeviceFitRow& row)
{
    if (!row.status)
        return DeviceFitModel::tr("Not known yet");
    switch (*row.status) {
    case FitStatus::Unplanned:
        return flushesCache(row) ? DeviceFitModel::tr("Fits without a plan, empties cache")
                                 : DeviceFitModel::tr("Fits without a plan");
    case FitStatus::Planned:
        return flushesCache(row) ? DeviceFitModel::tr("Fits with a plan, empties cache")
                                 : DeviceFitModel::tr("Fits with a plan");
    case FitStatus::Fails: return DeviceFitModel::tr("Fails by fragmentation");
    case FitStatus::NoPlan: break;
    }
    return DeviceFitModel::tr("No plan fits");
}

QIcon statusIcon(const DeviceFitRow& row)
{
    if (!row.status)
        return icon(QStringLiteral("clock"), Role::Muted, Role::Muted);
    if (!row.stepTime)
        return icon(QStringLiteral("error"), Role::Danger, Role::Danger);
    if (flushesCache(row))
        return icon(QStringLiteral("warn"), Role::Warn, Role::Warn);
    return icon(row.status == FitStatus::Planned ? QStringLiteral("recompute")
                                                 : QStringLiteral("verified"),
                Role::Ok, Role::Ok);
}

QString leastText(const DeviceFitRow& row)
{
    if (row.leastBudget)
        return bytesText(*row.leastBudget, Rounding::Up);
    return row.isOver ? DeviceFitModel::tr("none") : unknownText();
}

QString fitTip(const DeviceFitRow& row)
{
    if (!row.stepTime || row.maker.isEmpty())
        return statusText(row);
    return DeviceFitModel::tr("%1. Peak %2, plan made by %3.")
        .arg(statusText(row), bytesText(*row.peak, Rounding::Up), row.maker);
}

} // namespace

DeviceFitRow deviceFitRow(const workspace::DeviceFit& fit)
{
    DeviceFitRow row{.device = fit.device,
                     .status = fit.status,
                     .run = fit.run,
                     .leastBudget = fit.leastBudget,
                     .isOver = fit.isOver};
    if (fit.status != FitStatus::Unplanned && fit.status != FitStatus::Planned)
        return row;
    const plan::Evaluation& plan = fit.plan->evaluation();
    row.slowDown = slowDown(plan.stepTime, fit.unplanned->evaluation().stepTime);
    row.stepTime = plan.stepTime;
    row.peak = plan.peak;
    if (fit.status == FitStatus::Planned)
        row.maker = QString::fromStdString(solve::makerCall(*fit.plan.provenance));
    return row;
}

DeviceFitModel::DeviceFitModel(QObject* parent) : RowsModel{kFitColumns, parent} {}

void DeviceFitModel::setDevices(const std::vector<plan::Device>& devices, bool isNew)
{
    std::vector<DeviceFitRow> rows;
    for (const plan::Device& device : devices) {
        const auto shown = std::ranges::find(m_rows, device, &DeviceFitRow::device);
        rows.push_back(isNew || shown == m_rows.end() ? DeviceFitRow{.device = device} : *shown);
    }
    std::ranges::stable_sort(rows, {}, [](const DeviceFitRow& row) { return row.device.memory; });
    if (rows == m_rows)
        return;
    if (!std::ranges::equal(rows, m_rows, {}, &DeviceFitRow::device, &DeviceFitRow::device)) {
        resetRows(std::move(rows));
        return;
    }
    m_rows = std::move(rows);
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void DeviceFitModel::setFit(const workspace::DeviceFit& fit)
{
    const auto row = std::ranges::find(m_rows, fit.device, &DeviceFitRow::device);
    DeviceFitRow now = deviceFitRow(fit);
    if (row == m_rows.end() || *row == now)
        return;
    *row = std::move(now);
    const int at = static_cast<int>(row - m_rows.begin());
    Q_EMIT dataChanged(index(at, 0), index(at, ColumnCount - 1));
}

void DeviceFitModel::setChosen(const std::string& id)
{
    if (id == m_chosen)
        return;
    m_chosen = id;
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, NameColumn), index(rowCount() - 1, NameColumn));
}

QString DeviceFitModel::text(int at, int column) const
{
    const DeviceFitRow& row = rowAt(at);
    switch (column) {
    case NameColumn: return fileText(shortDeviceName(row.device));
    case MemoryColumn: return capacityText(row.device.memory);
    case StatusColumn: return statusText(row);
    case SlowDownColumn: return row.slowDown ? percentDifferenceText(*row.slowDown) : unknownText();
    case TimeColumn: return row.stepTime ? timeText(*row.stepTime) : unknownText();
    case LeastColumn: return leastText(row);
    default: return {};
    }
}

QVariant DeviceFitModel::cell(int at, int column, int role) const
{
    const DeviceFitRow& row = rowAt(at);
    if (role == Qt::DecorationRole && column == NameColumn)
        return isChosen(at) ? icon(QStringLiteral("check"), Role::Accent, Role::Accent)
                            : icon(QStringLiteral("gpu"), Role::Faint, Role::Faint);
    if (role == Qt::DecorationRole && column == StatusColumn)
        return statusIcon(row);
    if (role == Qt::ToolTipRole)
        return plainTip(column == NameColumn ? fileText(row.device.name) : fitTip(row));
    if (role == Qt::AccessibleTextRole) // what the glyph shows
        return column == NameColumn && isChosen(at) ? tr("%1, chosen").arg(text(at, column))
                                                    : text(at, column);
    return {};
}

} // namespace plimsoll::ui
