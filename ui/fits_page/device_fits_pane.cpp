// SPDX-License-Identifier: Apache-2.0
#include "ui/fits_page/device_fits_pane.h"

#include "ui/tables/table_look.h"

#include <QTableView>

namespace plimsoll::ui {

DeviceFitsPane::DeviceFitsPane(QWidget* parent) : DeviceFitsPane{new DeviceFitModel, parent} {}

DeviceFitsPane::DeviceFitsPane(DeviceFitModel* model, QWidget* parent)
    : SearchPane{model,
                 {tr("Plans the step for each GPU with all of its memory."), tr("Compare GPUs"),
                  tr("GPUs"),
                  tr("Whether the step fits each GPU. Press Enter on a row to plan for that GPU."),
                  tr("Use This GPU")},
                 parent}
    , m_model{model}
{
    setColumnWidths(*table()->horizontalHeader(), DeviceFitModel::StatusColumn,
                    {{DeviceFitModel::NameColumn, 148},
                     {DeviceFitModel::MemoryColumn, 84},
                     {DeviceFitModel::SlowDownColumn, 86},
                     {DeviceFitModel::TimeColumn, 72},
                     {DeviceFitModel::LeastColumn, 90}});
    followJob();
}

DeviceFitsPane::Search DeviceFitsPane::makeSearch() const
{
    return
        [recorded = settings().recorded, choices = deviceChoices(settings()),
         allocator = settings().allocator](const base::JobContext& job, const Listener& listener) {
            return workspace::deviceFits(recorded, choices, allocator, job, listener);
        };
}

void DeviceFitsPane::showRow(std::size_t /*place*/, const workspace::DeviceFit& fit)
{
    m_model->setFit(fit);
}

void DeviceFitsPane::updateRows(bool isNew)
{
    m_model->setDevices(settings().devices, isNew);
    m_model->setChosen(settings().choices.device.id);
}

QString DeviceFitsPane::summary() const
{
    int runs = 0;
    int unplanned = 0;
    int over = 0;
    for (int at = 0; at < m_model->rowCount(); ++at) {
        const DeviceFitRow& row = m_model->rowAt(at);
        runs += row.stepTime ? 1 : 0;
        unplanned += row.status == workspace::FitStatus::Unplanned ? 1 : 0;
        over += row.isOver ? 1 : 0;
    }
    const int all = m_model->rowCount();
    if (over < all)
        return tr("Stopped: %1 of %2 GPUs compared. Known to run on %3, on %4 without a plan")
            .arg(over)
            .arg(all)
            .arg(runs)
            .arg(unplanned);
    return tr("Fits %1 of %2 GPUs with all of their memory, %3 without a plan")
        .arg(runs)
        .arg(all)
        .arg(unplanned);
}

void DeviceFitsPane::takeRow(int row)
{
    Q_EMIT deviceChosen(m_model->rowAt(row).device);
}

} // namespace plimsoll::ui
