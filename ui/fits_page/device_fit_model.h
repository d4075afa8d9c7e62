// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/device_fits.h"
#include "ui/models/table_model.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::ui {

/// A GPU, and whether the step fits there, as far as that is known.
struct DeviceFitRow
{
    plan::Device device;
    std::optional<workspace::FitStatus> status = {}; ///< empty: not known yet
    std::optional<run::RunStatus> run = {};
    // Of the plan to take there; empty if none runs.
    std::optional<double> slowDown = {};
    std::optional<base::Nanoseconds> stepTime = {};
    std::optional<base::Bytes> peak = {};
    QString maker = {}; ///< the command that reproduces it: "rotor --ways on"
    std::optional<base::Bytes> leastBudget = {};
    bool isOver = false; ///< everything is known

    bool operator==(const DeviceFitRow&) const = default;
};

[[nodiscard]] DeviceFitRow deviceFitRow(const workspace::DeviceFit& fit);

/// Where the step fits: a row for each GPU, by rising memory. Rows are filled in place.
class DeviceFitModel : public RowsModel<DeviceFitRow>
{
    Q_OBJECT

public:
    enum Column {
        NameColumn,
        MemoryColumn,
        StatusColumn,
        SlowDownColumn,
        TimeColumn,
        LeastColumn,
        ColumnCount
    };

    explicit DeviceFitModel(QObject* parent = nullptr);

    /// A row for each device. Those that are shown already keep their answers, unless `isNew`.
    void setDevices(const std::vector<plan::Device>& devices, bool isNew);
    /// Fills in the row of the device; does nothing if it has none.
    void setFit(const workspace::DeviceFit& fit);
    /// The GPU that is marked.
    void setChosen(const std::string& id);

protected:
    [[nodiscard]] QString text(int at, int column) const override;
    [[nodiscard]] QVariant cell(int at, int column, int role) const override;

private:
    [[nodiscard]] bool isChosen(int row) const { return rowAt(row).device.id == m_chosen; }

    std::string m_chosen;
};

} // namespace plimsoll::ui
