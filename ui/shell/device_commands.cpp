// SPDX-License-Identifier: Apache-2.0
// GPUs given by hand: where the form opens, and who learns of what was typed.
#include "core/device/known_devices.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/problem_form/device_dialog.h"
#include "ui/shell/main_window.h"

namespace plimsoll::ui {

namespace {

/// Lines of the settings that an older or newer version wrote may be unreadable here; they are left
/// out.
std::vector<plan::Device> ownDevices(const QStringList& lines)
{
    std::vector<plan::Device> devices;
    for (const QString& line : lines)
        if (base::Result<plan::Device> device = plan::findDevice(line.toStdString()))
            devices.push_back(*std::move(device));
    return devices;
}

} // namespace

void MainWindow::connectDevices(PlannerPage& page)
{
    BudgetPanel& panel = page.budgetPanel();
    panel.setOwnDevices(ownDevices(m_settings.ownDevices()));
    connect(&m_settings, &Settings::ownDevicesChanged, &panel,
            [&panel](const QStringList& lines) { panel.setOwnDevices(ownDevices(lines)); });
    connect(&panel, &BudgetPanel::otherDeviceWanted, this, [this, &page] { askForDevice(page); });
}

void MainWindow::askForDevice(PlannerPage& page)
{
    auto* dialog = new DeviceDialog{page.document().document().choices.device, &page};
    connect(dialog, &DeviceDialog::chosen, this, [this, &page](const plan::Device& device) {
        m_settings.addOwnDevice(QString::fromStdString(device.id));
        workspace::Choices choices = page.document().document().choices;
        choices.device = device;
        if (choices.reserve >= device.memory)
            choices.reserve = {}; // it would leave nothing of this GPU
        page.document().commitChoices(choices);
    });
    dialog->show();
}

} // namespace plimsoll::ui
